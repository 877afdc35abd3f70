import { listOf, pieces } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import { forUpdate } from './push-rows.js';

/** See `LaneStore.forgetTasks`. Lanes before deliveries before configs, as everywhere. */
export function* forgetTasks(tx: Tx, taskIds: readonly string[]): Work<string[]> {
  const untold: string[] = [];
  for (const piece of pieces(taskIds)) {
    const kept = new Set(yield* withSomethingToTell(tx, piece));
    untold.push(...kept);
    for (const told of pieces(piece.filter((id) => !kept.has(id)))) yield* deleteAll(tx, told);
  }
  return untold;
}

/** A lane at rest is due no more, and nobody has it. */
function* withSomethingToTell(tx: Tx, taskIds: readonly string[]): Work<string[]> {
  const lanes = yield* tx.all<{ task_id: string; due_at: number | null; open: number }>(
    `SELECT task_id, due_at, open FROM push_lanes WHERE task_id IN ${listOf(taskIds.length)}
     ORDER BY id${forUpdate(tx)}`,
    taskIds,
  );
  return lanes.filter(({ due_at, open }) => due_at !== null || open > 0).map((row) => row.task_id);
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
  yield* tx.run(`DELETE FROM push_configs WHERE ${these}`, taskIds);
}
