import { listOf, pieces } from '../../database/multi-row.js';
import { forUpdate } from '../../database/rows.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { Table } from '../../database/table.js';
import { DeletedLogEntity } from './deleted-log.entity.js';

/** Log entries and bytes of them that one commit deletes at most. */
export const MAX_EVENTS = 1000;
export const MAX_BYTES = 4 * 1024 * 1024;
/** Texts that are stored apart are in pieces of half a million characters. */
const TEXT_PIECES = 4;
const CHECKPOINTS = 4;

/** A task that has just been deleted. */
export interface DeletedTask {
  readonly id: string;
  /** Entries of its log. */
  readonly seq: number;
  readonly storedBytes: number;
  readonly organization: string;
  readonly principalId: string;
}

const INSERT = new Table(DeletedLogEntity).insert();

/** The tables with a task's log, which follow the task. */
const LOG_TABLES = ['task_checkpoints', 'task_events', 'task_texts'];

/**
 * Deletes the logs of tasks that are deleted in this transaction. SQLite works on the event loop, which would stand still
 * for a log of tens of MiB: such a one is only noted, and deleted by {@link deleteLogPiece}.
 */
export function* deleteLogs(tx: Tx, tasks: readonly DeletedTask[]): Work<void> {
  const large = tasks.filter(isLarge);
  yield* INSERT.apply(
    tx,
    large.map(({ id, seq, storedBytes, organization, principalId }) => ({
      ...{ taskId: id, organization, principalId },
      pieceRows: Math.max(1, Math.min(MAX_EVENTS, Math.floor((MAX_BYTES / storedBytes) * seq))),
    })),
  );
  for (const piece of pieces(tasks.filter((task) => !isLarge(task)))) {
    const ids = piece.map(({ id }) => id);
    for (const table of LOG_TABLES) {
      yield* tx.run(`DELETE FROM ${table} WHERE task_id IN ${listOf(ids.length)}`, ids);
    }
  }
}

/** Those of the ids whose tasks are deleted while their logs are not yet. */
export function* withDeletedLogs(tx: Tx, taskIds: readonly string[]): Work<Set<string>> {
  const found = new Set<string>();
  for (const piece of pieces(taskIds)) {
    const rows = yield* tx.all<{ task_id: string }>(
      `SELECT task_id FROM deleted_logs WHERE task_id IN ${listOf(piece.length)}`,
      piece,
    );
    for (const { task_id } of rows) found.add(task_id);
  }
  return found;
}

/** See `TaskStore.deleteLogPiece`. `of`: only of those rows of `deleted_logs`, with the values of the condition. */
export function* deleteLogPiece(
  tx: Tx,
  of = '1 = 1',
  params: readonly SqlValue[] = [],
): Work<boolean> {
  const [log] = yield* tx.all<{ task_id: string; piece_rows: number }>(
    `SELECT task_id, piece_rows FROM deleted_logs WHERE ${of}
     ORDER BY task_id LIMIT 1${forUpdate(tx, true)}`,
    params,
  );
  if (log === undefined) return false;
  const { task_id: id, piece_rows: rows } = log;
  if ((yield* deleteSome(tx, 'task_texts', ['text_id', 'piece'], id, TEXT_PIECES)) > 0) return true;
  if ((yield* deleteSome(tx, 'task_events', ['seq'], id, rows)) > 0) return true;
  if ((yield* deleteSome(tx, 'task_checkpoints', ['seq'], id, CHECKPOINTS)) > 0) return true;
  yield* tx.run('DELETE FROM deleted_logs WHERE task_id = ?', [id]);
  return true;
}

function* deleteSome(
  tx: Tx,
  table: string,
  key: readonly string[],
  taskId: string,
  limit: number,
): Work<number> {
  const columns = key.join(', ');
  return yield* tx.run(
    `DELETE FROM ${table} WHERE task_id = ? AND (${columns}) IN
       (SELECT ${columns} FROM ${table} WHERE task_id = ? ORDER BY ${columns} LIMIT ?)`,
    [taskId, taskId, limit],
  );
}

function isLarge({ seq, storedBytes }: DeletedTask): boolean {
  return seq > MAX_EVENTS || storedBytes > MAX_BYTES;
}
