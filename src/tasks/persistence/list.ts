import type { Visibility } from '../../auth/index.js';
import type { Database } from '../../database/database.js';
import { storable } from '../../database/text.js';
import type { TaskCursor, TaskFilter, TaskPage } from '../task-store.js';
import { buildTasks } from './load.js';
import { TASK_COLUMNS, type TaskRow } from './task-rows.js';
import { visibleTasks, type Condition } from './visibility.js';

/** See `TaskStore.list`. */
export async function listTasks(
  database: Database,
  filter: TaskFilter,
  visibility: Visibility,
  limit: number,
  after: TaskCursor | null,
): Promise<TaskPage> {
  const conditions = [...visibleTasks(visibility), ...filterConditions(filter)];
  const [count, rows] = await Promise.all([
    countTasks(database, conditions),
    // One more than asked for tells whether there is a next page.
    pageRows(database, after === null ? conditions : [...conditions, below(after)], limit + 1),
  ]);
  const page = rows.slice(0, limit);
  const tasks = await buildTasks(database, page);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    tasks: tasks.map(({ aggregate }) => aggregate),
    totalSize: count,
    next: last === undefined ? null : { statusAt: new Date(last.status_at), id: last.id },
  };
}

function filterConditions(filter: TaskFilter): Condition[] {
  const conditions: Condition[] = [];
  if (filter.contextId !== undefined) {
    conditions.push({ sql: 't.context_id = ?', params: [storable(filter.contextId)] });
  }
  if (filter.state !== undefined) {
    conditions.push({ sql: 't.state = ?', params: [filter.state] });
  }
  if (filter.statusAfter !== undefined) {
    conditions.push({ sql: 't.status_at >= ?', params: [filter.statusAfter.getTime()] });
  }
  if (filter.agentId !== undefined) {
    conditions.push({
      sql: 'EXISTS (SELECT 1 FROM delegations d WHERE d.agent_id = ? AND d.task_id = t.id)',
      params: [storable(filter.agentId)],
    });
  }
  return conditions;
}

/** The rows after the cursor in the order of the list. */
function below({ statusAt, id }: TaskCursor): Condition {
  return { sql: '(t.status_at, t.id) < (?, ?)', params: [statusAt.getTime(), storable(id)] };
}

async function countTasks(database: Database, conditions: readonly Condition[]): Promise<number> {
  const [row] = await database.read<{ total: number }>(
    `SELECT COUNT(*) AS total FROM tasks t${where(conditions)}`,
    conditions.flatMap(({ params }) => params),
  );
  return row?.total ?? 0;
}

function pageRows(
  database: Database,
  conditions: readonly Condition[],
  limit: number,
): Promise<TaskRow[]> {
  return database.read<TaskRow>(
    `SELECT ${TASK_COLUMNS} FROM tasks t${where(conditions)}
     ORDER BY t.status_at DESC, t.id DESC LIMIT ?`,
    [...conditions.flatMap(({ params }) => params), limit],
  );
}

function where(conditions: readonly Condition[]): string {
  if (conditions.length === 0) return '';
  return ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
}
