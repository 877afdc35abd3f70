import { forUpdate } from '../../../database/rows.js';
import { listOf } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { Conditions, DeadPiece } from '../../delivery/persistence/delete-deliveries.js';

/** A dead letter whose webhook can be told again. */
const LANE_IS_THERE = `EXISTS (SELECT 1 FROM push_lanes l
  WHERE l.id = push_deliveries.lane_id AND l.active <> 0)`;

interface DeadRow {
  readonly id: string;
  readonly lane_id: string;
}

/** Reopens the oldest dead letters behind `after` that fit. Lanes first, as everywhere. */
export function* reopenDead(
  tx: Tx,
  { sql, params }: Conditions,
  after: string,
  limit: number,
  now: Date,
): Work<DeadPiece> {
  const at = now.getTime();
  const letters = yield* tx.all<DeadRow>(
    `SELECT id, lane_id FROM push_deliveries WHERE ${sql} AND id > ? AND ${LANE_IS_THERE}
     ORDER BY id LIMIT ?`,
    [...params, after, limit],
  );
  const byLane = new Map<string, string[]>();
  for (const { id, lane_id } of letters) byLane.set(lane_id, [...(byLane.get(lane_id) ?? []), id]);
  let reopened = 0;
  for (const laneId of [...byLane.keys()].sort()) {
    const [lane] = yield* tx.all<{ active: number }>(
      `SELECT active FROM push_lanes WHERE id = ?${forUpdate(tx)}`,
      [laneId],
    );
    if (!lane || lane.active === 0) continue;
    const ids = byLane.get(laneId) ?? [];
    const count = yield* tx.run(
      `UPDATE push_deliveries SET state = 'pending', tries = 0, rejections = 0, redelivered = 1,
         reason = NULL, next_attempt_at = NULL, updated_at = ?
       WHERE id IN ${listOf(ids.length)} AND state = 'dead'`,
      [at, ...ids],
    );
    yield* addOpen(tx, laneId, count, at);
    reopened += count;
  }
  return { found: letters.length, done: reopened, last: letters.at(-1)?.id ?? null };
}

/**
 * Notes reopened deliveries on their locked lane, which is due with them unless it is paused. One that is
 * worked on is not taken from its owner, who goes on with them.
 */
export function* addOpen(tx: Tx, laneId: string, count: number, at: number): Work<void> {
  yield* tx.run(
    `UPDATE push_lanes SET open = open + ?,
       due_at = CASE WHEN active <> 1 THEN NULL WHEN lease_until IS NULL THEN CAST(? AS bigint)
         ELSE due_at END
     WHERE id = ?`,
    [count, at, laneId],
  );
}
