import { firstIdAt } from '../../../common/ids.js';
import type { Condition } from '../../../database/conditions.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import { forUpdate } from '../../../database/rows.js';
import type { Tx, Work } from '../../../database/sql.js';

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
  return yield* deleteDeliveries(tx, old, limit);
}

/** Deletes those that fit, with their attempts: the `limit` oldest, or all; how many. */
export function* deleteDeliveries(
  tx: Tx,
  { sql, params }: Condition,
  limit?: number,
): Work<number> {
  // Locked, it is what it was found to be: whoever sends it again meanwhile keeps it.
  const letters = yield* tx.all<{ id: string }>(
    `SELECT id FROM push_deliveries WHERE ${sql} ORDER BY id
     ${limit === undefined ? '' : 'LIMIT ?'}${forUpdate(tx, true)}`,
    limit === undefined ? params : [...params, limit],
  );
  for (const piece of pieces(letters.map(({ id }) => id))) {
    const these = listOf(piece.length);
    yield* tx.run(`DELETE FROM push_attempts WHERE delivery_id IN ${these}`, piece);
    yield* tx.run(`DELETE FROM push_deliveries WHERE id IN ${these}`, piece);
  }
  return letters.length;
}
