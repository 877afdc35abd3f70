import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { issueCursor, readCursor } from '../common/cursor.js';
import { HubError } from '../common/hub-error.js';
import { IdSource } from '../common/ids.js';
import { Log } from '../common/logger.js';
import type { Page } from '../common/page.js';
import { AppConfig } from '../config/index.js';
import { authorityOf, HUB_AUTHORITY } from './authority.js';
import { AuthService } from './auth.service.js';
import { Belongings } from './belongings.js';
import { administeredOrganization, administersAccess } from './granting.js';
import {
  ADMIN_PRINCIPAL,
  ANONYMOUS_PRINCIPAL,
  DEFAULT_ORGANIZATION,
  type Principal,
} from './principal.js';
import { type Hold, holdOf } from './domain/hold.js';
import { CredentialWatch } from './credential-watch.js';
import { PrincipalChanges } from './principal-changes.js';
import {
  type PrincipalEdits,
  type PrincipalFilter,
  type PrincipalRecord,
  PrincipalStore,
} from './principal-store.js';

/** Under it are deliveries of declared subscriptions that were made before these had an owner in each organization. */
const FORMER_OWNER = 'config';

/** A principal to be made. */
export interface WantedPrincipal extends PrincipalEdits {
  /** Default: a new one. */
  readonly id?: string;
  /** Default: the caller's, or for those of all organizations `default`. */
  readonly organization?: string;
}

/** Creates principals, shows, changes, disables and enables them. */
@Injectable()
export class PrincipalsService implements OnModuleInit {
  constructor(
    private readonly config: AppConfig,
    private readonly store: PrincipalStore,
    private readonly auth: AuthService,
    private readonly watch: CredentialWatch,
    private readonly changes: PrincipalChanges,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly ids: IdSource,
    private readonly belongings: Belongings,
  ) {}

  /** Whom the configuration lets in is a principal like others, but never without a key. */
  async onModuleInit(): Promise<void> {
    const { auth, role } = this.config;
    if (role === 'worker') return;
    const now = this.clock.now();
    const put = (id: string, isLetIn: boolean): Promise<void> =>
      this.store.setBuiltIn(id, DEFAULT_ORGANIZATION, isLetIn, now);
    await put(ADMIN_PRINCIPAL, auth.adminKey !== null);
    await put(ANONYMOUS_PRINCIPAL, auth.mode === 'none');
  }

  /** Throws NOT_FOUND for one whose access the caller does not administer, too. */
  async get(id: string, caller: Principal): Promise<PrincipalRecord> {
    const found = await this.store.get(id);
    return found !== undefined && administersAccess(caller, found.organization)
      ? found
      : unknown(id);
  }

  /** Those whose access the caller administers, the newest first; `cursor` is a `nextCursor` of the same list. */
  async list(
    filter: PrincipalFilter,
    caller: Principal,
    limit: number,
    cursor?: string,
  ): Promise<Page<PrincipalRecord>> {
    const after = cursor === undefined ? undefined : readCursor('principals', cursor, isAnId);
    const only = administeredOrganization(caller);
    const { organization = only ?? undefined } = filter;
    if (only !== null && organization !== only) return { items: [], nextCursor: null };
    const { items, nextCursor } = await this.store.list({ ...filter, organization }, limit, after);
    return {
      items,
      nextCursor: nextCursor === null ? null : issueCursor('principals', nextCursor),
    };
  }

  /**
   * Makes a principal without a key. Rejects with CONFLICT when there is one of its id or its organization is disabled, with
   * PERMISSION_DENIED for another organization than the caller administers, and for an id or groups without the scope access.
   */
  async create(wanted: WantedPrincipal, caller: Principal): Promise<PrincipalRecord> {
    const usual = administeredOrganization(caller) ?? DEFAULT_ORGANIZATION;
    const { id = this.ids.next(), organization = usual, displayName = null, groups = [] } = wanted;
    if (!administersAccess(caller, organization)) {
      const text =
        'Principals of other organizations than its own need a caller with the scope access.';
      throw new HubError('PERMISSION_DENIED', text, { refusal: { scope: 'access' } });
    }
    if (wanted.id !== undefined) refuseOfAll('Ids of your choice', caller);
    refuseGroups(groups, caller);
    if (id === FORMER_OWNER) throw new HubError('CONFLICT', `The id ${id} is the hub's own.`);
    const isTaken = id === ADMIN_PRINCIPAL || id === ANONYMOUS_PRINCIPAL;
    const made = { id, organization, displayName, groups, createdAt: this.clock.now() };
    const isListed = this.config.auth.organizations === 'listed';
    if (isTaken || !(await this.store.create(made, isListed))) {
      throw new HubError('CONFLICT', `There is a principal ${id} already.`);
    }
    return this.get(id, caller);
  }

  /** Groups count at once here and within about a second elsewhere. Rejects as {@link create} does. */
  async change(id: string, edits: PrincipalEdits, caller: Principal): Promise<PrincipalRecord> {
    await this.get(id, caller);
    const { displayName, groups } = edits;
    if (groups !== undefined) refuseGroups(groups, caller, true);
    const changes = {
      ...(displayName !== undefined && { displayName }),
      ...(groups !== undefined && { groups }),
    };
    if (!(await this.store.change(id, changes, authorityOf(caller)))) return unknown(id);
    this.auth.forgetPrincipal(id);
    return this.get(id, caller);
  }

  /**
   * Deletes a principal that has nothing more. CONFLICT, which names what is left, while it has something, is enabled, is
   * the hub's own, or would be there again with its next sign-in.
   */
  async remove(id: string, caller: Principal): Promise<void> {
    const { identity, organizationDisabledAt } = await this.get(id, caller);
    this.refuseOwn(id);
    if (identity !== null && organizationDisabledAt === null) {
      const text = `The principal ${id} would be there again, and enabled, with its next sign-in: leave it disabled, or disable its organization.`;
      throw new HubError('CONFLICT', text);
    }
    const { belongings } = this;
    const isDeleted = await this.store.delete(id, authorityOf(caller), (tx, of) =>
      belongings.clear(tx, 'principal', of),
    );
    if (!isDeleted) unknown(id);
    this.auth.forgetPrincipal(id);
    this.watch.disabled(id);
    this.log.info({ principal: id, by: caller.id }, 'a principal was deleted');
  }

  /** Why what it has registered is not sent at this moment; subscriptions of all its organization may be held for more. */
  pushHeld({ status, organization }: PrincipalRecord): Hold | null {
    const own = { scope: 'own', organization } as const;
    return holdOf(status, own, this.clock.now(), this.config.auth.keylessGraceMs);
  }

  /**
   * From the answer on no key of the principal is valid and no webhook is sent for it; its open calls
   * end, at once here and within some two seconds elsewhere. Its tasks go on, and what its webhooks had
   * to tell waits. CONFLICT for the hub's own principals and for the caller's: somebody has to be able
   * to enable it again. PERMISSION_DENIED for one with scopes that the
   * caller may not grant.
   */
  async disable(id: string, caller: Principal): Promise<PrincipalRecord> {
    this.refuseOwn(id);
    await this.get(id, caller);
    if (id === caller.id) {
      throw new HubError('CONFLICT', 'This key is of that principal: use a key of another one.');
    }
    if (!(await this.shut(id, authorityOf(caller)))) return unknown(id);
    this.log.info({ principal: id, by: caller.id }, 'a principal was disabled');
    return this.get(id, caller);
  }

  /** Disables a principal; false when there is none. */
  async shut(id: string, by = HUB_AUTHORITY): Promise<boolean> {
    if (!(await this.store.disable(id, this.clock.now(), by))) return false;
    this.auth.forgetPrincipal(id);
    this.watch.disabled(id);
    await this.changes.notify(id);
    return true;
  }

  private refuseOwn(id: string): void {
    if (id !== ADMIN_PRINCIPAL && id !== ANONYMOUS_PRINCIPAL) return;
    const instead =
      id === ADMIN_PRINCIPAL ? 'revoke its keys instead' : 'set auth.mode to keys instead';
    throw new HubError('CONFLICT', `The principal ${id} is the hub's own: ${instead}.`);
  }

  /** Its keys that were not revoked are valid again, and what waits is sent. PERMISSION_DENIED as {@link disable}, and for one that an operator of all has disabled. */
  async enable(id: string, caller: Principal): Promise<PrincipalRecord> {
    await this.get(id, caller);
    if (!(await this.store.enable(id, authorityOf(caller)))) return unknown(id);
    this.auth.forgetRefused();
    this.watch.enabled(id);
    await this.changes.notify(id);
    this.log.info({ principal: id, by: caller.id }, 'a principal was enabled');
    return this.get(id, caller);
  }
}

/** Policies of the whole hub speak of groups: who administers one organization gives nobody what they permit. */
function refuseGroups(groups: readonly string[], caller: Principal, isChange = false): void {
  if (groups.length > 0 || isChange) refuseOfAll('Groups', caller);
}

/** For what counts beyond one organization: policies, limits and `auth.hubs` name principals and groups of all. */
function refuseOfAll(what: string, caller: Principal): void {
  if (administeredOrganization(caller) === null) return;
  throw new HubError('PERMISSION_DENIED', `${what} need a caller with the scope access.`, {
    refusal: { scope: 'access' },
  });
}

function isAnId(text: string): boolean {
  return text.length > 0;
}

function unknown(id: string): never {
  throw new HubError('NOT_FOUND', `There is no principal ${id}.`);
}
