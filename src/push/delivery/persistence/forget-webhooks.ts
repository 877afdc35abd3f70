import { forUpdate } from '../../../database/rows.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { STREAM, type StreamRow } from './delivery-rows.js';

/**
 * Deletes the webhooks of these tasks with their streams, deliveries and attempts, in the transaction
 * that deletes the tasks; not of those with a stream that has something left to deliver, which it gives; with
 * `drops` of these too. Streams before deliveries before webhooks, as everywhere.
 */
export function* forgetWebhooks(
  tx: Tx,
  taskIds: readonly string[],
  drops = false,
): Work<readonly string[]> {
  if (taskIds.length === 0) return [];
  const waiting = yield* withPending(tx, taskIds);
  const pending = new Set(drops ? [] : waiting);
  for (const done of pieces(taskIds.filter((id) => !pending.has(id)))) yield* deleteAll(tx, done);
  return [...pending];
}

/**
 * An idle stream is not due, and not claimed. A paused one has what has gathered. All are locked by
 * one statement, in the order of their ids.
 */
function* withPending(tx: Tx, taskIds: readonly string[]): Work<string[]> {
  const streams = yield* STREAM.all(
    tx,
    `WHERE task_id IN ${listOf(taskIds.length)} ORDER BY id${forUpdate(tx)}`,
    taskIds,
  );
  return streams.filter(hasPending).map((row) => row.taskId);
}

function hasPending({ dueAt, open, active, headSeq, nextSeq }: StreamRow): boolean {
  return dueAt !== null || open > 0 || (active === 2 && headSeq >= nextSeq);
}

function* deleteAll(tx: Tx, taskIds: readonly string[]): Work<void> {
  const these = `task_id IN ${listOf(taskIds.length)}`;
  yield* tx.run(
    `DELETE FROM push_attempts WHERE delivery_id IN
       (SELECT id FROM push_deliveries WHERE ${these})`,
    taskIds,
  );
  yield* tx.run(`DELETE FROM push_delivery_streams WHERE ${these}`, taskIds);
  yield* tx.run(`DELETE FROM push_deliveries WHERE ${these}`, taskIds);
  yield* tx.run(`DELETE FROM push_webhooks WHERE ${these}`, taskIds);
}
