import { TaskState } from '../../protocol/a2a.js';

/** The columns of `task_usage` that count the tasks which have ended in each state. */
export const ENDED_COLUMNS: ReadonlyMap<TaskState, string> = new Map([
  [TaskState.TASK_STATE_COMPLETED, 'completed_tasks'],
  [TaskState.TASK_STATE_FAILED, 'failed_tasks'],
  [TaskState.TASK_STATE_CANCELED, 'canceled_tasks'],
  [TaskState.TASK_STATE_REJECTED, 'rejected_tasks'],
]);

/** The columns that together count the tasks of one of these states, or all tasks. */
export function countersOf(state: TaskState | undefined): string[] {
  const all = ['open_tasks', ...ENDED_COLUMNS.values()];
  return state === undefined ? all : all.filter((name) => name === ENDED_COLUMNS.get(state));
}
