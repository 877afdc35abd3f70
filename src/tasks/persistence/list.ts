import type { Visibility } from '../../auth/index.js';
import { LONG } from '../../common/long-work.js';
import type { Database } from '../../database/database.js';
import type { DatabaseRow } from '../../database/table.js';
import type { SqlValue } from '../../database/sql.js';
import { TASK_STATES } from '../../protocol/task-state.js';
import type { ReserveBytes, TaskCursor, TaskFilter, TaskPage } from '../store/task-store.js';
import type { Condition } from '../store/visibility.js';
import { countTasks } from './count-tasks.js';
import { below, conditionsOf, inState, paramsOf, where } from './list-filter.js';
import { buildTasks } from './load.js';
import { TASK_COLUMNS, toTaskRow, type TaskRow } from './task-rows.js';

/** A page of larger tasks has fewer of them, so that lists cannot fill the memory. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** See `TaskStore.list`. */
export async function listTasks(
  database: Database,
  filter: TaskFilter,
  visibility: Visibility,
  limit: number,
  after: TaskCursor | null,
  reserve?: ReserveBytes,
): Promise<TaskPage> {
  const conditions = conditionsOf(filter, visibility);
  const [total, found] = await Promise.all([
    countTasks(database, filter, visibility),
    // One row more than requested shows whether there is a next page.
    database.read<DatabaseRow>(...pageQuery(filter, conditions, limit + 1, after)),
  ]);
  const rows = found.map(toTaskRow);
  const page = rows.slice(0, fitting(rows.slice(0, limit)));
  const bytes = page.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
  if (reserve !== undefined && bytes > LONG) await reserve(bytes);
  const tasks = await buildTasks(database, page);
  const last = rows.length > page.length ? page.at(-1) : undefined;
  return {
    tasks: tasks.map(({ aggregate }) => aggregate),
    totalSize: total,
    next: last === undefined ? null : { statusAt: last.record.statusAt, id: last.record.id },
  };
}

/**
 * How many of the first go into one page: as many as fit, and at least one. By what is stored of them: it is in
 * the row, while to add up the log SQLite reads all of its bodies.
 */
function fitting(rows: readonly TaskRow[]): number {
  let total = 0;
  const over = rows.findIndex((row) => (total += row.storedBytes) > MAX_PAGE_BYTES);
  return over === -1 ? rows.length : Math.max(1, over);
}

/**
 * The rows of one page. A context has few tasks, so they are sorted; in every other list the newest
 * of each state come in order from an index, and are merged: so a page costs the same however many
 * tasks there are.
 */
function pageQuery(
  filter: TaskFilter,
  conditions: readonly Condition[],
  limit: number,
  after: TaskCursor | null,
): [string, SqlValue[]] {
  const rest = after === null ? conditions : [...conditions, below(after)];
  const branches =
    filter.contextId !== undefined || filter.state !== undefined
      ? [rest]
      : TASK_STATES.map((state) => [...rest, inState(state)]);
  const newest = branches.map(
    (branch, index) =>
      `SELECT * FROM (SELECT t.id, t.status_at FROM tasks t${where(branch)}
       ORDER BY t.status_at DESC, t.id DESC LIMIT ?) AS b${index}`,
  );
  const sql = `SELECT ${TASK_COLUMNS} FROM tasks WHERE id IN (
      SELECT id FROM (${newest.join(' UNION ALL ')}) AS newest
      ORDER BY status_at DESC, id DESC LIMIT ?)
    ORDER BY status_at DESC, id DESC`;
  return [sql, [...branches.flatMap((branch) => [...paramsOf(branch), limit]), limit]];
}
