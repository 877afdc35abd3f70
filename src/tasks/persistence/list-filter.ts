import type { Visibility } from '../../auth/index.js';
import { type Condition, paramsOf, where } from '../../database/conditions.js';
import type { Database } from '../../database/database.js';
import { listOf } from '../../database/multi-row.js';
import { storable } from '../../database/text.js';
import type { TaskState } from '../../protocol/a2a.js';
import type { TaskCursor, TaskFilter, TaskSearch } from '../store/task-store.js';
import { visibleTasks } from '../store/visibility.js';

/** All of a filter, as conditions on the row `t` of `tasks`. */
export function conditionsOf(filter: TaskFilter, visibility: Visibility): Condition[] {
  return [
    ...visibleTasks(visibility),
    ...(filter.contextId === undefined ? [] : [ofContext(filter.contextId)]),
    ...(filter.state === undefined ? [] : [inState(filter.state)]),
    ...statusFrom(filter),
    ...(filter.agentId === undefined ? [] : [ofAgent(filter.agentId)]),
  ];
}

type Owned = Pick<TaskSearch, 'organization' | 'principalId'>;
type Timed = Pick<TaskSearch, 'statusAfter' | 'statusBefore'>;

/** Whose tasks: what the caller may see, and whose of them the search asks for. */
export function ofOwner(search: Owned, visibility: Visibility): Condition[] {
  const conditions = visibleTasks(visibility);
  if (search.organization !== undefined) {
    conditions.push({ sql: 't.organization = ?', params: [storable(search.organization)] });
  }
  if (search.principalId !== undefined) {
    conditions.push({ sql: 't.principal_id = ?', params: [storable(search.principalId)] });
  }
  return conditions;
}

/** When the status is from. */
export function atTimes(filter: Timed): Condition[] {
  return [...statusFrom(filter), ...statusUntil(filter)];
}

export function statusFrom({ statusAfter }: Timed): Condition[] {
  if (statusAfter === undefined) return [];
  return [{ sql: 't.status_at >= ?', params: [statusAfter.getTime()] }];
}

export function statusUntil({ statusBefore }: Timed): Condition[] {
  if (statusBefore === undefined) return [];
  return [{ sql: 't.status_at < ?', params: [statusBefore.getTime()] }];
}

export function ofAgent(agentId: string): Condition {
  return {
    sql: 'EXISTS (SELECT 1 FROM delegations d WHERE d.agent_id = ? AND d.task_id = t.id)',
    params: [storable(agentId)],
  };
}

export function inState(state: TaskState): Condition {
  return { sql: 't.state = ?', params: [state] };
}

export function inStates(states: readonly TaskState[]): Condition {
  return { sql: `t.state IN ${listOf(states.length)}`, params: states };
}

/** The rows after the cursor in the order of the list. */
export function below({ statusAt, id }: TaskCursor): Condition {
  return { sql: '(t.status_at, t.id) < (?, ?)', params: [statusAt.getTime(), storable(id)] };
}

export function ofContext(contextId: string): Condition {
  return { sql: 't.context_id = ?', params: [storable(contextId)] };
}

/**
 * Whose tasks, in as many parts as SQLite needs to read each from one index: a principal's tasks are indexed by
 * organization. None when there are no tasks.
 */
export async function ownersOf(
  database: Database,
  search: Owned,
  visibility: Visibility,
): Promise<Condition[][]> {
  const conditions = ofOwner(search, visibility);
  const isIndexed = search.principalId === undefined || search.organization !== undefined;
  if (isIndexed || visibility.kind !== 'everything' || database.dialect !== 'sqlite') {
    return [conditions];
  }
  const rows = await database.read<{ organization: string }>(
    `SELECT DISTINCT organization FROM task_usage t${where(conditions)}`,
    paramsOf(conditions),
  );
  return rows.map(({ organization }) => [
    ...conditions,
    { sql: 't.organization = ?', params: [organization] },
  ]);
}
