import { Injectable } from '@nestjs/common';
import { PrincipalStore } from '../../../auth/index.js';
import { HubError } from '../../../common/hub-error.js';
import { forUpdate } from '../../../database/rows.js';
import { Database } from '../../../database/database.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { type HandedOver, OwnedWebhookStore } from '../owned-webhook-store.js';
import { rescheduleStreams } from '../../delivery/persistence/reschedule-streams.js';
import { REVISION } from '../../registration/persistence/webhook-revision.js';
import { DELETED } from '../../registration/persistence/webhook-rows.js';

/** Webhooks that change hands in one transaction. */
const PIECE = 256;

/** Of a webhook `w`: whose it is, and that it is not paused by hand. */
const SET_BY = 'COALESCE(w.set_by, w.principal_id)';
const NOT_PAUSED = `w.state IN ('active', 'failing')`;

/** Those that principal `?` has on its own tasks, and on those of others. */
const OWN = `scope = 'task' AND principal_id = ? AND set_by IS NULL`;
const ON_OTHERS = 'set_by = ?';

/** {@link OwnedWebhookStore} on the hub's database. */
@Injectable()
export class SqlOwnedWebhookStore extends OwnedWebhookStore {
  constructor(
    private readonly database: Database,
    private readonly principals: PrincipalStore,
  ) {
    super();
  }

  async halt(principalId: string, now: Date): Promise<void> {
    await this.database.write(function* (tx) {
      // Only what is leased: as many as workers have in hand.
      const streams = yield* tx.all<{ id: string }>(
        `SELECT s.id FROM push_delivery_streams s JOIN push_webhooks w ON w.id = s.webhook_uid
         WHERE s.lease_until > 0 AND s.active = 1 AND ${SET_BY} = ?`,
        [principalId],
      );
      // Sorted here: an order by id would have SQLite walk past all delivery streams.
      for (const piece of pieces(streams.map(({ id }) => id).sort())) {
        const locked = yield* tx.all<{ id: string }>(
          `SELECT id FROM push_delivery_streams WHERE id IN ${listOf(piece.length)} AND active = 1
           ORDER BY id${forUpdate(tx)}`,
          piece,
        );
        for (const some of pieces(locked.map(({ id }) => id))) {
          yield* tx.run(
            `UPDATE push_delivery_streams SET active = 2, due_at = NULL, updated_at = ?
             WHERE id IN ${listOf(some.length)}`,
            [now.getTime(), ...some],
          );
        }
      }
    });
  }

  async resume(
    principalId: string,
    cursor: string | null,
    limit: number,
    now: Date,
  ): Promise<string | null> {
    const rows = await this.database.read<{ id: string }>(
      `SELECT s.id FROM push_delivery_streams s JOIN push_webhooks w ON w.id = s.webhook_uid
       WHERE s.active = 2 AND s.id > ? AND ${SET_BY} = ? AND ${NOT_PAUSED}
       ORDER BY s.id LIMIT ?`,
      [cursor ?? '', principalId, limit],
    );
    for (const piece of pieces(rows.map(({ id }) => id))) {
      await this.database.write((tx) => resumeStreams(tx, principalId, piece, now));
    }
    return rows.length < limit ? null : rows.at(-1)!.id;
  }

  async handOver(from: string, to: string, now: Date): Promise<HandedOver> {
    const { principals } = this;
    const subscriptions = await this.database.write(function* (tx): Work<number> {
      yield* REVISION.raise(tx);
      yield* refuseUnfit(tx, principals, from, to);
      return yield* tx.run(
        `UPDATE push_webhooks SET principal_id = ?, updated_at = ?
         WHERE principal_id = ? AND scope <> 'task' AND state <> '${DELETED}'`,
        [to, now.getTime(), from],
      );
    });
    const own = await this.handOverOfTasks('principal_id', OWN, from, to, now);
    const onOthers = await this.handOverOfTasks('set_by', ON_OTHERS, from, to, now);
    return { subscriptions, webhooks: own + onOthers };
  }

  /** Those of a condition, piece by piece; how many. */
  private async handOverOfTasks(
    column: 'principal_id' | 'set_by',
    condition: string,
    from: string,
    to: string,
    now: Date,
  ): Promise<number> {
    const { principals } = this;
    let moved = 0;
    for (let last = PIECE; last === PIECE; moved += last) {
      last = await this.database.write(function* (tx): Work<number> {
        yield* refuseUnfit(tx, principals, from, to);
        return yield* tx.run(
          `UPDATE push_webhooks SET ${column} = ?, updated_at = ? WHERE id IN
             (SELECT id FROM push_webhooks WHERE ${condition} ORDER BY id
              LIMIT ${PIECE}${forUpdate(tx)})`,
          [to, now.getTime(), from],
        );
      });
    }
    return moved;
  }
}

/** Streams that were held back, locked before their webhooks are looked at, as everywhere. */
function* resumeStreams(
  tx: Tx,
  principalId: string,
  ids: readonly string[],
  now: Date,
): Work<void> {
  const locked = yield* tx.all<{ id: string; webhook_uid: string }>(
    `SELECT id, webhook_uid FROM push_delivery_streams WHERE id IN ${listOf(ids.length)} AND active = 2
     ORDER BY id${forUpdate(tx)}`,
    ids,
  );
  for (const piece of pieces(locked)) {
    const webhookIds = piece.map((row) => row.webhook_uid);
    const mine = yield* tx.all<{ id: string }>(
      `SELECT w.id FROM push_webhooks w
       WHERE w.id IN ${listOf(webhookIds.length)} AND ${SET_BY} = ? AND ${NOT_PAUSED}`,
      [...webhookIds, principalId],
    );
    const wanted = new Set(mine.map(({ id }) => id));
    const streams = piece.filter((row) => wanted.has(row.webhook_uid)).map(({ id }) => id);
    yield* rescheduleStreams(tx, streams, now, { active: 1 });
  }
}

/** Throws CONFLICT when `to` cannot have what `from` has; neither changes until the transaction ends. */
function* refuseUnfit(tx: Tx, principals: PrincipalStore, from: string, to: string): Work<void> {
  const statuses = yield* principals.statusesIn(tx, [from, to]);
  const [giver, status] = [statuses.get(from), statuses.get(to)];
  if (status === undefined) throw unfit(to, 'does not exist');
  if (status.disabledAt !== null) throw unfit(to, 'is disabled: enable it first');
  if (status.keylessSince !== null) throw unfit(to, 'has no valid key: make one first');
  if (giver?.organization !== status.organization) {
    throw unfit(to, 'is of another organization: name one of the same');
  }
  const [wider] = yield* tx.all(
    `SELECT 1 AS found FROM push_webhooks WHERE ${OWN}
     UNION ALL SELECT 1 AS found FROM push_webhooks WHERE ${ON_OTHERS}
     UNION ALL SELECT 1 AS found FROM push_webhooks
       WHERE principal_id = ? AND scope <> 'task' AND state <> '${DELETED}'
         AND (scope = 'organization'
           OR EXISTS (SELECT 1 FROM push_delivery_streams s WHERE s.webhook_uid = push_webhooks.id))
     LIMIT 1`,
    [from, from, from],
  );
  if (wider !== undefined && status.narrowSince !== null) {
    throw unfit(
      to,
      `sees only its own tasks, and there are webhooks for tasks of others: give it a key with the scope tasks:organization, or give its holder a key of ${from} instead`,
    );
  }
  const [foreign] = yield* tx.all(
    `SELECT 1 AS found FROM push_webhooks
     WHERE principal_id = ? AND scope <> 'task' AND organization <> ? AND state <> '${DELETED}'
     UNION ALL SELECT 1 AS found FROM push_webhooks WHERE ${ON_OTHERS} AND organization <> ?
     LIMIT 1`,
    [from, status.organization, from, status.organization],
  );
  if (foreign !== undefined && status.plainSince !== null) {
    throw unfit(
      to,
      'has no key with the scope push:all, and there are subscriptions or webhooks for other organizations',
    );
  }
}

function unfit(to: string, why: string): HubError {
  return new HubError('CONFLICT', `The principal ${to} ${why}.`);
}
