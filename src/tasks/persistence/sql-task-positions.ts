import { listOf, pieces } from '../../database/multi-row.js';
import { forUpdate } from '../../database/rows.js';
import type { Tx, Work } from '../../database/sql.js';
import { FIRST_MESSAGE_SEQ } from '../task.js';
import { type TaskPosition, TaskPositions } from '../store/task-positions.js';

/** {@link TaskPositions} on the hub's database. */
export class SqlTaskPositions extends TaskPositions {
  *lock(tx: Tx, taskId: string): Work<TaskPosition> {
    const [task] = yield* tx.all<{ seq: number; traceparent: string | null }>(
      `SELECT seq, traceparent FROM tasks WHERE id = ?${forUpdate(tx)}`,
      [taskId],
    );
    return task ?? { seq: FIRST_MESSAGE_SEQ, traceparent: undefined };
  }

  *lockSeqs(tx: Tx, taskIds: readonly string[]): Work<ReadonlyMap<string, number>> {
    const seqs = new Map<string, number>();
    for (const piece of pieces([...new Set(taskIds)].sort())) {
      const rows = yield* tx.all<{ id: string; seq: number }>(
        `SELECT id, seq FROM tasks WHERE id IN ${listOf(piece.length)} ORDER BY id${forUpdate(tx)}`,
        piece,
      );
      for (const { id, seq } of rows) seqs.set(id, seq);
    }
    return seqs;
  }

  *wantEveryEvent(tx: Tx, taskIds: readonly string[]): Work<void> {
    for (const piece of pieces([...new Set(taskIds)].sort())) {
      yield* tx.run(
        `UPDATE tasks SET every_event = 1 WHERE id IN ${listOf(piece.length)} AND every_event = 0`,
        piece,
      );
    }
  }

  *firstSeqSince(tx: Tx, taskId: string, since: Date, fromSeq = 1): Work<number | null> {
    const [row] = yield* tx.all<{ seq: number | null }>(
      'SELECT MIN(seq) AS seq FROM task_events WHERE task_id = ? AND seq >= ? AND at >= ?',
      [taskId, fromSeq, since.getTime()],
    );
    return row?.seq ?? null;
  }

  hasEntryBefore(taskId: string, seq: string): string {
    return `EXISTS (SELECT 1 FROM task_events e
      WHERE e.task_id = ${taskId} AND e.seq = ${seq} AND e.at < ?)`;
  }
}
