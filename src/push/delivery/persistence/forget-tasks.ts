import { forUpdate } from '../../../database/rows.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { LaneRow } from './delivery-rows.js';

/** See `LaneStore.forgetTasks`. Lanes before deliveries before webhooks, as everywhere. */
export function* forgetTasks(tx: Tx, taskIds: readonly string[], drops: boolean): Work<string[]> {
  if (taskIds.length === 0) return [];
  const waiting = yield* withSomethingToTell(tx, taskIds);
  const untold = new Set(drops ? [] : waiting);
  for (const told of pieces(taskIds.filter((id) => !untold.has(id)))) yield* deleteAll(tx, told);
  return [...untold];
}

/**
 * A lane at rest is due no more, and nobody has it. A paused one has what has gathered. All are locked by
 * one statement, in the order of their ids.
 */
function* withSomethingToTell(tx: Tx, taskIds: readonly string[]): Work<string[]> {
  const lanes = yield* tx.all<LaneRow>(
    `SELECT * FROM push_lanes WHERE task_id IN ${listOf(taskIds.length)} ORDER BY id${forUpdate(tx)}`,
    taskIds,
  );
  return lanes.filter(hasSomethingToTell).map((row) => row.task_id);
}

function hasSomethingToTell({ due_at, open, active, head_seq, next_seq }: LaneRow): boolean {
  return due_at !== null || open > 0 || (active === 2 && head_seq >= next_seq);
}

function* deleteAll(tx: Tx, taskIds: readonly string[]): Work<void> {
  const these = `task_id IN ${listOf(taskIds.length)}`;
  yield* tx.run(
    `DELETE FROM push_attempts WHERE delivery_id IN
       (SELECT id FROM push_deliveries WHERE ${these})`,
    taskIds,
  );
  yield* tx.run(`DELETE FROM push_lanes WHERE ${these}`, taskIds);
  yield* tx.run(`DELETE FROM push_deliveries WHERE ${these}`, taskIds);
  yield* tx.run(`DELETE FROM push_webhooks WHERE ${these}`, taskIds);
}
