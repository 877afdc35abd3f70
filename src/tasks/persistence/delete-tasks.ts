import type { PieceSize } from '../../common/piece-size.js';
import type { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import { forUpdate } from '../../database/rows.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { timed } from '../../database/timed.js';
import type { TaskState } from '../../protocol/a2a.js';
import { isTerminal, TERMINAL_STATES } from '../../protocol/task-state.js';
import type { AppendParticipant } from '../store/append-participant.js';
import type { EndedTaskNotes } from './ended-tasks.js';
import { deleteLogs, MAX_BYTES, MAX_EVENTS } from './deleted-logs.js';
import type { UsageStore } from '../store/usage-store.js';
import { sumUsage, type OwnedUsageChange } from '../store/usage.js';
import type { DeleteResult, ForgottenTasks, TaskCursor } from '../store/task-store.js';

/** The tasks of one state that ended first: a piece of `tasks_state_idx`. */
const OF_ONE_STATE = `SELECT * FROM (SELECT id, status_at, seq, stored_bytes FROM tasks
  WHERE state = ? AND status_at < ? AND (status_at, id) > (?, ?)
  ORDER BY status_at, id LIMIT ?) AS ended`;

const OLDEST = `${TERMINAL_STATES.map(() => OF_ONE_STATE).join(' UNION ALL ')}
  ORDER BY status_at, id LIMIT ?`;

/** What the deletion of tasks needs. */
export interface Deletion {
  readonly participant: AppendParticipant;
  readonly usage: UsageStore;
  readonly ended: EndedTaskNotes;
  readonly now: Date;
}

/** That of tasks that are kept no longer, in pieces. */
interface Retention extends Deletion {
  readonly size: PieceSize;
}

interface FreedRow {
  readonly id: string;
  readonly seq: number;
  readonly organization: string;
  readonly principal_id: string;
  readonly state: TaskState;
  readonly stored_bytes: number;
}

interface EndedRow {
  readonly id: string;
  readonly status_at: number;
  readonly seq: number;
  readonly stored_bytes: number;
}

/** See `TaskStore.forgetTasks`. What is due is looked for first, so that nothing due costs no write. */
export async function forgetTasks(
  database: Database,
  deletion: Retention,
  endedBefore: Date,
  limit: number,
  after: TaskCursor | null,
): Promise<ForgottenTasks & { readonly used: readonly OwnedUsageChange[] }> {
  const from: SqlValue[] = [after?.statusAt.getTime() ?? -1, after?.id ?? ''];
  const perState = TERMINAL_STATES.flatMap((state) => [
    state,
    endedBefore.getTime(),
    ...from,
    limit,
  ]);
  const oldest = await database.read<EndedRow>(OLDEST, [...perState, limit]);
  const piece = beginningOf(oldest);
  const last = piece.at(-1);
  if (last === undefined) return { taskIds: [], next: null, used: [] };
  const ids = piece.map(({ id }) => id);
  return {
    ...(await database.write((tx) => timed(tx, deletion.size, deleteTasks(tx, ids, deletion)))),
    next:
      piece.length < oldest.length || oldest.length === limit
        ? { statusAt: new Date(last.status_at), id: last.id }
        : null,
  };
}

/** As many as one commit may take; at least one. Of a large one the log goes by itself. */
function beginningOf(rows: readonly EndedRow[]): EndedRow[] {
  let events = 0;
  let bytes = 0;
  const end = rows.findIndex(({ seq, stored_bytes }, index) => {
    events += seq;
    bytes += stored_bytes;
    return (events > MAX_EVENTS || bytes > MAX_BYTES) && index > 0;
  });
  return end < 0 ? [...rows] : rows.slice(0, end);
}

/** See `TaskStore.deleteTask`. */
export async function deleteTask(
  database: Database,
  deletion: Deletion,
  id: string,
  drops: boolean,
): Promise<{ result: DeleteResult; used: readonly OwnedUsageChange[] }> {
  return database.write(function* (tx): Work<{
    result: DeleteResult;
    used: readonly OwnedUsageChange[];
  }> {
    const [task] = yield* tx.all<{ state: number }>(
      `SELECT state FROM tasks WHERE id = ?${forUpdate(tx)}`,
      [id],
    );
    if (task === undefined) return { result: 'unknown', used: [] };
    if (!isTerminal(task.state)) return { result: 'open', used: [] };
    if ((yield* deletion.ended.unrecorded(tx, [id])).length > 0) {
      return { result: 'unrecorded', used: [] };
    }
    if (!drops && (yield* hasPendingCancel(tx, id))) return { result: 'agents', used: [] };
    const { taskIds, used } = yield* deleteTasks(tx, [id], deletion, drops);
    if (taskIds.length === 0) return { result: 'webhooks', used: [] };
    return { result: 'deleted', used };
  });
}

/** A cancel to an agent of the task is pending. */
function* hasPendingCancel(tx: Tx, taskId: string): Work<boolean> {
  const rows = yield* tx.all(
    'SELECT 1 AS n FROM delegations WHERE task_id = ? AND cancel_pending = 1',
    [taskId],
  );
  return rows.length > 0;
}

/** Those that are deleted. Nothing changes a task that has ended, so it need not be looked at again. */
function* deleteTasks(
  tx: Tx,
  ids: readonly string[],
  { participant, usage, ended, now }: Deletion,
  drops = false,
): Work<{ taskIds: string[]; used: readonly OwnedUsageChange[] }> {
  const found = yield* lock(tx, ids);
  const unrecorded = new Set(yield* ended.unrecorded(tx, found));
  const locked = found.filter((id) => !unrecorded.has(id));
  if (locked.length === 0) return { taskIds: [], used: [] };
  const kept = new Set(yield* participant.forgetting(tx, locked, drops));
  const gone = locked.filter((id) => !kept.has(id));
  const freed: OwnedUsageChange[] = [];
  for (const piece of pieces(gone)) {
    yield* tx.run(`DELETE FROM delegations WHERE task_id IN ${listOf(piece.length)}`, piece);
    yield* tx.run(`DELETE FROM task_tokens WHERE task_id IN ${listOf(piece.length)}`, piece);
    yield* tx.run(`DELETE FROM consent_requests WHERE task_id IN ${listOf(piece.length)}`, piece);
    const rows = yield* tx.all<FreedRow>(
      `DELETE FROM tasks WHERE id IN ${listOf(piece.length)}
       RETURNING id, seq, organization, principal_id, state, stored_bytes`,
      piece,
    );
    yield* deleteLogs(
      tx,
      rows.map(({ id, seq, stored_bytes, organization, principal_id }) => ({
        ...{ id, seq, storedBytes: stored_bytes, organization, principalId: principal_id },
      })),
    );
    for (const { organization, principal_id: principalId, state, stored_bytes } of rows) {
      const owner = { organization, principalId };
      const ended = new Map([[state, -1]]);
      freed.push({ owner, openTasks: 0, begun: 0, storedBytes: -stored_bytes, ended });
    }
  }
  const used = sumUsage(freed);
  yield* usage.add(tx, used, now);
  return { taskIds: gone, used };
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
