import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import type { DataOwner } from '../../common/owned-data.js';
import type { Page } from '../../common/page.js';
import type { Scope } from '../../common/scope.js';
import { type Condition, condition, paramsOf, where } from '../../database/conditions.js';
import { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import type { DatabaseRow } from '../../database/table.js';
import { toDate } from '../../database/rows.js';
import { storable } from '../../database/text.js';
import type { Authority } from '../authority.js';
import type { PrincipalStatus } from '../domain/hold.js';
import type { IdentityRecord } from '../identity-store.js';
import {
  type Caller,
  type NewPrincipal,
  type PrincipalEdits,
  type PrincipalFilter,
  type PrincipalRecord,
  type PrincipalState,
  PrincipalStore,
  type UnreconciledPrincipal,
} from '../principal-store.js';
import { admitOwn, admitPrincipal } from './organization-writes.js';
import { KEY_NAME, nameIn } from './sql-principal-names.js';
import {
  type PrincipalRow,
  holdsScope,
  lockPrincipal,
  markUnreconciled,
  noteCredentials,
  PRINCIPAL,
  PRINCIPALS,
  REVISION,
  SCOPES_OF,
  scopesHeld,
  scopesIn,
} from './principal-writes.js';

const SELECT = `SELECT ${PRINCIPAL.namesOf('p')}, ${KEY_NAME} AS key_name, (SELECT COUNT(*) FROM api_keys k
    WHERE k.principal_id = p.id AND k.revoked_at IS NULL AND k.expired = 0) AS valid_keys,
    ${holdsScope('a2a', 'p')} AS holds_a2a,
    i.issuer, i.subject, i.last_seen_at
  FROM principals p LEFT JOIN identities i ON i.principal_id = p.id`;

const EDIT = PRINCIPALS.update(['displayName', 'groups']);

/** Neither it nor its organization is disabled. */
const ENABLED = 'p.disabled_at IS NULL AND p.organization_disabled_at IS NULL';
/** Of a principal: that it is a certain one, enabled, and has that key or sign-in. */
const IS_ENABLED_OF = `p.id = ? AND p.organization = ? AND ${ENABLED}`;
const HAS_KEY = `EXISTS (SELECT 1 FROM api_keys k
  WHERE k.id = ? AND k.principal_id = p.id AND k.revoked_at IS NULL AND k.expired = 0)`;
const HAS_IDENTITY = 'EXISTS (SELECT 1 FROM identities i WHERE i.id = ? AND i.principal_id = p.id)';
const IN_STATE: Readonly<Record<PrincipalState, string>> = {
  active: `${ENABLED} AND p.keyless_since IS NULL`,
  keyless: `${ENABLED} AND p.keyless_since IS NOT NULL`,
  disabled: `NOT (${ENABLED})`,
};

/** Principals that one page of a search by text looks at. */
const MOST_LOOKED = 2_000;

/** What LIKE takes for this text and nothing else. */
function literal(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

/** What LIKE finds this text by, anywhere in another. */
function within(text: string): string {
  return `%${literal(text)}%`;
}

/** It is in a group of just this name: LIKE takes another case for the same on SQLite. They are kept as JSON, where a name begins like so alone. */
function isIn(group: string): Condition {
  const name = JSON.stringify(group);
  const places = [`[${name}`, `,${name}`];
  const each = places.map(() => `REPLACE(p.groups, ?, '') <> p.groups`);
  return { sql: `(${each.join(' OR ')})`, params: places };
}

/** Something that people know it by is like this. */
function shows(pattern: string): Condition {
  const shown = ['p.id', 'p.display_name', 'i.subject', KEY_NAME];
  const each = shown.map((column) => `LOWER(${column}) LIKE LOWER(?) ESCAPE '!'`);
  return { sql: `(${each.join(' OR ')})`, params: shown.map(() => pattern) };
}

/** How well it fits a text: 0, it is called so; 1, it begins so; 2, it has it somewhere. */
function rankOf(text: string): Condition {
  const [is, begins] = [shows(literal(text)), shows(`${literal(text)}%`)];
  return {
    sql: `CASE WHEN ${is.sql} THEN 0 WHEN ${begins.sql} THEN 1 ELSE 2 END`,
    params: [...is.params, ...begins.params],
  };
}

/** Where a page of a search begins: of those before `from`, behind this one in the order of the search. */
interface SearchPlace {
  readonly from?: string | undefined;
  readonly behind?: readonly [rank: number, id: string] | undefined;
}

/** The ids of principals hold no line ends. */
function placeOf(cursor: string | undefined): SearchPlace {
  const [from, rank, id] = cursor?.split('\n') ?? [];
  return {
    from: from || undefined,
    behind: id === undefined ? undefined : [Number(rank) || 0, id],
  };
}

function isBehind(rank: Condition, [at, id]: readonly [number, string]): Condition {
  return {
    sql: `(${rank.sql} > ? OR ${rank.sql} = ? AND p.id < ?)`,
    params: [...rank.params, at, ...rank.params, at, storable(id)],
  };
}

/** {@link PrincipalStore} on the hub's database. */
@Injectable()
export class SqlPrincipalStore extends PrincipalStore {
  constructor(private readonly database: Database) {
    super();
  }

  async get(id: string): Promise<PrincipalRecord | undefined> {
    const rows = await this.database.read<DatabaseRow>(`${SELECT} WHERE p.id = ?`, [storable(id)]);
    return rows.map(toRecord)[0];
  }

  async list(
    { organization, state, subject, group, text }: PrincipalFilter,
    limit: number,
    cursor?: string,
  ): Promise<Page<PrincipalRecord>> {
    // What the index of ids has, and what has to be looked at in each row.
    const { from, behind } = text === undefined ? { from: cursor } : placeOf(cursor);
    const own: Condition[] = [
      ...(organization === undefined
        ? []
        : [condition('p.organization = ?', storable(organization))]),
      ...(from === undefined ? [] : [condition('p.id < ?', from)]),
    ];
    const end = text === undefined ? undefined : await this.endOfLook(own);
    const rank = text === undefined ? undefined : rankOf(storable(text));
    const conditions = [
      ...own,
      ...(end === undefined ? [] : [condition('p.id >= ?', end)]),
      ...(state === undefined ? [] : [condition(IN_STATE[state])]),
      ...(subject === undefined ? [] : [condition('i.subject = ?', storable(subject))]),
      ...(group === undefined ? [] : [isIn(group)]),
      ...(text === undefined ? [] : [shows(within(storable(text)))]),
      ...(rank === undefined || behind === undefined ? [] : [isBehind(rank, behind)]),
    ];
    const order = rank === undefined ? '' : `${rank.sql}, `;
    const rows = await this.database.read<DatabaseRow>(
      `${SELECT}${where(conditions)} ORDER BY ${order}p.id DESC LIMIT ?`,
      [...paramsOf(conditions), ...(rank?.params ?? []), limit + 1],
    );
    const items = rows.slice(0, limit).map(toRecord);
    const last = items.at(-1);
    if (rows.length <= limit || last === undefined) return { items, nextCursor: end ?? null };
    if (rank === undefined) return { items, nextCursor: last.id };
    return { items, nextCursor: `${from ?? ''}\n${await this.rankIn(rank, last.id)}\n${last.id}` };
  }

  private async rankIn(rank: Condition, id: string): Promise<number> {
    const [row] = await this.database.read<{ fits: number }>(
      `SELECT ${rank.sql} AS fits FROM principals p LEFT JOIN identities i ON i.principal_id = p.id
       WHERE p.id = ?`,
      [...rank.params, id],
    );
    return Number(row?.fits ?? 0);
  }

  /** The last id that a page of a search looks at, where there are more. */
  private async endOfLook(own: readonly Condition[]): Promise<string | undefined> {
    const rows = await this.database.read<{ id: string }>(
      `SELECT p.id FROM principals p${where(own)} ORDER BY p.id DESC LIMIT 2 OFFSET ?`,
      [...paramsOf(own), MOST_LOOKED - 1],
    );
    return rows.length > 1 ? rows[0]!.id : undefined;
  }

  create(principal: NewPrincipal, isListed: boolean): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      const { id, displayName, groups, createdAt } = principal;
      if (!(yield* admitPrincipal(tx, principal, isListed))) return false;
      const row = (yield* lockPrincipal(tx, id))!;
      yield* EDIT.apply(tx, [{ id, displayName, groups }]);
      yield* noteCredentials(tx, id, row, createdAt.getTime());
      return true;
    });
  }

  change(id: string, edits: PrincipalEdits, by: Authority): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      const row = yield* lockFor(tx, id, by);
      if (row === undefined) return false;
      const { displayName, groups } = { ...row, ...edits };
      yield* EDIT.apply(tx, [{ id: row.id, displayName, groups }]);
      return true;
    });
  }

  delete(id: string, by: Authority, left: (tx: Tx, id: string) => Work<void>): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      const row = yield* lockFor(tx, id, by);
      if (row === undefined) return false;
      if (row.disabledAt === null && row.organizationDisabledAt === null) {
        throw new HubError('CONFLICT', `The principal ${row.id} is enabled: disable it first.`);
      }
      yield* refuseBeyond(tx, row, by);
      yield* left(tx, row.id);
      for (const table of ['console_sessions', 'api_keys', 'identities']) {
        yield* tx.run(`DELETE FROM ${table} WHERE principal_id = ?`, [row.id]);
      }
      yield* tx.run('DELETE FROM principals WHERE id = ?', [row.id]);
      yield* REVISION.raise(tx);
      return true;
    });
  }

  disable(id: string, at: Date, by: Authority): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      const row = yield* lockFor(tx, id, by);
      if (row === undefined) return false;
      by.refuse(yield* scopesHeld(tx, 'principal', row.id));
      if (row.disabledAt !== null) {
        if (!by.isOfAll || row.disabledByOperator) return true;
        yield* tx.run('UPDATE principals SET disabled_by_operator = 1 WHERE id = ?', [row.id]);
        return true;
      }
      yield* tx.run(
        'UPDATE principals SET disabled_at = ?, disabled_by_operator = ? WHERE id = ?',
        [at.getTime(), by.isOfAll ? 1 : 0, row.id],
      );
      yield* markUnreconciled(tx, row.id);
      return true;
    });
  }

  enable(id: string, by: Authority): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      const row = yield* lockFor(tx, id, by);
      if (row === undefined) return false;
      yield* refuseBeyond(tx, row, by);
      if (row.disabledAt === null) return true;
      yield* tx.run(
        'UPDATE principals SET disabled_at = NULL, disabled_by_operator = 0 WHERE id = ?',
        [row.id],
      );
      yield* markUnreconciled(tx, row.id);
      return true;
    });
  }

  async scopesHeld(owner: DataOwner): Promise<readonly Scope[]> {
    const [of, name] =
      'organization' in owner
        ? (['organization', owner.organization] as const)
        : (['principal', owner.principal] as const);
    const params = [storable(name), storable(name)];
    return scopesIn(await this.database.read<{ scopes: string }>(SCOPES_OF[of], params));
  }

  async setBuiltIn(id: string, organization: string, isLetIn: boolean, at: Date): Promise<void> {
    await this.database.write(function* (tx) {
      if (isLetIn) yield* admitOwn(tx, { id, organization, createdAt: at });
      const row = yield* lockPrincipal(tx, id);
      if (row === undefined) return;
      yield* tx.run('UPDATE principals SET built_in = ? WHERE id = ?', [isLetIn ? 1 : 0, id]);
      yield* noteCredentials(tx, id, row, at.getTime());
    });
  }

  revision(): Promise<number> {
    return REVISION.read(this.database);
  }

  async validCredentials(ids: readonly string[]): Promise<ReadonlyMap<string, Date | null>> {
    const valid = new Map<string, Date | null>();
    for (const piece of pieces(ids)) {
      const rows = await this.database.read<{ id: string; ends: number | null }>(
        `SELECT k.id, k.expires_at AS ends FROM api_keys k JOIN principals p ON p.id = k.principal_id
         WHERE k.id IN ${listOf(piece.length)} AND k.revoked_at IS NULL AND k.expired = 0
           AND ${ENABLED}
         UNION ALL SELECT i.id, NULL FROM identities i JOIN principals p ON p.id = i.principal_id
         WHERE i.id IN ${listOf(piece.length)} AND ${ENABLED}`,
        [...piece, ...piece],
      );
      for (const { id, ends } of rows) valid.set(id, ends === null ? null : toDate(ends));
    }
    return valid;
  }

  async statuses(ids: readonly string[]): Promise<ReadonlyMap<string, PrincipalStatus>> {
    const found = new Map<string, PrincipalStatus>();
    for (const piece of pieces(ids)) {
      const rows = await this.database.read<DatabaseRow>(principalsIn(piece.length), piece);
      for (const row of rows.map(PRINCIPAL.read)) found.set(row.id, toStatus(row));
    }
    return found;
  }

  *statusesIn(tx: Tx, ids: readonly string[]): Work<ReadonlyMap<string, PrincipalStatus>> {
    const found = new Map<string, PrincipalStatus>();
    const lock = tx.dialect === 'postgres' ? ' FOR SHARE' : '';
    for (const piece of pieces([...ids].sort())) {
      const rows = yield* tx.all<DatabaseRow>(`${principalsIn(piece.length)}${lock}`, piece);
      for (const row of rows.map(PRINCIPAL.read)) found.set(row.id, toStatus(row));
    }
    return found;
  }

  *isPresentIn(tx: Tx, { id, organization, keyId, identityId }: Caller): Work<boolean> {
    const conditions = [condition(IS_ENABLED_OF, id, organization)];
    if (keyId !== undefined) conditions.push(condition(HAS_KEY, keyId));
    if (identityId !== undefined) conditions.push(condition(HAS_IDENTITY, identityId));
    const lock = tx.dialect === 'postgres' ? ' FOR SHARE' : '';
    const sql = `SELECT p.id FROM principals p${where(conditions)}${lock}`;
    return (yield* tx.all(sql, paramsOf(conditions))).length > 0;
  }

  async keylessBetween(from: Date, until: Date): Promise<readonly string[]> {
    const rows = await this.database.read<{ id: string }>(
      `SELECT id FROM principals
       WHERE keyless_since > ? AND keyless_since <= ? AND disabled_at IS NULL ORDER BY id`,
      [from.getTime(), until.getTime()],
    );
    return rows.map(({ id }) => id);
  }

  async unreconciled(): Promise<readonly UnreconciledPrincipal[]> {
    const rows = await this.database.read<{ id: string; unreconciled: number }>(
      'SELECT id, unreconciled FROM principals WHERE unreconciled IS NOT NULL ORDER BY unreconciled',
    );
    return rows.map(({ id, unreconciled }) => ({ id, revision: unreconciled }));
  }

  async markUnreconciled(id: string): Promise<void> {
    await this.database.write(function* (tx) {
      if (yield* lockPrincipal(tx, id)) yield* markUnreconciled(tx, id);
    });
  }

  async reconciled({ id, revision }: UnreconciledPrincipal): Promise<void> {
    await this.database.write((tx) =>
      tx.run('UPDATE principals SET unreconciled = NULL WHERE id = ? AND unreconciled = ?', [
        id,
        revision,
      ]),
    );
  }
}

/** The principal, locked, if it is of an organization that this authority administers. */
function* lockFor(tx: Tx, id: string, by: Authority): Work<PrincipalRow | undefined> {
  const row = yield* lockPrincipal(tx, storable(id));
  return row !== undefined && by.administers(row.organization) ? row : undefined;
}

/** Throws PERMISSION_DENIED for one that is not for this authority to give back or to delete. */
function* refuseBeyond(tx: Tx, row: PrincipalRow, by: Authority): Work<void> {
  if (row.disabledAt !== null && row.disabledByOperator && !by.isOfAll) {
    throw new HubError(
      'PERMISSION_DENIED',
      `An operator has disabled the principal ${row.id}: this needs a caller with the scope access.`,
      { refusal: { scope: 'access' } },
    );
  }
  by.refuse(yield* scopesHeld(tx, 'principal', row.id));
}

function principalsIn(count: number): string {
  return `SELECT ${PRINCIPAL.names} FROM principals WHERE id IN ${listOf(count)} ORDER BY id`;
}

function toStatus({
  organization,
  disabledAt,
  organizationDisabledAt,
  keylessSince,
  narrowSince,
  plainSince,
}: PrincipalRow): PrincipalStatus {
  return {
    organization,
    disabledAt: disabledAt ?? organizationDisabledAt,
    organizationDisabledAt,
    keylessSince,
    narrowSince,
    plainSince,
  };
}

function toIdentity(row: DatabaseRow): IdentityRecord | null {
  const { issuer, subject, last_seen_at: lastSeenAt } = row;
  if (typeof issuer !== 'string') return null;
  return {
    issuer,
    subject: subject as string,
    lastSeenAt: new Date(lastSeenAt as number),
  };
}

function toRecord(row: DatabaseRow): PrincipalRecord {
  const principal = PRINCIPAL.read(row);
  const { id, organization, displayName, groups, createdAt, builtIn, keylessSince } = principal;
  return {
    id,
    organization,
    displayName,
    name: nameIn(row),
    groups,
    createdAt,
    disabledAt: toDate(principal.disabledAt),
    disabledByOperator: principal.disabledAt !== null && principal.disabledByOperator,
    organizationDisabledAt: toDate(principal.organizationDisabledAt),
    keylessSince: toDate(keylessSince),
    validKeys: row['valid_keys'] as number,
    holdsA2a: row['holds_a2a'] === 1,
    builtIn,
    identity: toIdentity(row),
    status: toStatus(principal),
  };
}
