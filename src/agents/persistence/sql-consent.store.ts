import { Injectable } from '@nestjs/common';
import { type Visibility, visibleRows } from '../../auth/index.js';
import { pageOf } from '../../common/cursor.js';
import type { Page } from '../../common/page.js';
import { SecretBox, SecretLockedError } from '../../common/secret-box.js';
import { CommitUnknown } from '../../database/commit-unknown.js';
import { Database } from '../../database/database.js';
import { leaseBounds, unleased } from '../../database/leases.js';
import { forUpdate } from '../../database/rows.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import { storable } from '../../database/text.js';
import type { Consent, ConsentKey, ConsentRecord, ConsentTokens } from '../consents/consent.js';
import {
  type ConsentFilter,
  ConsentStore,
  type EndedConsent,
  type RemovedConsent,
} from '../consents/consent-store.js';
import { ConsentEntity } from './consent.entity.js';

const CONSENTS = new Table(ConsentEntity);
const CONSENT = CONSENTS.select();
const UPSERT = CONSENTS.upsert();
const ENABLED = 'p.disabled_at IS NULL AND p.organization_disabled_at IS NULL';
/** Its principal or that organization is, or the principal was deleted. */
const IS_DISABLED = `NOT EXISTS (SELECT 1 FROM principals p WHERE p.id = consents.principal_id
  AND ${ENABLED})`;

/** {@link ConsentStore} in the hub's database. */
@Injectable()
export class SqlConsentStore extends ConsentStore {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {
    super();
  }

  async of({ principalId, organization, agentId }: ConsentKey): Promise<Consent | undefined> {
    const [row] = await CONSENT.list(
      this.database,
      `WHERE principal_id = ? AND organization = ? AND agent_id = ? AND NOT ${IS_DISABLED}`,
      [principalId, organization, agentId],
    );
    return row && { ...recordOf(row), ...this.tokensOf(row) };
  }

  put(consent: Consent): Promise<boolean> {
    const row = { ...recordOf(consent), ...this.sealed(consent), renewingUntil: null };
    const stored = this.database.write(function* (tx): Work<boolean> {
      // Whoever disables or deletes it waits for this commit, and finds the consent then.
      const lock = tx.dialect === 'postgres' ? ' FOR SHARE' : '';
      const sql = `SELECT p.id FROM principals p WHERE p.id = ? AND ${ENABLED}${lock}`;
      if ((yield* tx.all(sql, [consent.principalId])).length === 0) return false;
      yield* UPSERT.one(tx, row);
      return true;
    });
    return this.foundOut(stored, consent.id, consent.tokenAt, consent.principalId);
  }

  async reserve(id: string, tokenAt: Date, until: Date, now: Date): Promise<boolean> {
    const sql = `UPDATE consents SET renewing_until = ? WHERE id = ? AND token_at = ?
      AND ${unleased('renewing_until')}`;
    const [at, end] = [now.getTime(), until.getTime()];
    const params = [end, id, tokenAt.getTime(), ...leaseBounds(at, end - at)];
    return (await this.database.write((tx) => tx.run(sql, params))) > 0;
  }

  async release(id: string, tokenAt: Date): Promise<void> {
    const sql = 'UPDATE consents SET renewing_until = NULL WHERE id = ? AND token_at = ?';
    await this.database.write((tx) => tx.run(sql, [id, tokenAt.getTime()]));
  }

  renew(id: string, tokenAt: Date, tokens: ConsentTokens, now: Date): Promise<boolean> {
    const { sealedAccessToken, sealedRefreshToken, usableUntil } = this.sealed(tokens);
    const sql = `UPDATE consents SET sealed_access_token = ?, sealed_refresh_token = ?,
      usable_until = ?, token_at = ?, renewing_until = NULL WHERE id = ? AND token_at = ?`;
    const params = [
      ...[sealedAccessToken, sealedRefreshToken, usableUntil.getTime(), now.getTime()],
      ...[id, tokenAt.getTime()],
    ];
    const stored = this.database.write((tx) => tx.run(sql, params)).then((rows) => rows > 0);
    return this.foundOut(stored, id, now);
  }

  *removeWith(tx: Tx, id: string, tokenAt: Date): Work<boolean> {
    const sql = 'DELETE FROM consents WHERE id = ? AND token_at = ?';
    return (yield* tx.run(sql, [id, tokenAt.getTime()])) > 0;
  }

  remove(id: string, visibility: Visibility): Promise<RemovedConsent | undefined> {
    return this.database.write((tx) => this.removeIn(tx, id, visibility));
  }

  *removeIn(tx: Tx, id: string, visibility: Visibility): Work<RemovedConsent | undefined> {
    const visible = visibleRows(visibility);
    const sql = `DELETE FROM consents WHERE id = ? AND ${visible.sql} RETURNING ${CONSENT.names}`;
    const rows = yield* tx.all<DatabaseRow>(sql, [storable(id), ...visible.params]);
    const [row] = rows.map(CONSENT.read);
    if (row === undefined) return undefined;
    try {
      return { ...recordOf(row), tokens: this.tokensOf(row) };
    } catch (error) {
      if (!(error instanceof SecretLockedError)) throw error;
      return { ...recordOf(row), tokens: null };
    }
  }

  async list(
    visibility: Visibility,
    { principal, agent }: ConsentFilter,
    limit: number,
    cursor = '',
  ): Promise<Page<ConsentRecord>> {
    const visible = visibleRows(visibility);
    const conditions = ['id > ?', visible.sql];
    const params: SqlValue[] = [storable(cursor), ...visible.params];
    const others = [
      ['principal_id', principal],
      ['agent_id', agent],
    ] as const;
    for (const [column, value] of others) {
      if (value === undefined) continue;
      conditions.push(`${column} = ?`);
      params.push(storable(value));
    }
    const found = await CONSENT.list(
      this.database,
      `WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT ?`,
      [...params, limit + 1],
    );
    return pageOf('consents', found.map(recordOf), limit, ({ id }) => id);
  }

  ended(limit: number): Promise<readonly EndedConsent[]> {
    return this.database.read<EndedConsent>(
      `SELECT id, CASE WHEN ${IS_DISABLED} THEN 'disabled-principal' ELSE 'deleted-agent' END AS cause
       FROM consents WHERE ${IS_DISABLED}
         OR NOT EXISTS (SELECT 1 FROM agents a WHERE a.id = consents.agent_id AND a.deleted_at IS NULL)
       ORDER BY id LIMIT ?`,
      [limit],
    );
  }

  /**
   * Where it is not known whether tokens were stored, whether they are there: once the commit under way has ended, which holds the
   * principal (of a new one) or the consent itself.
   */
  private async foundOut(
    stored: Promise<boolean>,
    id: string,
    tokenAt: Date,
    principalId?: string,
  ): Promise<boolean> {
    try {
      return await stored;
    } catch (error) {
      if (!(error instanceof CommitUnknown)) throw error;
      const found = this.database.write(function* (tx): Work<boolean> {
        const lock = forUpdate(tx);
        const sql = `SELECT id FROM principals WHERE id = ?${lock}`;
        if (principalId !== undefined) yield* tx.all(sql, [principalId]);
        const [row] = yield* CONSENT.all(tx, `WHERE id = ?${lock}`, [id]);
        return row?.tokenAt.getTime() === tokenAt.getTime();
      });
      const isThere = await found.catch(() => {
        throw error;
      });
      if (isThere) return true;
      throw error.cause;
    }
  }

  private sealed({
    accessToken,
    refreshToken,
    usableUntil,
  }: ConsentTokens): Pick<
    ConsentEntity,
    'sealedAccessToken' | 'sealedRefreshToken' | 'usableUntil'
  > {
    return {
      sealedAccessToken: this.secrets.seal(accessToken),
      sealedRefreshToken: refreshToken === null ? null : this.secrets.seal(refreshToken),
      usableUntil,
    };
  }

  private tokensOf(row: ConsentEntity): ConsentTokens {
    const { sealedAccessToken, sealedRefreshToken, usableUntil } = row;
    return {
      accessToken: this.secrets.open(sealedAccessToken),
      refreshToken: sealedRefreshToken === null ? null : this.secrets.open(sealedRefreshToken),
      usableUntil,
    };
  }
}

function recordOf(row: ConsentRecord): ConsentRecord {
  const { id, principalId, organization, agentId, client, server, scope } = row;
  const { createdAt, tokenAt } = row;
  return { id, principalId, organization, agentId, client, server, scope, createdAt, tokenAt };
}
