import { Injectable } from '@nestjs/common';
import { SecretBox, SecretLockedError } from '../../common/secret-box.js';
import { CommitUnknown } from '../../database/commit-unknown.js';
import { Database } from '../../database/database.js';
import { leaseBounds, unleased } from '../../database/leases.js';
import { forUpdate } from '../../database/rows.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import { hashOf } from '../credential.js';
import type { Session, SessionBounds, SessionRecord, SessionTokens } from '../sessions/session.js';
import { type SessionEnd, SessionStore } from '../sessions/session-store.js';
import { SessionEntity } from './session.entity.js';

const SESSIONS = new Table(SessionEntity);
const SESSION = SESSIONS.select();
const INSERT = SESSIONS.insert();
const IS_GOOD = 'expires_at > ? AND used_at > ?';
const ENABLED = 'p.disabled_at IS NULL AND p.organization_disabled_at IS NULL';

/** {@link SessionStore} in the hub's database. */
@Injectable()
export class SqlSessionStore extends SessionStore {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {
    super();
  }

  *begin(
    tx: Tx,
    session: Session,
    secret: string,
    { ofPrincipal, inAll }: SessionBounds,
  ): Work<'begun' | 'disabled' | 'too-many'> {
    const { principalId } = session;
    // Whoever disables or deletes it waits for this commit; sessions that begin at the same time count each other.
    const lock = tx.dialect === 'postgres' ? ' FOR UPDATE' : '';
    const principal = `SELECT p.id FROM principals p WHERE p.id = ? AND ${ENABLED}${lock}`;
    if ((yield* tx.all(principal, [principalId])).length === 0) return 'disabled';
    yield* tx.run(
      `DELETE FROM console_sessions WHERE id IN (SELECT id FROM console_sessions
         WHERE principal_id = ? ORDER BY used_at DESC, id DESC LIMIT ? OFFSET ?)`,
      [principalId, inAll, ofPrincipal - 1],
    );
    const [row] = yield* tx.all<{ n: number | string }>(
      'SELECT count(*) AS n FROM console_sessions',
      [],
    );
    if (Number(row!.n) >= inAll) return 'too-many';
    const sealed = this.sealed(session);
    yield* INSERT.one(tx, {
      ...recordOf(session),
      ...sealed,
      secretHash: hashOf(secret),
      renewingUntil: null,
    });
    return 'begun';
  }

  async of(secret: string, { now, idleSince }: SessionEnd): Promise<Session | undefined> {
    const [row] = await SESSION.list(this.database, `WHERE secret_hash = ? AND ${IS_GOOD}`, [
      ...[hashOf(secret), now.getTime(), idleSince.getTime()],
    ]);
    return row && { ...recordOf(row), ...this.tokensOf(row) };
  }

  async used(id: string, at: Date): Promise<void> {
    const sql = 'UPDATE console_sessions SET used_at = ? WHERE id = ? AND used_at < ?';
    await this.database.write((tx) => tx.run(sql, [at.getTime(), id, at.getTime()]));
  }

  async reserve(id: string, tokenAt: Date, until: Date, now: Date): Promise<boolean> {
    const sql = `UPDATE console_sessions SET renewing_until = ? WHERE id = ? AND token_at = ?
      AND ${unleased('renewing_until')}`;
    const [at, end] = [now.getTime(), until.getTime()];
    const params = [end, id, tokenAt.getTime(), ...leaseBounds(at, end - at)];
    return (await this.database.write((tx) => tx.run(sql, params))) > 0;
  }

  async release(id: string, tokenAt: Date): Promise<void> {
    const sql = 'UPDATE console_sessions SET renewing_until = NULL WHERE id = ? AND token_at = ?';
    await this.database.write((tx) => tx.run(sql, [id, tokenAt.getTime()]));
  }

  renew(id: string, tokenAt: Date, tokens: SessionTokens, now: Date): Promise<boolean> {
    const { sealedAccessToken, sealedRefreshToken, sealedIdToken, usableUntil } =
      this.sealed(tokens);
    const sql = `UPDATE console_sessions SET sealed_access_token = ?, sealed_refresh_token = ?,
      sealed_id_token = ?, usable_until = ?, token_at = ?, renewing_until = NULL
      WHERE id = ? AND token_at = ?`;
    const params: SqlValue[] = [
      ...[sealedAccessToken, sealedRefreshToken, sealedIdToken, usableUntil.getTime()],
      ...[now.getTime(), id, tokenAt.getTime()],
    ];
    const stored = this.database.write((tx) => tx.run(sql, params)).then((rows) => rows > 0);
    return this.foundOut(stored, id, now);
  }

  *end(tx: Tx, secret: string): Work<(SessionRecord & Partial<SessionTokens>) | undefined> {
    const sql = `DELETE FROM console_sessions WHERE secret_hash = ? RETURNING ${SESSION.names}`;
    const [row] = (yield* tx.all<DatabaseRow>(sql, [hashOf(secret)])).map(SESSION.read);
    if (row === undefined) return undefined;
    try {
      return { ...recordOf(row), ...this.tokensOf(row) };
    } catch (error) {
      if (!(error instanceof SecretLockedError)) throw error;
      return recordOf(row);
    }
  }

  *remove(tx: Tx, id: string, tokenAt: Date): Work<boolean> {
    const sql = 'DELETE FROM console_sessions WHERE id = ? AND token_at = ?';
    return (yield* tx.run(sql, [id, tokenAt.getTime()])) > 0;
  }

  sweep({ now, idleSince }: SessionEnd, limit: number): Promise<number> {
    const isOver = `NOT (${IS_GOOD}) OR NOT EXISTS
      (SELECT 1 FROM principals p WHERE p.id = console_sessions.principal_id AND ${ENABLED})`;
    return this.database.write((tx) =>
      tx.run(
        `DELETE FROM console_sessions WHERE id IN
           (SELECT id FROM console_sessions WHERE ${isOver} LIMIT ?${forUpdate(tx, true)})`,
        [now.getTime(), idleSince.getTime(), limit],
      ),
    );
  }

  /** Where it is not known whether tokens were stored, whether they are there: once the commit under way has ended, which holds the session. */
  private async foundOut(stored: Promise<boolean>, id: string, tokenAt: Date): Promise<boolean> {
    try {
      return await stored;
    } catch (error) {
      if (!(error instanceof CommitUnknown)) throw error;
      const found = this.database.write(function* (tx): Work<boolean> {
        const [row] = yield* SESSION.all(tx, `WHERE id = ?${forUpdate(tx)}`, [id]);
        return row?.tokenAt.getTime() === tokenAt.getTime();
      });
      const isThere = await found.catch(() => {
        throw error;
      });
      if (isThere) return true;
      throw error.cause;
    }
  }

  private sealed(
    tokens: SessionTokens,
  ): Pick<
    SessionEntity,
    'sealedAccessToken' | 'sealedRefreshToken' | 'sealedIdToken' | 'usableUntil'
  > {
    const { accessToken, refreshToken, idToken, usableUntil } = tokens;
    return {
      sealedAccessToken: this.secrets.seal(accessToken),
      sealedRefreshToken: refreshToken === null ? null : this.secrets.seal(refreshToken),
      sealedIdToken: idToken === null ? null : this.secrets.seal(idToken),
      usableUntil,
    };
  }

  private tokensOf(row: SessionEntity): SessionTokens {
    const { sealedAccessToken, sealedRefreshToken, sealedIdToken, usableUntil } = row;
    return {
      accessToken: this.secrets.open(sealedAccessToken),
      refreshToken: sealedRefreshToken === null ? null : this.secrets.open(sealedRefreshToken),
      idToken: sealedIdToken === null ? null : this.secrets.open(sealedIdToken),
      usableUntil,
    };
  }
}

function recordOf(row: SessionRecord): SessionRecord {
  const { id, principalId, organization, issuerId, createdAt, expiresAt, usedAt, tokenAt } = row;
  return { id, principalId, organization, issuerId, createdAt, expiresAt, usedAt, tokenAt };
}
