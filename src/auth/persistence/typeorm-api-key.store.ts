import { Injectable } from '@nestjs/common';
import type { Page } from '../../common/page.js';
import { Database } from '../../database/database.js';
import { type ApiKey, ApiKeyStore } from '../api-key-store.js';
import type { Scope } from '../principal.js';

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
    await this.database.write(function* (tx) {
      yield* tx.run(
        `INSERT INTO principals (id, organization, created_at) VALUES (?, ?, ?)
         ON CONFLICT (id) DO NOTHING`,
        [key.principalId, key.organization, key.createdAt.getTime()],
      );
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
          key.createdAt.getTime(),
          key.revokedAt?.getTime() ?? null,
        ],
      );
    });
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const rows = await this.database.read<Row>(`${SELECT} WHERE k.id = ?`, [id]);
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

  async revoke(id: string, at: Date): Promise<boolean> {
    const changes = await this.database.write((tx) =>
      tx.run('UPDATE api_keys SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?', [
        at.getTime(),
        id,
      ]),
    );
    return changes > 0;
  }

  async hasAdminKey(): Promise<boolean> {
    const sql = 'SELECT 1 AS found FROM api_keys WHERE admin = 1 AND revoked_at IS NULL LIMIT 1';
    return (await this.database.read(sql)).length > 0;
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
