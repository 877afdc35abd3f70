import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { issueCursor, readCursor } from '../common/cursor.js';
import { HubError, invalidField } from '../common/hub-error.js';
import { Log } from '../common/logger.js';
import type { Page } from '../common/page.js';
import { authorityOf, HUB_AUTHORITY } from './authority.js';
import { AuthService } from './auth.service.js';
import { Belongings } from './belongings.js';
import { CredentialWatch } from './credential-watch.js';
import { administeredOrganization, administersAccess } from './granting.js';
import {
  type OrganizationEdits,
  type OrganizationFilter,
  type OrganizationRecord,
  OrganizationStore,
} from './organization-store.js';
import { DEFAULT_ORGANIZATION, type Principal } from './principal.js';
import { PrincipalChanges } from './principal-changes.js';

/** Labels of one organization. */
const MAX_LABELS = 32;
const LABEL_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^[^\p{Cc}\p{Cs}]{0,200}$/u;
/** Principals whose webhooks are halted at once. */
const AT_ONCE = 16;

/** Creates, shows, changes, disables and deletes organizations. */
@Injectable()
export class OrganizationsService {
  constructor(
    private readonly store: OrganizationStore,
    private readonly auth: AuthService,
    private readonly watch: CredentialWatch,
    private readonly changes: PrincipalChanges,
    private readonly belongings: Belongings,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Rejects with CONFLICT when there is one of its id, with INVALID_PARAMS for labels that are none. */
  async create(id: string, edits: OrganizationEdits): Promise<OrganizationRecord> {
    const { displayName = null, description = null, labels = {} } = edits;
    checkLabels(labels);
    const createdAt = this.clock.now();
    const made = { id, displayName, description, labels, createdAt, disabledAt: null };
    if (!(await this.store.create(made))) {
      throw new HubError('CONFLICT', `There is an organization ${id} already.`);
    }
    return { ...made, principals: 0 };
  }

  /** Throws NOT_FOUND for one whose access the caller does not administer, too. */
  async get(id: string, caller: Principal): Promise<OrganizationRecord> {
    const found = administersAccess(caller, id) ? await this.store.get(id) : undefined;
    return found ?? unknown(id);
  }

  async exists(id: string): Promise<boolean> {
    return (await this.store.get(id)) !== undefined;
  }

  /** Those whose access the caller administers, by id; `cursor` is a `nextCursor` of the same list. */
  async list(
    filter: OrganizationFilter,
    caller: Principal,
    limit: number,
    cursor?: string,
  ): Promise<Page<OrganizationRecord>> {
    const after = cursor === undefined ? undefined : readCursor('organizations', cursor, isAnId);
    const id = administeredOrganization(caller) ?? undefined;
    const { items, nextCursor } = await this.store.list({ ...filter, id }, limit, after);
    return {
      items,
      nextCursor: nextCursor === null ? null : issueCursor('organizations', nextCursor),
    };
  }

  /** Rejects as {@link get} does, and with INVALID_PARAMS for labels that are none. */
  async change(
    id: string,
    edits: OrganizationEdits,
    caller: Principal,
  ): Promise<OrganizationRecord> {
    if (edits.labels !== undefined) checkLabels(edits.labels);
    await this.get(id, caller);
    if (!(await this.store.change(id, edits))) return unknown(id);
    return this.get(id, caller);
  }

  /**
   * From the answer on no credential of its principals is valid, nobody of it comes in, and no webhook is sent for it; open
   * calls end, at once here and within some two seconds elsewhere. Its tasks go on, and what its webhooks had to tell
   * waits. CONFLICT for the hub's own organization and the caller's.
   */
  async disable(id: string, caller: Principal): Promise<OrganizationRecord> {
    if (id === DEFAULT_ORGANIZATION) {
      const text = `The organization ${id} is the hub's own: disable its principals instead.`;
      throw new HubError('CONFLICT', text);
    }
    if (id === caller.organization) {
      const text = 'This key is of that organization: use a key of another one.';
      throw new HubError('CONFLICT', text);
    }
    if (!(await this.shut(id, authorityOf(caller)))) return unknown(id);
    this.log.info({ organization: id, by: caller.id }, 'an organization was disabled');
    return this.get(id, caller);
  }

  /** Disables an organization whatever it is; false when there is none. */
  async shut(id: string, by = HUB_AUTHORITY): Promise<boolean> {
    const principals = await this.store.disable(id, this.clock.now(), by);
    if (principals === undefined) return false;
    this.auth.forgetOrganization(id);
    this.watch.organizationDisabled(id);
    await this.notify(principals);
    return true;
  }

  /** Its credentials count again, but for those of principals that are disabled themselves, and what waits is sent. */
  async enable(id: string, caller: Principal): Promise<OrganizationRecord> {
    const principals = (await this.store.enable(id, authorityOf(caller))) ?? unknown(id);
    this.auth.forgetRefused();
    this.watch.organizationEnabled(id);
    await this.notify(principals);
    this.log.info({ organization: id, by: caller.id }, 'an organization was enabled');
    return this.get(id, caller);
  }

  /** Rejects with CONFLICT, which names what is left, while it has something. */
  async remove(id: string): Promise<void> {
    if (id === DEFAULT_ORGANIZATION) {
      throw new HubError('CONFLICT', `The organization ${id} is the hub's own.`);
    }
    const { belongings } = this;
    const isDeleted = await this.store.delete(id, (tx, of) =>
      belongings.clear(tx, 'organization', of),
    );
    if (!isDeleted) unknown(id);
  }

  private async notify(principals: readonly string[]): Promise<void> {
    for (let from = 0; from < principals.length; from += AT_ONCE) {
      const piece = principals.slice(from, from + AT_ONCE);
      await Promise.all(piece.map((principal) => this.changes.notify(principal)));
    }
  }
}

function checkLabels(labels: Readonly<Record<string, unknown>>): void {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) {
    throw invalidField('labels', `must be at most ${MAX_LABELS}`);
  }
  for (const [name, value] of entries) {
    if (!LABEL_NAME.test(name)) {
      const text =
        'must have names of 1 to 63 letters, digits, dots, slashes, _ and -, the first and the last of them a letter or a digit';
      throw invalidField('labels', text);
    }
    if (typeof value !== 'string' || !LABEL_VALUE.test(value)) {
      const text = 'must be a text of at most 200 characters without control characters';
      throw invalidField(`labels.${name}`, text);
    }
  }
}

function isAnId(text: string): boolean {
  return text.length > 0;
}

function unknown(id: string): never {
  throw new HubError('NOT_FOUND', `There is no organization ${id}.`);
}
