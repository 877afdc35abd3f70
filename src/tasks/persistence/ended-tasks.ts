import { listOf, pieces } from '../../database/multi-row.js';
import { forUpdate } from '../../database/rows.js';
import type { Tx, Work } from '../../database/sql.js';
import { Table } from '../../database/table.js';
import type { EndedTask } from '../store/ended-task.js';
import { DelegationEntity } from './delegation.entity.js';
import { EndedTaskEntity } from './ended-task.entity.js';
import { TaskEntity } from './task.entity.js';

const INSERT = new Table(EndedTaskEntity).insert('ON CONFLICT (task_id) DO NOTHING');
const TASK = new Table(TaskEntity).select(
  'id',
  'principalId',
  'organization',
  'state',
  'traceparent',
  'request',
  'createdAt',
  'statusAt',
);
const DELEGATION = new Table(DelegationEntity).select(
  'taskId',
  'agentId',
  'skillId',
  'state',
  'calls',
  'begunAt',
  'updatedAt',
);

/** Notes in the commit in which tasks end that the audit log does not tell of them yet; nothing where it need not. */
export class EndedTaskNotes {
  constructor(
    /** `audit.tasks`. */
    private readonly isAudited: boolean,
  ) {}

  *add(tx: Tx, taskIds: readonly string[]): Work<void> {
    if (!this.isAudited || taskIds.length === 0) return;
    yield* INSERT.apply(
      tx,
      taskIds.map((taskId) => ({ taskId })),
    );
  }

  /** Those of these tasks that are still to be recorded, and so may not be deleted. */
  *unrecorded(tx: Tx, taskIds: readonly string[]): Work<string[]> {
    if (!this.isAudited) return [];
    const found: string[] = [];
    for (const piece of pieces(taskIds)) {
      const rows = yield* tx.all<{ task_id: string }>(
        `SELECT task_id FROM ended_tasks WHERE task_id IN ${listOf(piece.length)}`,
        piece,
      );
      for (const { task_id } of rows) found.push(task_id);
    }
    return found;
  }
}

/** The oldest tasks that are to be recorded, at most `limit`; with the transaction they are not any more. */
export function* takeEndedTasks(tx: Tx, limit: number): Work<EndedTask[]> {
  // Those that another process is recording are left to it.
  const rows = yield* tx.all<{ task_id: string }>(
    `SELECT task_id FROM ended_tasks ORDER BY task_id LIMIT ?${forUpdate(tx, true)}`,
    [limit],
  );
  return yield* taken(tx, rows);
}

/** The task, when it has ended and is to be recorded; it is waited for where another process is recording it. */
export function* takeEndedTask(tx: Tx, taskId: string): Work<EndedTask[]> {
  const rows = yield* tx.all<{ task_id: string }>(
    `SELECT task_id FROM ended_tasks WHERE task_id = ?${forUpdate(tx, false)}`,
    [taskId],
  );
  return yield* taken(tx, rows);
}

function* taken(tx: Tx, rows: readonly { readonly task_id: string }[]): Work<EndedTask[]> {
  const ended: EndedTask[] = [];
  for (const piece of pieces(rows.map(({ task_id }) => task_id))) {
    const these = listOf(piece.length);
    const tasks = yield* TASK.all(tx, `WHERE id IN ${these} ORDER BY id`, piece);
    const delegations = yield* DELEGATION.all(
      tx,
      `WHERE task_id IN ${these} ORDER BY task_id, position`,
      piece,
    );
    yield* tx.run(`DELETE FROM ended_tasks WHERE task_id IN ${these}`, piece);
    const byTask = new Map<string, EndedTask['delegations'][number][]>(
      tasks.map(({ id }) => [id, []]),
    );
    for (const { taskId, ...delegation } of delegations) byTask.get(taskId)?.push(delegation);
    for (const { request, ...task } of tasks) {
      const { keyId = null, identityId = null, issuer = null } = request ?? {};
      const { chain = null, requestId = null } = request ?? {};
      const parts = byTask.get(task.id) ?? [];
      const caller = { keyId, identityId, issuer, chain };
      ended.push({ ...task, ...caller, requestId, delegations: parts });
    }
  }
  return ended;
}
