import { LONG } from '../../common/long-work.js';
import { listOf, pieces } from '../../database/multi-row.js';
import { forUpdate } from '../../database/rows.js';
import type { Tx, Work } from '../../database/sql.js';
import { Table } from '../../database/table.js';
import { TaskState } from '../../protocol/a2a.js';
import { planOf } from '../../routing/index.js';
import { type EndedPart, taskEndCode } from '../domain/task-end-code.js';
import type { EndedTask, TakenTasks } from '../store/ended-task.js';
import type { EndCode, TaskRecord } from '../task.js';
import { DelegationEntity } from './delegation.entity.js';
import { EndedTaskEntity } from './ended-task.entity.js';
import { TaskEntity } from './task.entity.js';
import { fitting, readSizes } from './task-sizes.js';

const INSERT = new Table(EndedTaskEntity).insert('ON CONFLICT (task_id) DO NOTHING');
const TASK = new Table(TaskEntity).select(
  'id',
  'contextId',
  'principalId',
  'organization',
  'state',
  'traceparent',
  'request',
  'createdAt',
  'statusAt',
);
/** What tells why a task has not completed. */
const CAUSE = new Table(TaskEntity).select('id', 'cancelRequestedAt', 'cancelMetadata');
const ROUTE = new Table(TaskEntity).select('id', 'route');
const DELEGATION = new Table(DelegationEntity).select(
  'id',
  'taskId',
  'step',
  'agentId',
  'agentName',
  'skillId',
  'reason',
  'state',
  'calls',
  'begunAt',
  'updatedAt',
);

const PROGRESS = new Table(DelegationEntity).select('id', 'progress');
const NOT_NOTED: EndedPart['progress'] = {};

/** Notes in the commit in which tasks end that the log and the audit log do not tell of them yet; nothing where neither does. */
export class EndedTaskNotes {
  constructor(
    /** `audit.tasks` or `log.tasks`. */
    private readonly isNoted: boolean,
  ) {}

  *add(tx: Tx, taskIds: readonly string[]): Work<void> {
    if (!this.isNoted || taskIds.length === 0) return;
    yield* INSERT.apply(
      tx,
      taskIds.map((taskId) => ({ taskId })),
    );
  }

  /** Those of these tasks that are still to be recorded, and so may not be deleted. */
  *unrecorded(tx: Tx, taskIds: readonly string[]): Work<string[]> {
    if (!this.isNoted) return [];
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

/**
 * The oldest tasks that are to be recorded, at most `limit`, and as many as have a mebibyte together of what is read of them, but at
 * least one; with the transaction they are not any more.
 */
export function* takeEndedTasks(tx: Tx, limit: number): Work<TakenTasks> {
  // Those that another process is recording are left to it.
  const rows = yield* tx.all<{ task_id: string }>(
    `SELECT task_id FROM ended_tasks ORDER BY task_id LIMIT ?${forUpdate(tx, true)}`,
    [limit],
  );
  const ids = rows.map(({ task_id }) => task_id);
  const count = fitting(yield* readSizes(tx, ids), LONG);
  const tasks = yield* taken(tx, ids.slice(0, count));
  return { tasks, isMore: count < ids.length || ids.length === limit };
}

/** The task, when it has ended and is to be recorded; it is waited for where another process is recording it. */
export function* takeEndedTask(tx: Tx, taskId: string): Work<EndedTask[]> {
  const rows = yield* tx.all<{ task_id: string }>(
    `SELECT task_id FROM ended_tasks WHERE task_id = ?${forUpdate(tx, false)}`,
    [taskId],
  );
  return yield* taken(
    tx,
    rows.map(({ task_id }) => task_id),
  );
}

function* taken(tx: Tx, ids: readonly string[]): Work<EndedTask[]> {
  const ended: EndedTask[] = [];
  for (const piece of pieces(ids)) {
    const these = listOf(piece.length);
    const tasks = yield* TASK.all(tx, `WHERE id IN ${these} ORDER BY id`, piece);
    const delegations = yield* DELEGATION.all(
      tx,
      `WHERE task_id IN ${these} ORDER BY task_id, position`,
      piece,
    );
    yield* tx.run(`DELETE FROM ended_tasks WHERE task_id IN ${these}`, piece);
    const ends = yield* endsOf(
      tx,
      delegations.map(({ id }) => id),
    );
    const routes = yield* routesOf(tx, piece);
    const byTask = new Map<string, EndedRow[]>(tasks.map(({ id }) => [id, []]));
    for (const row of delegations) {
      byTask.get(row.taskId)?.push({ progress: ends.get(row.id) ?? NOT_NOTED, ...row });
    }
    const codes = yield* endCodesOf(tx, tasks, routes, byTask);
    for (const task of tasks) {
      const { request } = task;
      // Member by member: an object that is put together of others is slow, and this is done for each task.
      ended.push({
        id: task.id,
        contextId: task.contextId,
        principalId: task.principalId,
        organization: task.organization,
        state: task.state,
        traceparent: task.traceparent,
        createdAt: task.createdAt,
        statusAt: task.statusAt,
        keyId: request?.keyId ?? null,
        identityId: request?.identityId ?? null,
        issuer: request?.issuer ?? null,
        chain: request?.chain ?? null,
        requestId: request?.requestId ?? null,
        endCode: codes.get(task.id) ?? null,
        route: routes.get(task.id)!.route,
        delegations: byTask.get(task.id)!.map(endedDelegation),
      });
    }
  }
  return ended;
}

type EndedRow = ReturnType<typeof DELEGATION.read> & { readonly progress: EndedPart['progress'] };

function endedDelegation(row: EndedRow): EndedTask['delegations'][number] {
  const { agentId, skillId, state, calls, begunAt, updatedAt, progress } = row;
  const { endCode = null, times } = progress;
  return { agentId, skillId, state, endCode, times, calls, begunAt, updatedAt };
}

/** How these delegations ended: the rest of their progress, which may be large, is not kept. */
function* endsOf(tx: Tx, ids: readonly string[]): Work<Map<string, EndedPart['progress']>> {
  const found = new Map<string, EndedPart['progress']>();
  for (const piece of pieces(ids)) {
    const rows = yield* PROGRESS.all(tx, `WHERE id IN ${listOf(piece.length)}`, piece);
    for (const { id, progress } of rows) {
      const { endCode, times } = progress;
      found.set(id, {
        ...(endCode !== undefined && { endCode }),
        ...(times !== undefined && { times }),
      });
    }
  }
  return found;
}

interface ShortRoute {
  readonly route: EndedTask['route'];
  readonly plan: ReturnType<typeof planOf>;
}

/** What is told of the routes of these tasks: the candidates, which may be many, are not kept. */
function* routesOf(tx: Tx, ids: readonly string[]): Work<Map<string, ShortRoute>> {
  const rows = yield* ROUTE.all(tx, `WHERE id IN ${listOf(ids.length)}`, ids);
  return new Map(
    rows.map(({ id, route }) => {
      const { reason, strategy, rule, composite } = route;
      const shown = {
        ...{ reason, strategy },
        ...(rule !== undefined && { rule }),
        ...(composite !== undefined && { composite }),
      };
      return [id, { route: shown, plan: planOf(route) }];
    }),
  );
}

/** Why those of these tasks that have not completed ended. */
function* endCodesOf(
  tx: Tx,
  tasks: readonly Pick<TaskRecord, 'id' | 'state'>[],
  routes: ReadonlyMap<string, ShortRoute>,
  delegations: ReadonlyMap<string, readonly EndedRow[]>,
): Work<Map<string, EndCode>> {
  const states = new Map(
    tasks
      .filter(({ state }) => state !== TaskState.TASK_STATE_COMPLETED)
      .map(({ id, state }) => [id, state]),
  );
  const codes = new Map<string, EndCode>();
  for (const piece of pieces([...states.keys()])) {
    const rows = yield* CAUSE.all(tx, `WHERE id IN ${listOf(piece.length)}`, piece);
    for (const { id, ...row } of rows) {
      const task = { state: states.get(id)!, plan: routes.get(id)!.plan, ...row };
      const code = taskEndCode(task, delegations.get(id) ?? []);
      if (code !== null) codes.set(id, code);
    }
  }
  return codes;
}
