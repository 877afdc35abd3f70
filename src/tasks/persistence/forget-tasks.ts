import type { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { TaskState } from '../../protocol/a2a.js';
import type { AppendParticipant } from '../append-participant.js';
import type { ForgottenTasks, TaskCursor } from '../task-store.js';

/** Log entries deleted in one commit at most, unless a single task has more. */
const MAX_EVENTS = 20_000;

const ENDS = [
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
];

/** The tasks of one state that ended first: a piece of `tasks_state_idx`. */
const OF_ONE_STATE = `SELECT * FROM (SELECT id, status_at, seq FROM tasks
  WHERE state = ? AND status_at < ? AND (status_at, id) > (?, ?)
  ORDER BY status_at, id LIMIT ?) AS ended`;

const OLDEST = `${ENDS.map(() => OF_ONE_STATE).join(' UNION ALL ')}
  ORDER BY status_at, id LIMIT ?`;

interface EndedRow {
  readonly id: string;
  readonly status_at: number;
  readonly seq: number;
}

/** See `TaskStore.forgetTasks`. What is due is looked for first, so that nothing due costs no write. */
export async function forgetTasks(
  database: Database,
  participant: AppendParticipant,
  endedBefore: Date,
  limit: number,
  after: TaskCursor | null,
): Promise<ForgottenTasks> {
  const from: SqlValue[] = [after?.statusAt.getTime() ?? -1, after?.id ?? ''];
  const perState = ENDS.flatMap((state) => [state, endedBefore.getTime(), ...from, limit]);
  const oldest = await database.read<EndedRow>(OLDEST, [...perState, limit]);
  const piece = beginningOf(oldest);
  const last = piece.at(-1);
  if (last === undefined) return { taskIds: [], next: null };
  const ids = piece.map(({ id }) => id);
  return {
    taskIds: await database.write((tx) => deleteTasks(tx, ids, participant)),
    next:
      piece.length < oldest.length || oldest.length === limit
        ? { statusAt: new Date(Number(last.status_at)), id: last.id }
        : null,
  };
}

/** As many as one commit may take; at least one. */
function beginningOf(rows: readonly EndedRow[]): EndedRow[] {
  let events = 0;
  const end = rows.findIndex(({ seq }, index) => (events += seq) > MAX_EVENTS && index > 0);
  return end < 0 ? [...rows] : rows.slice(0, end);
}

/** Those that are deleted. Nothing changes a task that has ended, so it need not be looked at again. */
function* deleteTasks(
  tx: Tx,
  ids: readonly string[],
  participant: AppendParticipant,
): Work<string[]> {
  const locked = yield* lock(tx, ids);
  if (locked.length === 0) return [];
  const kept = new Set(yield* participant.forgetting(tx, locked));
  const gone = locked.filter((id) => !kept.has(id));
  for (const piece of pieces(gone)) {
    for (const table of ['delegations', 'task_checkpoints', 'task_events']) {
      yield* tx.run(`DELETE FROM ${table} WHERE task_id IN ${listOf(piece.length)}`, piece);
    }
    yield* tx.run(`DELETE FROM tasks WHERE id IN ${listOf(piece.length)}`, piece);
  }
  return gone;
}

/** Other processes may be at the same work, or add a webhook: theirs are left for the next time. */
function* lock(tx: Tx, ids: readonly string[]): Work<string[]> {
  if (tx.dialect === 'sqlite') return [...ids];
  const locked: string[] = [];
  for (const piece of pieces(ids)) {
    const rows = yield* tx.all<{ id: string }>(
      `SELECT id FROM tasks WHERE id IN ${listOf(piece.length)} FOR UPDATE SKIP LOCKED`,
      piece,
    );
    for (const { id } of rows) locked.push(id);
  }
  return locked;
}
