import type { Tx, Work } from '../../database/sql.js';
import type { Subscription } from '../registration/webhook.js';

/** The lane that a task gets because of a subscription. */
export interface NewSubscriptionLane {
  readonly subscription: Subscription;
  readonly taskId: string;
  /** The newest entry of the task's log, with those of this commit. */
  readonly seq: number;
  readonly traceparent: string | null;
  /**
   * `start`: with the first entry of a task that begins in this commit. `present-state`: with the task
   * as it is after `seq`, whole. `next`: with what comes after `seq`.
   */
  readonly begins: 'start' | 'present-state' | 'next';
}

/** A subscription whose lanes may not all be as it says yet. */
export interface Unsettled {
  readonly id: string;
  /** The change they are to be brought in line with. */
  readonly revision: number;
}

/** The lanes that tasks have because of subscriptions. */
export abstract class SubscriptionStreamStore {
  /** Makes these lanes, in the transaction of their tasks' events, for tasks that lack them; how many. */
  abstract attach(tx: Tx, lanes: readonly NewSubscriptionLane[], now: Date): Work<number>;

  /** Subscriptions whose lanes have to be looked through. */
  abstract unsettled(): Promise<Unsettled[]>;

  /**
   * Brings up to `limit` lanes of a subscription in line with it, those after `cursor`: resumed, paused,
   * moved to its endpoint, or ended as dead letters. Where the next piece begins; null when there is
   * none.
   */
  abstract settle(
    id: string,
    cursor: string | null,
    limit: number,
    now: Date,
  ): Promise<string | null>;

  /** All lanes have been looked through for this change; a deleted subscription is gone with that. */
  abstract settled(which: Unsettled): Promise<void>;
}
