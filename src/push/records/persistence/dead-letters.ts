import type { Condition } from '../../../database/conditions.js';
import { forUpdate } from '../../../database/rows.js';
import { listOf } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { REPLAYED } from '../../delivery/domain/dead-causes.js';
import { probeAtOnce } from '../../receivers/persistence/endpoint-rows.js';
import { withoutReasons } from '../../delivery/persistence/lost-letters.js';

/** A dead letter that can be redelivered, and that no replay sends again. */
export const CAN_BE_SENT = `${withoutReasons([REPLAYED])} AND EXISTS (SELECT 1 FROM push_delivery_streams s
  WHERE s.id = push_deliveries.stream_id AND s.active <> 0)`;

interface DeadRow {
  readonly id: string;
  readonly stream_id: string;
}

/** Reopens the dead letters that fit, where they can be sent; how many. Streams first, as everywhere. */
export function* reopenDead(tx: Tx, { sql, params }: Condition, now: Date): Work<number> {
  const at = now.getTime();
  const letters = yield* tx.all<DeadRow>(
    `SELECT id, stream_id FROM push_deliveries WHERE ${sql} AND ${CAN_BE_SENT} ORDER BY id`,
    params,
  );
  const byStream = new Map<string, string[]>();
  for (const { id, stream_id } of letters)
    byStream.set(stream_id, [...(byStream.get(stream_id) ?? []), id]);
  const endpoints: string[] = [];
  let reopened = 0;
  for (const streamId of [...byStream.keys()].sort()) {
    const [stream] = yield* tx.all<{ active: number; endpoint: string }>(
      `SELECT active, endpoint FROM push_delivery_streams WHERE id = ?${forUpdate(tx)}`,
      [streamId],
    );
    if (!stream || stream.active === 0) continue;
    const ids = byStream.get(streamId) ?? [];
    const count = yield* tx.run(
      `UPDATE push_deliveries SET state = 'pending', tries = 0, rejections = 0, redelivered = 1,
         reason = NULL, next_attempt_at = NULL, updated_at = ?
       WHERE id IN ${listOf(ids.length)} AND state = 'dead'`,
      [at, ...ids],
    );
    yield* addOpen(tx, streamId, count, at);
    if (stream.active === 1) endpoints.push(stream.endpoint);
    reopened += count;
  }
  yield* probeAtOnce(tx, endpoints, at);
  return reopened;
}

/**
 * Notes reopened deliveries on their locked delivery stream, which is due with them unless it is paused. One that is
 * worked on is not taken from its owner, who goes on with them.
 */
export function* addOpen(tx: Tx, streamId: string, count: number, at: number): Work<void> {
  yield* tx.run(
    `UPDATE push_delivery_streams SET open = open + ?,
       due_at = CASE WHEN active <> 1 THEN NULL WHEN lease_until IS NULL THEN CAST(? AS bigint)
         ELSE due_at END
     WHERE id = ?`,
    [count, at, streamId],
  );
}
