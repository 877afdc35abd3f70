import type { Visibility } from '../../auth/index.js';
import { longTurn } from '../../common/long-work.js';
import type { Database } from '../../database/database.js';
import { isTerminal, TASK_STATES } from '../../protocol/task-state.js';
import type { TaskCursor, TaskFilter } from '../store/task-store.js';
import type { Condition } from '../store/visibility.js';
import {
  atTimes,
  below,
  conditionsOf,
  downTo,
  inState,
  ofAgent,
  ofOwner,
  paramsOf,
  where,
} from './list-filter.js';
import { countersOf } from './usage-counters.js';

/** Entries of an index that are counted in one turn of the event loop, and those whose agents are looked up. */
const PIECE = 5_000;
const PIECE_WITH_AGENTS = 1_000;

/**
 * How many tasks a filter leaves, exactly. Where only their owner and how they ended matter, that is a sum of the
 * counters of usage, however many tasks there are; else rows are counted. SQLite does that on the event loop, so it
 * is done in pieces.
 */
export async function countTasks(
  database: Database,
  filter: TaskFilter,
  visibility: Visibility,
): Promise<number> {
  const { contextId, state, agentId } = filter;
  const times = atTimes(filter);
  const isAllOfOwner = contextId === undefined && agentId === undefined && times.length === 0;
  if (isAllOfOwner && (state === undefined || isTerminal(state))) {
    const conditions = ofOwner(filter, visibility);
    return totalOf(database, `SUM(${countersOf(state).join(' + ')})`, 'task_usage', conditions);
  }
  if (contextId !== undefined || database.dialect !== 'sqlite') {
    return count(database, conditionsOf(filter, visibility));
  }
  let total = 0;
  for (const each of state === undefined ? TASK_STATES : [state]) {
    const conditions = [...ofOwner(filter, visibility), inState(each), ...times];
    total += await countInPieces(database, conditions, agentId);
  }
  return total;
}

/** Tasks of one state. */
async function countInPieces(
  database: Database,
  conditions: readonly Condition[],
  agentId: string | undefined,
): Promise<number> {
  const agent = agentId === undefined ? [] : [ofAgent(agentId)];
  const size = agentId === undefined ? PIECE : PIECE_WITH_AGENTS;
  let rest = conditions;
  for (let total = 0; ; await longTurn()) {
    const last = await lastOfPiece(database, rest, size);
    if (last === undefined) return total + (await count(database, [...rest, ...agent]));
    total +=
      agentId === undefined ? size : await count(database, [...rest, downTo(last), ...agent]);
    rest = [...conditions, below(last)];
  }
}

/** The last of so many rows, in the order of the list; undefined when there are fewer. */
async function lastOfPiece(
  database: Database,
  conditions: readonly Condition[],
  size: number,
): Promise<TaskCursor | undefined> {
  const [row] = await database.read<{ status_at: number; id: string }>(
    `SELECT t.status_at, t.id FROM tasks t${where(conditions)}
     ORDER BY t.status_at DESC, t.id DESC LIMIT 1 OFFSET ?`,
    [...paramsOf(conditions), size - 1],
  );
  return row && { statusAt: new Date(row.status_at), id: row.id };
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
