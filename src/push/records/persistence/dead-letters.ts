import { firstIdAt } from '../../../common/ids.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { Conditions } from './delivery-filter.js';
import { forUpdate } from '../../delivery/persistence/delivery-rows.js';

/** A dead letter whose webhook can be told again. */
const LANE_IS_THERE = `EXISTS (SELECT 1 FROM push_lanes l
  WHERE l.id = push_deliveries.lane_id AND l.active <> 0)`;

/** One step through dead letters, the oldest first. */
export interface DeadPiece {
  /** How many fitted; less than were asked for: there are no more. */
  readonly found: number;
  /** How many of them it could be done with. */
  readonly done: number;
  /** The id of the last that was found. */
  readonly last: string | null;
}

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

/**
 * Deletes what ended so before this time, with the attempts; at most `limit`, the oldest first; how many.
 * Ids begin with the time they were made at, so what was made later is not even looked at: the cost does
 * not grow with what is kept. What an id from a clock that was ahead makes late goes when its time comes.
 */
export function* deleteOld(
  tx: Tx,
  state: 'delivered' | 'dead',
  before: Date,
  limit: number,
): Work<number> {
  const sql = `state = '${state}' AND id < ? AND updated_at < ?`;
  const old = { sql, params: [firstIdAt(before), before.getTime()] };
  return (yield* deleteDead(tx, old, '', limit)).done;
}

/** Deletes the oldest dead letters behind `after` that fit, with their attempts. */
export function* deleteDead(
  tx: Tx,
  { sql, params }: Conditions,
  after: string,
  limit: number,
): Work<DeadPiece> {
  // Locked, it is what it was found to be: whoever sends it again meanwhile keeps it.
  const letters = yield* tx.all<{ id: string }>(
    `SELECT id FROM push_deliveries WHERE ${sql} AND id > ?
     ORDER BY id LIMIT ?${forUpdate(tx, true)}`,
    [...params, after, limit],
  );
  for (const piece of pieces(letters.map(({ id }) => id))) {
    const these = listOf(piece.length);
    yield* tx.run(`DELETE FROM push_attempts WHERE delivery_id IN ${these}`, piece);
    yield* tx.run(`DELETE FROM push_deliveries WHERE id IN ${these}`, piece);
  }
  const { length } = letters;
  return { found: length, done: length, last: letters.at(-1)?.id ?? null };
}
