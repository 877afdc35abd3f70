import type { ActivityCount, ActivityKind } from './activity.js';

/**
 * Counts are kept by the minute for a few hours, and by the quarter of an hour for longer. In minutes.
 */
export type ActivitySpan = 1 | 15;

/** Which counts are asked for: those of all, of an organization or of agents. */
export interface ActivityQuery {
  readonly span: ActivitySpan;
  readonly kinds: readonly ActivityKind[];
  readonly organization?: string;
  /** Of any of these, however many. */
  readonly agentIds?: readonly string[];
  /** Both as epoch milliseconds; `to` is excluded. */
  readonly from: number;
  readonly to: number;
}

/** How often one thing happened in one minute or quarter, to all that were asked for together. */
export type ActivityPoint = Pick<ActivityCount, 'kind' | 'name' | 'at' | 'count' | 'totalMs'>;

/** How often one thing happened in all of a time. */
export type ActivitySum = Pick<ActivityCount, 'kind' | 'agentId' | 'name' | 'count'>;

/** What processes have counted, added up. Whatever is asked for, reading it does not hold the event loop for long. */
export abstract class ActivityStore {
  /** Adds to what is there; gives back those that could not be stored, with why. */
  abstract add(
    counts: readonly ActivityCount[],
  ): Promise<{ readonly left: readonly ActivityCount[]; readonly error?: unknown }>;

  /** Those of an agent by time; `at` is the beginning of the minute or of the quarter. */
  abstract read(query: ActivityQuery): Promise<ActivityCount[]>;

  /** What there is of each kind, name and minute or quarter, without the agents. In no order. */
  abstract points(query: ActivityQuery): Promise<ActivityPoint[]>;

  /** What there is of one kind and agent in the last minute or quarter that began before, and of which there is anything. */
  abstract latest(kind: ActivityKind, agentId: string, before: number): Promise<ActivityCount[]>;

  /** What there is of each kind, agent and name, without the times. */
  abstract sums(query: ActivityQuery): Promise<ActivitySum[]>;

  /** Deletes those of a span that are older; at most `limit`. How many that were. */
  abstract prune(span: ActivitySpan, before: Date, limit: number): Promise<number>;
}
