import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { Database } from '../../database/database.js';
import type { Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import { type ApiKey, ApiKeyStore } from '../api-key-store.js';
import type { Scope } from '../principal.js';
import { lockPrincipal, noteKeys, raiseRevision } from './principal-writes.js';

interface Row {
  readonly id: string;
  readonly principal_id: string;
  readonly organization: string;
  readonly name: string;
  readonly scopes: string;
  readonly hash: string;
  readonly created_at: number | string;
  readonly revoked_at: number | string | null;
}

const SELECT = `SELECT k.id, k.principal_id, p.organization, k.name, k.scopes, k.hash, k.created_at,
  k.revoked_at FROM api_keys k JOIN principals p ON p.id = k.principal_id`;

/** {@link ApiKeyStore} on the hub's database. */
@Injectable()
export class TypeormApiKeyStore extends ApiKeyStore {
  constructor(private readonly database: Database) {
    super();
  }

  async add(key: ApiKey): Promise<void> {
    const at = key.createdAt.getTime();
    await this.database.write(function* (tx) {
      yield* tx.run(
        `INSERT INTO principals (id, organization, built_in, created_at) VALUES (?, ?, 0, ?)
         ON CONFLICT (id) DO NOTHING`,
        [key.principalId, key.organization, at],
      );
      const principal = (yield* lockPrincipal(tx, key.principalId))!;
      if (principal.disabled_at !== null) {
        const text = `The principal ${key.principalId} is disabled: enable it before it gets a key.`;
        throw new HubError('CONFLICT', text);
      }
      yield* tx.run(
        `INSERT INTO api_keys (id, principal_id, name, scopes, hash, admin, created_at, revoked_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          key.id,
          key.principalId,
          key.name,
          JSON.stringify(key.scopes),
          key.hash,
          key.scopes.includes('admin') ? 1 : 0,
          at,
          key.revokedAt?.getTime() ?? null,
        ],
      );
      yield* noteKeys(tx, key.principalId, principal, at);
    });
    this.added();
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const rows = await this.database.read<Row>(`${SELECT} WHERE k.id = ?`, [id]);
    return rows.map((row) => this.toKey(row))[0];
  }

  async findValid(id: string): Promise<ApiKey | undefined> {
    const rows = await this.database.read<Row>(
      `${SELECT} WHERE k.id = ? AND k.revoked_at IS NULL AND p.disabled_at IS NULL`,
      [id],
    );
    return rows.map((row) => this.toKey(row))[0];
  }

  async organizationOf(principalId: string): Promise<string | undefined> {
    const sql = 'SELECT organization FROM principals WHERE id = ?';
    const rows = await this.database.read<Pick<Row, 'organization'>>(sql, [principalId]);
    return rows[0]?.organization;
  }

  async list(limit: number, cursor?: string): Promise<Page<ApiKey>> {
    const rows = await this.database.read<Row>(
      `${SELECT} ${cursor === undefined ? '' : 'WHERE k.id < ?'} ORDER BY k.id DESC LIMIT ?`,
      cursor === undefined ? [limit + 1] : [cursor, limit + 1],
    );
    const items = rows.slice(0, limit).map((row) => this.toKey(row));
    return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
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
      yield* noteKeys(tx, key.principal_id, principal, at.getTime());
      yield* raiseRevision(tx);
      return true;
    });
  }

  async adminKeySince(): Promise<Date | undefined> {
    const rows = await this.database.read<Pick<Row, 'created_at'>>(
      `SELECT k.created_at FROM api_keys k JOIN principals p ON p.id = k.principal_id
       WHERE k.admin = 1 AND k.revoked_at IS NULL AND p.disabled_at IS NULL
       ORDER BY k.created_at LIMIT 1`,
    );
    return rows[0] && new Date(Number(rows[0].created_at));
  }

  async hasSeveralOrganizations(): Promise<boolean> {
    const rows = await this.database.read(
      `SELECT DISTINCT p.organization FROM api_keys k JOIN principals p ON p.id = k.principal_id
       WHERE k.admin = 0 AND k.revoked_at IS NULL LIMIT 2`,
    );
    return rows.length > 1;
  }

  private toKey(row: Row): ApiKey {
    return {
      id: row.id,
      principalId: row.principal_id,
      organization: row.organization,
      name: row.name,
      scopes: JSON.parse(row.scopes) as Scope[],
      hash: row.hash,
      createdAt: new Date(Number(row.created_at)),
      revokedAt: row.revoked_at === null ? null : new Date(Number(row.revoked_at)),
    };
  }
}
