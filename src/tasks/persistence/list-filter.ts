import type { Visibility } from '../../auth/index.js';
import type { SqlValue } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import type { TaskState } from '../../protocol/a2a.js';
import type { TaskCursor, TaskFilter } from '../store/task-store.js';
import { visibleTasks, type Condition } from '../store/visibility.js';

/** All of a filter, as conditions on the row `t` of `tasks`. */
export function conditionsOf(filter: TaskFilter, visibility: Visibility): Condition[] {
  return [
    ...ofOwner(filter, visibility),
    ...(filter.contextId === undefined ? [] : [inContext(filter.contextId)]),
    ...(filter.state === undefined ? [] : [inState(filter.state)]),
    ...atTimes(filter),
    ...(filter.agentId === undefined ? [] : [ofAgent(filter.agentId)]),
  ];
}

/** Whose tasks: what the caller may see, and whose of them the filter asks for. Also conditions on `task_usage`. */
export function ofOwner(filter: TaskFilter, visibility: Visibility): Condition[] {
  const conditions = visibleTasks(visibility);
  if (filter.organization !== undefined) {
    conditions.push({ sql: 't.organization = ?', params: [storable(filter.organization)] });
  }
  if (filter.principalId !== undefined) {
    conditions.push({ sql: 't.principal_id = ?', params: [storable(filter.principalId)] });
  }
  return conditions;
}

/** When the status is from. */
export function atTimes({ statusAfter, statusBefore }: TaskFilter): Condition[] {
  const conditions: Condition[] = [];
  if (statusAfter !== undefined) {
    conditions.push({ sql: 't.status_at >= ?', params: [statusAfter.getTime()] });
  }
  if (statusBefore !== undefined) {
    conditions.push({ sql: 't.status_at < ?', params: [statusBefore.getTime()] });
  }
  return conditions;
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

/** The rows after the cursor in the order of the list. */
export function below({ statusAt, id }: TaskCursor): Condition {
  return { sql: '(t.status_at, t.id) < (?, ?)', params: [statusAt.getTime(), storable(id)] };
}

/** The rows up to the cursor and with it, in the order of the list. */
export function downTo({ statusAt, id }: TaskCursor): Condition {
  return { sql: '(t.status_at, t.id) >= (?, ?)', params: [statusAt.getTime(), storable(id)] };
}

export function where(conditions: readonly Condition[]): string {
  if (conditions.length === 0) return '';
  return ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
}

export function paramsOf(conditions: readonly Condition[]): SqlValue[] {
  return conditions.flatMap(({ params }) => params);
}

function inContext(contextId: string): Condition {
  return { sql: 't.context_id = ?', params: [storable(contextId)] };
}
