import { TaskState } from '../../protocol/a2a.js';

/** States in which a task can be stuck: in the others it waits for its client, or has ended. */
export const STUCK_STATES = [TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING] as const;
export type StuckState = (typeof STUCK_STATES)[number];

/** A task in one of these states is stuck when nothing has changed of it since then. */
export type StuckSince = Readonly<Record<StuckState, Date>>;

/** What counts as stuck, wherever it is counted, listed or named: `tasks.stuckQueued` and `tasks.stuckSilent`. */
export function stuckSince(
  {
    stuckQueuedMs,
    stuckSilentMs,
  }: { readonly stuckQueuedMs: number; readonly stuckSilentMs: number },
  now: Date,
): StuckSince {
  return {
    [TaskState.TASK_STATE_SUBMITTED]: new Date(now.getTime() - stuckQueuedMs),
    [TaskState.TASK_STATE_WORKING]: new Date(now.getTime() - stuckSilentMs),
  };
}

/** Tasks of one state that are looked at: those that have had their status longest. */
export const MOST_LOOKED_AT = 1000;

/** How many tasks of each state are stuck; `isLeast`: not all were looked at. */
export interface StuckCount extends Readonly<Record<'submitted' | 'working', number>> {
  readonly isLeast: boolean;
}

export interface StuckTask {
  readonly id: string;
  readonly state: StuckState;
  /** When it changed last. */
  readonly changedAt: Date;
}

/** The tasks that are stuck now, of one organization or of all (null), at a cost that does not grow with what there is. */
export abstract class StuckTasks {
  abstract count(organization: string | null): Promise<StuckCount>;

  /** Those of which nothing was heard for longest, `most` at most. */
  abstract longest(organization: string | null, most: number): Promise<readonly StuckTask[]>;
}
