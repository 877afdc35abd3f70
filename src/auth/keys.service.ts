import { Inject, Injectable } from '@nestjs/common';
import { AuditLog } from '../audit/index.js';
import { Clock } from '../common/clock.js';
import { HubError, invalidField } from '../common/hub-error.js';
import { IdSource } from '../common/ids.js';
import { issueCursor, readCursor } from '../common/cursor.js';
import type { Page } from '../common/page.js';
import { AppConfig } from '../config/index.js';
import {
  type ApiKey,
  ApiKeyStore,
  endsLater,
  type KeyAdmission,
  type KeyChanges,
  UNBOUNDED,
} from './api-key-store.js';
import { AuthService } from './auth.service.js';
import { administeredOrganization, administersAccess, refuseBeyond } from './granting.js';
import {
  ADMIN_PRINCIPAL,
  ANONYMOUS_PRINCIPAL,
  DEFAULT_ORGANIZATION,
  type Principal,
} from './principal.js';
import { hashOf, newKey, isKeyId } from './credential.js';
import { KeyBounds } from './key-bounds.js';
import { makeAdminKey } from './make-admin-key.js';
import { CredentialWatch } from './credential-watch.js';
import { PrincipalChanges } from './principal-changes.js';
import type { Scope } from '../common/scope.js';

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Only with a new principal; an existing one keeps its own. */
  readonly organization?: string | undefined;
  /** An existing principal that gets another key; absent, a new principal is made. */
  readonly principalId?: string | undefined;
  /** From then on it is not valid. Default: it is until it is revoked. */
  readonly expiresAt?: Date | undefined;
  /** See {@link ApiKey}; default: none. */
  readonly allowedNetworks?: readonly string[] | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
}

/** Where the admin key of this start is from: made just now (and shown this once), or there before. */
export type AdminKey =
  | { readonly from: 'now'; readonly key: string; readonly expiresAt: Date | null }
  | { readonly from: 'database'; readonly since: Date }
  | { readonly from: 'configuration' };

/** Makes, lists and revokes API keys. */
@Injectable()
export class KeysService {
  constructor(
    private readonly config: AppConfig,
    private readonly store: ApiKeyStore,
    private readonly auth: AuthService,
    private readonly watch: CredentialWatch,
    private readonly changes: PrincipalChanges,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    @Inject(AuditLog) private readonly audit: Pick<AuditLog, 'record'>,
  ) {}

  /**
   * Makes a key, as far as the caller may grant what it may do ({@link refuseBeyond}). The returned `key` cannot be had
   * again.
   */
  async create(
    request: NewKey,
    caller: Principal,
  ): Promise<{ readonly key: string; readonly record: ApiKey }> {
    refuseAnonymous(caller);
    refuseBeyond(caller, request.scopes);
    const now = this.clock.now();
    const { expiresAt = null, allowedNetworks = [], allowedOrigins = [] } = request;
    KeyBounds.check(request);
    if (expiresAt !== null) inFuture(expiresAt, now);
    const organization = await this.organizationFor(request, caller);
    const { id, key } = newKey(this.ids);
    const record: ApiKey = {
      id,
      principalId: request.principalId ?? this.ids.next(),
      organization,
      name: request.name,
      scopes: [...new Set(request.scopes)],
      hash: hashOf(key),
      createdAt: now,
      revokedAt: null,
      expiresAt,
      lastUsedAt: null,
      ...UNBOUNDED,
      allowedNetworks,
      allowedOrigins,
    };
    await this.store.add(record, this.admissionOf(request));
    // What was held back for want of a key goes on.
    if (request.principalId !== undefined) await this.changes.notify(record.principalId);
    return { key, record };
  }

  /**
   * Changes a key that is valid. Wider bounds and later expiries count at once here and within about a second elsewhere; so
   * do narrower ones, for new calls. An admin key lives no longer by that: one that may have been seen by others ends.
   * Rejects as {@link rotate} does, and with INVALID_PARAMS.
   */
  async change(id: string, changes: KeyChanges, caller: Principal): Promise<ApiKey> {
    KeyBounds.check(changes);
    const key = await this.administered(id, caller);
    const { scopes, expiresAt } = key;
    const now = this.clock.now();
    if (changes.expiresAt instanceof Date) inFuture(changes.expiresAt, now);
    const isLonger = changes.expiresAt !== undefined && endsLater(changes.expiresAt, expiresAt);
    if (isLonger && scopes.includes('admin')) {
      const text = 'cannot be put off for a key with the scope admin: create another one';
      throw invalidField('expiresAt', text);
    }
    if (!(await this.store.change(id, changes, now))) throw isOver(id);
    this.auth.forget(id);
    return { ...key, ...changes };
  }

  /**
   * Makes a key for the same principal with the same name, scopes and bounds; the one it replaces is valid for `overlapMs` more.
   * It expires when the other would have, unless `expiresAt` says otherwise. Rejects with NOT_FOUND, with CONFLICT for
   * a key that is not valid any more or was rotated already, with PERMISSION_DENIED for one that the caller may not grant, and with
   * INVALID_PARAMS for an expiry that is over.
   */
  async rotate(
    id: string,
    caller: Principal,
    overlapMs: number,
    expiresAt?: Date,
  ): Promise<{ readonly key: string; readonly record: ApiKey }> {
    refuseAnonymous(caller);
    const old = await this.administered(id, caller);
    const now = this.clock.now();
    const inherited = expiresAt === undefined ? await this.endFor(old, now) : null;
    const fresh = newKey(this.ids);
    const record: ApiKey = {
      ...old,
      id: fresh.id,
      hash: hashOf(fresh.key),
      createdAt: now,
      expiresAt: expiresAt === undefined ? inherited : inFuture(expiresAt, now),
      lastUsedAt: null,
      revokedAt: null,
      replacedBy: null,
    };
    const until = new Date(now.getTime() + overlapMs);
    if (!(await this.store.replace(id, record, until))) {
      throw isOver(id);
    }
    this.auth.forget(id);
    await this.changes.notify(record.principalId);
    return { key: fresh.key, record };
  }

  /** Those that the caller administers, of one principal or all, newest first; `cursor` is a `nextCursor` of the same list. */
  async list(
    caller: Principal,
    principal: string | undefined,
    limit: number,
    cursor?: string,
  ): Promise<Page<ApiKey>> {
    const after = cursor === undefined ? undefined : readCursor('keys', cursor, isKeyId);
    const filter = { organization: administeredOrganization(caller), principal };
    const { items, nextCursor } = await this.store.list(filter, limit, after);
    return { items, nextCursor: nextCursor === null ? null : issueCursor('keys', nextCursor) };
  }

  /**
   * Revokes a key; it is refused at once here and within about a second by other processes. Its open
   * calls end at once here and within about two seconds at others. Rejects as {@link rotate} does.
   */
  async revoke(id: string, caller: Principal): Promise<void> {
    await this.administered(id, caller);
    if (!(await this.store.revoke(id, this.clock.now()))) {
      return unknownKey(id);
    }
    this.auth.forget(id);
    this.watch.revoked(id);
  }

  /**
   * Ensures that the hub can be administered: a key is made when keys are asked for, none is configured
   * and none is left that is valid. It ends after `auth.bootstrapKeyTtl`: others may see where it is shown. Null when keys are not asked for. `keep` has a new key first: one
   * that cannot be kept is not made.
   */
  async ensureAdminKey(keep: (key: string) => unknown): Promise<AdminKey | null> {
    const { auth, role } = this.config;
    if (auth.mode === 'none' || role === 'worker') return null;
    if (auth.adminKey !== null) return { from: 'configuration' };
    const since = await this.store.adminKeySince(this.clock.now());
    if (since !== undefined) return { from: 'database', since };
    const name = 'made at the first start';
    const { store, clock, ids, audit } = this;
    const ttl = auth.bootstrapKeyTtlMs;
    const expiresAt = ttl === 0 ? null : new Date(clock.now().getTime() + ttl);
    const by = 'first start';
    const key = await makeAdminKey(store, clock, ids, name, audit, by, keep, expiresAt);
    return { from: 'now', key, expiresAt };
  }

  /** When a key in the place of this one expires. A rotation has brought its own end forward: the last key of those in its place has what it had before. */
  private async endFor(key: ApiKey, now: Date): Promise<Date | null> {
    let last = key;
    for (let next: ApiKey | undefined = key; next !== undefined;) {
      last = next;
      next = last.replacedBy === null ? undefined : await this.store.find(last.replacedBy);
    }
    const { id, expiresAt } = last;
    if (last === key || expiresAt === null || expiresAt > now) return expiresAt;
    const text = `must be given: the key ${id}, which was in its place, has expired (${expiresAt.toISOString()})`;
    throw invalidField('expiresAt', text);
  }

  /** A key of the caller's organization, or of any; not one that can do more than the caller may grant. */
  private async administered(id: string, caller: Principal): Promise<ApiKey> {
    const key = await this.store.find(id);
    if (key === undefined || !administersAccess(caller, key.organization)) return unknownKey(id);
    refuseBeyond(caller, key.scopes);
    return key;
  }

  private admissionOf({ principalId }: NewKey): KeyAdmission {
    if (principalId === ADMIN_PRINCIPAL) return 'own';
    if (principalId !== undefined) return 'known';
    return this.config.auth.organizations;
  }

  private async organizationFor(request: NewKey, caller: Principal): Promise<string> {
    const { principalId, organization } = request;
    const usual = administeredOrganization(caller) ?? DEFAULT_ORGANIZATION;
    if (organization !== undefined && !administersAccess(caller, organization)) {
      const text = 'Keys of other organizations than its own need a caller with the scope access.';
      throw new HubError('PERMISSION_DENIED', text, { refusal: { scope: 'access' } });
    }
    if (principalId === undefined) return organization ?? usual;
    const existing =
      principalId === ADMIN_PRINCIPAL
        ? DEFAULT_ORGANIZATION
        : await this.store.organizationOf(principalId);
    if (existing === undefined || !administersAccess(caller, existing)) {
      throw invalidField('principal', 'names none that there is');
    }
    if (organization !== undefined && organization !== existing) {
      throw invalidField('organization', `must be that of the principal: ${existing}`);
    }
    return existing;
  }
}

function inFuture(expiresAt: Date, now: Date): Date {
  // Also not for what is no time.
  if (!(expiresAt > now)) throw invalidField('expiresAt', 'must be in the future');
  return expiresAt;
}

function isOver(id: string): HubError {
  return new HubError(
    'CONFLICT',
    `The key ${id} is revoked or has expired: create a key for its principal instead.`,
  );
}

function unknownKey(id: string): never {
  throw new HubError('NOT_FOUND', `There is no key ${id}.`);
}

/** With `auth.mode: none` anybody who reaches the port is an administrator, and a key would be valid beyond it. */
function refuseAnonymous({ id }: Principal): void {
  if (id !== ANONYMOUS_PRINCIPAL) return;
  throw new HubError(
    'PERMISSION_DENIED',
    'A key is made by a caller with a key, also with auth.mode none: it would be valid when that is over. Set auth.adminKey and send that key.',
  );
}
