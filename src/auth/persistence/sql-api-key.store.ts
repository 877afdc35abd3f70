import { Injectable } from '@nestjs/common';
import { HubError, invalidField } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import { storable } from '../../database/text.js';
import {
  type ApiKey,
  ApiKeyStore,
  endsAsReplaced,
  endsLater,
  isReplaced,
  type KeyAdmission,
  type KeyChanges,
  type KeyFault,
  type Keyless,
  type KeyFilter,
  type PresentedKey,
} from '../api-key-store.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { noteExpiredCredentials } from './expired-credentials.js';
import { admitOwn, admitPrincipal, organizationIsDisabled } from './organization-writes.js';
import { lockPrincipal, noteCredentials, type PrincipalRow, REVISION } from './principal-writes.js';

const KEYS = new Table(ApiKeyEntity);
const KEY = KEYS.selectBut('admin', 'expired');
const SELECT = `SELECT ${KEY.namesOf('k')}, p.organization, p.groups
  FROM api_keys k JOIN principals p ON p.id = k.principal_id`;
const INSERT = KEYS.insert();
const UPDATE = KEYS.update(['name', 'expiresAt', 'allowedNetworks', 'allowedOrigins']);

/** Uses that are written in one transaction. */
const KEYS_AT_ONCE = 100;

/** {@link ApiKeyStore} on the hub's database. */
@Injectable()
export class SqlApiKeyStore extends ApiKeyStore {
  constructor(private readonly database: Database) {
    super();
  }

  async add(key: ApiKey, admission: KeyAdmission = 'open'): Promise<void> {
    const at = key.createdAt.getTime();
    await this.database.write(function* (tx) {
      const wanted = { ...key, id: key.principalId };
      if (admission === 'own') yield* admitOwn(tx, wanted);
      else if (admission !== 'known') yield* admitPrincipal(tx, wanted, admission === 'listed');
      const principal = yield* lockPrincipal(tx, key.principalId);
      // It may have been deleted since it was looked for, and made anew for somebody else.
      const isOther = admission === 'known' && principal?.organization !== key.organization;
      if (principal === undefined || isOther) {
        throw invalidField('principal', 'names none that there is');
      }
      refuseDisabled(principal);
      yield* INSERT.one(tx, { ...key, admin: key.scopes.includes('admin'), expired: false });
      yield* noteCredentials(tx, key.principalId, principal, at);
    });
    this.added();
  }

  async replace(oldId: string, key: ApiKey, until: Date): Promise<boolean> {
    const at = key.createdAt.getTime();
    const isDone = await this.database.write(function* (tx): Work<boolean> {
      const principal = yield* lockPrincipal(tx, key.principalId);
      if (principal === undefined) return false;
      refuseDisabled(principal);
      const ended = yield* tx.run(
        `UPDATE api_keys SET expires_at = ? WHERE id = ? AND principal_id = ? AND revoked_at IS NULL
           AND expired = 0 AND (expires_at IS NULL OR expires_at > ?)`,
        [until.getTime(), oldId, key.principalId, until.getTime()],
      );
      if (ended === 0 && !(yield* isValid(tx, oldId, at))) return false;
      yield* refuseReplaced(tx, oldId, at);
      yield* tx.run('UPDATE api_keys SET replaced_by = ? WHERE id = ?', [key.id, oldId]);
      yield* INSERT.one(tx, { ...key, admin: key.scopes.includes('admin'), expired: false });
      yield* noteCredentials(tx, key.principalId, principal, at);
      yield* REVISION.raise(tx);
      return true;
    });
    if (isDone) this.added();
    return isDone;
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const rows = await this.database.read<DatabaseRow>(`${SELECT} WHERE k.id = ?`, [id]);
    return rows.map(toKey)[0];
  }

  async findPresented(id: string): Promise<PresentedKey | undefined> {
    const rows = await this.database.read<DatabaseRow>(
      `SELECT ${KEY.namesOf('k')}, p.organization, p.groups, p.disabled_at, p.organization_disabled_at
       FROM api_keys k JOIN principals p ON p.id = k.principal_id WHERE k.id = ?`,
      [id],
    );
    return rows.map((row) => ({ key: toKey(row), fault: faultOf(row) }))[0];
  }

  async organizationOf(principalId: string): Promise<string | undefined> {
    const sql = 'SELECT organization FROM principals WHERE id = ?';
    const rows = await this.database.read<{ organization: string }>(sql, [principalId]);
    return rows[0]?.organization;
  }

  async list(
    { organization, principal }: KeyFilter,
    limit: number,
    cursor?: string,
  ): Promise<Page<ApiKey>> {
    const given = [
      ['p.organization = ?', organization],
      ['k.principal_id = ?', storable(principal ?? null)],
      ['k.id < ?', cursor ?? null],
    ] as const;
    const conditions = given.filter(([, value]) => value !== null);
    const rows = await this.database.read<DatabaseRow>(
      `${SELECT} WHERE ${['1 = 1', ...conditions.map(([sql]) => sql)].join(' AND ')}
       ORDER BY k.id DESC LIMIT ?`,
      [...conditions.map(([, value]) => value), limit + 1],
    );
    const items = rows.slice(0, limit).map(toKey);
    return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  change(id: string, changes: KeyChanges, at: Date): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      const [key] = yield* tx.all<{ principal_id: string }>(
        'SELECT principal_id FROM api_keys WHERE id = ?',
        [storable(id)],
      );
      const principal = key && (yield* lockPrincipal(tx, key.principal_id));
      const [row] = yield* tx.all<DatabaseRow>(
        `SELECT ${KEY.names} FROM api_keys
         WHERE id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)
           AND expired = 0`,
        [storable(id), at.getTime()],
      );
      if (principal === undefined || row === undefined) return false;
      const before = KEY.read(row);
      const { name, expiresAt, allowedNetworks, allowedOrigins } = { ...before, ...changes };
      if (endsLater(expiresAt, before.expiresAt)) {
        const by = yield* validSuccessor(tx, before.id, at.getTime());
        if (by !== undefined) throw endsAsReplaced(before.id, by);
      }
      yield* UPDATE.apply(tx, [{ id, name, expiresAt, allowedNetworks, allowedOrigins }]);
      yield* REVISION.raise(tx);
      return true;
    });
  }

  revoke(id: string, at: Date): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      const [key] = yield* tx.all<{ principal_id: string }>(
        'SELECT principal_id FROM api_keys WHERE id = ?',
        [storable(id)],
      );
      if (key === undefined) return false;
      const principal = (yield* lockPrincipal(tx, key.principal_id))!;
      yield* tx.run('UPDATE api_keys SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?', [
        at.getTime(),
        id,
      ]);
      yield* noteCredentials(tx, key.principal_id, principal, at.getTime());
      yield* REVISION.raise(tx);
      return true;
    });
  }

  async adminKeySince(at: Date): Promise<Date | undefined> {
    const rows = await this.database.read<{ created_at: number }>(
      `SELECT k.created_at FROM api_keys k JOIN principals p ON p.id = k.principal_id
       WHERE k.admin = 1 AND k.revoked_at IS NULL AND p.disabled_at IS NULL
         AND p.organization_disabled_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?)
       ORDER BY k.created_at LIMIT 1`,
      [at.getTime()],
    );
    return rows[0] && new Date(rows[0].created_at);
  }

  async hasSeveralOrganizations(): Promise<boolean> {
    // From the newest principal of each organization on, to the first that has one.
    const rows = await this.database.read(
      `SELECT o.id FROM organizations o WHERE (
         SELECT p.id FROM principals p
         WHERE p.organization = o.id AND p.keyless_since IS NULL AND COALESCE(
           (SELECT k.id FROM api_keys k
            WHERE k.principal_id = p.id AND k.admin = 0 AND k.revoked_at IS NULL AND k.expired = 0 LIMIT 1),
           (SELECT i.id FROM identities i
            WHERE i.principal_id = p.id AND i.admin = 0 AND i.expired = 0 LIMIT 1)
         ) IS NOT NULL ORDER BY p.id DESC LIMIT 1) IS NOT NULL LIMIT 2`,
    );
    return rows.length > 1;
  }

  async markUsed(uses: ReadonlyMap<string, Date>): Promise<void> {
    // In one order, so that two processes never wait for each other.
    const sorted = [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
    for (let from = 0; from < sorted.length; from += KEYS_AT_ONCE) {
      const piece = sorted.slice(from, from + KEYS_AT_ONCE);
      await this.database.write(function* (tx): Work<void> {
        for (const [id, at] of piece) {
          yield* tx.run(
            `UPDATE api_keys SET last_used_at = ?
             WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)`,
            [at.getTime(), id, at.getTime()],
          );
        }
      });
    }
  }

  async noteExpired(at: Date, lost?: (keyless: Keyless) => void): Promise<void> {
    await noteExpiredCredentials(this.database, 'api_keys', at, lost);
  }

  async names(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const piece of pieces(ids)) {
      const rows = await this.database.read<{ id: string; name: string }>(
        `SELECT id, name FROM api_keys WHERE id IN ${listOf(piece.length)}`,
        piece,
      );
      for (const { id, name } of rows) found.set(id, name);
    }
    return found;
  }
}

/** Whether the key is valid at that time, its end a shorter one than it would get. */
function* isValid(tx: Tx, id: string, at: number): Work<boolean> {
  const rows = yield* tx.all(
    'SELECT id FROM api_keys WHERE id = ? AND revoked_at IS NULL AND expired = 0 AND expires_at > ?',
    [id, at],
  );
  return rows.length > 0;
}

/** Who rotates a key twice, since an answer was lost, would have two in its place, one of them seen by nobody. */
function* refuseReplaced(tx: Tx, id: string, at: number): Work<void> {
  const by = yield* validSuccessor(tx, id, at);
  if (by !== undefined) throw isReplaced(id, by);
}

/** The valid key that took the place of one, or of the one that did. */
function* validSuccessor(tx: Tx, id: string, at: number): Work<string | undefined> {
  const [successor] = yield* tx.all<{ id: string }>(
    `WITH RECURSIVE later (id) AS (
       SELECT replaced_by FROM api_keys WHERE id = ?
       UNION SELECT k.replaced_by FROM api_keys k JOIN later l ON k.id = l.id
         WHERE k.replaced_by IS NOT NULL
     )
     SELECT n.id FROM later JOIN api_keys n ON n.id = later.id
     WHERE n.revoked_at IS NULL AND n.expired = 0 AND (n.expires_at IS NULL OR n.expires_at > ?)
     ORDER BY n.id DESC LIMIT 1`,
    [id, at],
  );
  return successor?.id;
}

function refuseDisabled({
  id,
  organization,
  disabledAt,
  organizationDisabledAt,
}: PrincipalRow): void {
  if (organizationDisabledAt !== null) throw organizationIsDisabled(organization);
  if (disabledAt === null) return;
  const text = `The principal ${id} is disabled: enable it before it gets a key.`;
  throw new HubError('CONFLICT', text);
}

function faultOf(row: DatabaseRow): KeyFault | null {
  if (row['revoked_at'] !== null) return 'revoked-key';
  if (row['disabled_at'] !== null) return 'disabled-principal';
  return row['organization_disabled_at'] === null ? null : 'disabled-organization';
}

function toKey(row: DatabaseRow): ApiKey {
  const key = KEY.read(row);
  const groups = JSON.parse(row['groups'] as string) as string[];
  return { ...key, organization: row['organization'] as string, groups };
}
