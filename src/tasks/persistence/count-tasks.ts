import { type Condition, paramsOf, where } from '../../database/conditions.js';
import type { Visibility } from '../../auth/index.js';
import { PieceSize } from '../../common/piece-size.js';
import type { Database } from '../../database/database.js';
import { isTerminal, TASK_STATES } from '../../protocol/task-state.js';
import type { TaskFilter } from '../store/task-store.js';
import { visibleTasks } from '../store/visibility.js';
import { conditionsOf } from './list-filter.js';
import { countersOf } from './usage-counters.js';
import { walk } from '../../database/walk.js';
import { inOrder } from './walk-tasks.js';

/** Entries of an index that are counted in one turn of the event loop. */
const LEAST = 500;
const MOST = 16_000;

/**
 * How many tasks a filter leaves, exactly. Where only their owner and how they ended matter, that is a sum of the
 * counters of usage, however many tasks there are; else rows are counted. SQLite does that on the event loop, so it
 * is done in pieces; what it counts by agent or in a context is counted with the page ({@link findInWalks}).
 */
export async function countTasks(
  database: Database,
  filter: TaskFilter,
  visibility: Visibility,
): Promise<number> {
  const { contextId, state, agentId, statusAfter } = filter;
  const isAllOfOwner =
    contextId === undefined && agentId === undefined && statusAfter === undefined;
  if (isAllOfOwner && (state === undefined || isTerminal(state))) {
    const owner = visibleTasks(visibility);
    return totalOf(database, `SUM(${countersOf(state).join(' + ')})`, 'task_usage', owner);
  }
  if (database.dialect !== 'sqlite') return count(database, conditionsOf(filter, visibility));
  const size = new PieceSize(LEAST, MOST);
  let total = 0;
  const owner = visibleTasks(visibility);
  for (const each of state === undefined ? TASK_STATES : [state]) {
    const course = inOrder(owner, each, filter);
    for await (const { conditions, rows, ms } of walk(database, course, size)) {
      size.took(ms);
      total += rows ?? (await count(database, conditions));
    }
  }
  return total;
}

function count(database: Database, conditions: readonly Condition[]): Promise<number> {
  return totalOf(database, 'COUNT(*)', 'tasks', conditions);
}

async function totalOf(
  database: Database,
  what: string,
  table: 'tasks' | 'task_usage',
  conditions: readonly Condition[],
): Promise<number> {
  const [row] = await database.read<{ total: number | null }>(
    `SELECT ${what} AS total FROM ${table} t${where(conditions)}`,
    paramsOf(conditions),
  );
  return row?.total ?? 0;
}
