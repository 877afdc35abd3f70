import { TaskState } from './a2a.js';

/** The states in which a task has ended. */
export const TERMINAL_STATES: readonly TaskState[] = [
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
];

/** All states that a task of the hub can have. */
export const TASK_STATES: readonly TaskState[] = [
  TaskState.TASK_STATE_SUBMITTED,
  TaskState.TASK_STATE_WORKING,
  TaskState.TASK_STATE_INPUT_REQUIRED,
  TaskState.TASK_STATE_AUTH_REQUIRED,
  ...TERMINAL_STATES,
];

const TERMINAL: ReadonlySet<TaskState> = new Set(TERMINAL_STATES);

const INTERRUPTED: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_INPUT_REQUIRED,
  TaskState.TASK_STATE_AUTH_REQUIRED,
]);

/** A state as 0.3 and the admin API write it: `input-required`. */
export function nameOfState(state: TaskState): string {
  return TaskState[state].replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
}

/** No event may follow (A2A §4.1.3). */
export function isTerminal(state: TaskState): boolean {
  return TERMINAL.has(state);
}

/** The task waits for its client (A2A §4.1.3). */
export function isInterrupted(state: TaskState): boolean {
  return INTERRUPTED.has(state);
}
