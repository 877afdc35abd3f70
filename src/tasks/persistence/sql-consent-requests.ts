import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ConsentKey } from '../../agents/index.js';
import { SecretBox } from '../../common/secret-box.js';
import { Database } from '../../database/database.js';
import { forUpdate } from '../../database/rows.js';
import type { Work } from '../../database/sql.js';
import { Table } from '../../database/table.js';
import {
  type BegunConsent,
  type ConsentRequest,
  ConsentRequests,
  type StartedConsent,
  type TakenConsent,
} from '../store/consent-requests.js';
import { ConsentRequestEntity } from './consent-request.entity.js';

const REQUESTS = new Table(ConsentRequestEntity);
const REQUEST = REQUESTS.select();
const UPSERT = REQUESTS.upsert();
const NOT_STARTED = {
  stateDigest: null,
  browserDigest: null,
  sealedVerifier: null,
  stateUntil: null,
  client: null,
};
const NEEDED_NO_MORE = `SELECT delegation_id FROM consent_requests
  WHERE NOT EXISTS (SELECT 1 FROM delegations d
    WHERE d.id = consent_requests.delegation_id AND d.state IN ('queued', 'sending', 'auth-required'))
  ORDER BY delegation_id LIMIT ?`;

/** {@link ConsentRequests} in the hub's database. */
@Injectable()
export class SqlConsentRequests extends ConsentRequests {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {
    super();
  }

  open(request: ConsentRequest, linkId: string, most: number, now: Date): Promise<boolean> {
    const row = { ...requestOf(request), ...NOT_STARTED, linkDigest: digest(linkId) };
    return this.database.write(function* (tx): Work<boolean> {
      const [others] = yield* tx.all<{ n: number | string }>(
        `SELECT COUNT(*) AS n FROM consent_requests
         WHERE principal_id = ? AND expires_at > ? AND delegation_id <> ?`,
        [request.principalId, now.getTime(), request.delegationId],
      );
      if (Number(others?.n) >= most) return false;
      yield* UPSERT.one(tx, row);
      return true;
    });
  }

  async of(linkId: string): Promise<ConsentRequest | undefined> {
    const [row] = await REQUEST.list(this.database, 'WHERE link_digest = ?', [digest(linkId)]);
    return row && requestOf(row);
  }

  start(
    linkId: string,
    { verifier, client }: BegunConsent,
    now: Date,
    until: Date,
  ): Promise<StartedConsent | undefined> {
    const { secrets } = this;
    return this.database.write(function* (tx): Work<StartedConsent | undefined> {
      const link = digest(linkId);
      const [row] = yield* REQUEST.all(tx, `WHERE link_digest = ?${forUpdate(tx)}`, [link]);
      if (row === undefined) return undefined;
      const { sealedVerifier, stateUntil } = row;
      const isRunning = row.client === client && stateUntil !== null && stateUntil > now;
      const started = startedWith(
        isRunning && sealedVerifier !== null ? secrets.open(sealedVerifier) : verifier,
      );
      yield* tx.run(
        `UPDATE consent_requests
         SET state_digest = ?, browser_digest = ?, sealed_verifier = ?, state_until = ?, client = ?
         WHERE link_digest = ?`,
        [
          ...[digest(started.state), digest(started.browser)],
          ...[secrets.seal(started.verifier), until.getTime(), client, link],
        ],
      );
      return started;
    });
  }

  async take(state: string, browser: string, now: Date): Promise<TakenConsent> {
    const { secrets } = this;
    const known = digest(state);
    // Anybody may ask with any state: only one that is known costs a write.
    if ((await REQUEST.list(this.database, 'WHERE state_digest = ?', [known])).length === 0) {
      return { kind: 'unknown' };
    }
    return this.database.write(function* (tx): Work<TakenConsent> {
      const [row] = yield* REQUEST.all(tx, `WHERE state_digest = ?${forUpdate(tx)}`, [known]);
      if (row === undefined) return { kind: 'unknown' };
      if (!isSame(row.browserDigest, digest(browser))) return { kind: 'other-browser' };
      yield* tx.run(
        `UPDATE consent_requests
         SET state_digest = NULL, browser_digest = NULL, sealed_verifier = NULL, state_until = NULL,
           client = NULL
         WHERE delegation_id = ?`,
        [row.delegationId],
      );
      const { sealedVerifier, stateUntil, client } = row;
      const isRunning = stateUntil !== null && stateUntil > now;
      if (!isRunning || sealedVerifier === null || client === null) return { kind: 'expired' };
      const verifier = secrets.open(sealedVerifier);
      return { kind: 'taken', request: requestOf(row), verifier, client };
    });
  }

  async waiting({
    principalId,
    organization,
    agentId,
  }: ConsentKey): Promise<readonly ConsentRequest[]> {
    const rows = await REQUEST.list(
      this.database,
      'WHERE principal_id = ? AND organization = ? AND agent_id = ?',
      [principalId, organization, agentId],
    );
    return rows.map(requestOf);
  }

  async close(delegationId: string): Promise<void> {
    const sql = 'DELETE FROM consent_requests WHERE delegation_id = ?';
    await this.database.write((tx) => tx.run(sql, [delegationId]));
  }

  async forget(limit: number): Promise<number> {
    // What is due is looked for first, so that nothing due costs no write.
    if ((await this.database.read(NEEDED_NO_MORE, [limit])).length === 0) return 0;
    const sql = `DELETE FROM consent_requests WHERE delegation_id IN (${NEEDED_NO_MORE})`;
    return this.database.write((tx) => tx.run(sql, [limit]));
  }
}

function requestOf(row: ConsentRequest): ConsentRequest {
  const { delegationId, taskId, principalId, organization, agentId, expiresAt } = row;
  return { delegationId, taskId, principalId, organization, agentId, expiresAt };
}

/** The same for all who open one link: what they get follows from the one secret that is kept. */
function startedWith(verifier: string): StartedConsent {
  const derived = (what: string): string =>
    createHmac('sha256', verifier).update(what).digest('base64url');
  return { state: derived('state'), browser: derived('browser'), verifier };
}

/** Of 256 random bits: nobody can guess what it is of. */
function digest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

function isSame(a: string | null, b: string): boolean {
  return a?.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
