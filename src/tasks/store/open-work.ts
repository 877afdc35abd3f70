import type { TaskState } from '../../protocol/a2a.js';

/** Of which tasks: of all, or of one organization (null: all). */
type Organization = string | null;

/** What the queues for the agents hold, in the order of their turns, is of these. */
export interface QueueOf {
  readonly agentId: string;
  readonly organization: string;
}

/** Open tasks and what waits, counted at a cost that does not depend on how many tasks there are. */
export abstract class OpenWork {
  /** How many tasks are in a state; not more than `most` are counted. */
  abstract inState(state: TaskState, organization: Organization, most: number): Promise<number>;

  /** Since when the delegation waits that waits for longest of those whose turn is next in one of these queues. */
  abstract oldestQueued(queues: readonly QueueOf[]): Promise<Date | null>;
}
