import type { TaskState } from '../../protocol/a2a.js';

/** The states of tasks that have not ended. */
export type OpenState = Extract<
  TaskState,
  | TaskState.TASK_STATE_SUBMITTED
  | TaskState.TASK_STATE_WORKING
  | TaskState.TASK_STATE_INPUT_REQUIRED
  | TaskState.TASK_STATE_AUTH_REQUIRED
>;

/** The open tasks of one state, over the whole hub. */
export interface OpenTasks {
  readonly state: OpenState;
  /** Up to {@link MOST_COUNTED}. */
  readonly count: number;
  /** Since when that one has its status that has had it longest; null for none. */
  readonly oldestAt: Date | null;
}

/** Tasks of one state that are counted at most. */
export const MOST_COUNTED = 10_000;

/** What is open, at a cost that does not grow with what there is. */
export abstract class TaskBacklog {
  abstract read(): Promise<readonly OpenTasks[]>;
}
