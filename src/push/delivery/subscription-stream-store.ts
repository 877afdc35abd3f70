import type { Tx, Work } from '../../database/sql.js';
import type { Subscription } from '../registration/webhook.js';

/** The stream that a task gets because of a subscription. */
export interface NewSubscriptionStream {
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

/** A subscription whose streams may not all be as it says yet. */
export interface StaleSubscription {
  readonly id: string;
  /** The change they are to be brought in line with. */
  readonly revision: number;
}

/** The streams that tasks have because of subscriptions. */
export abstract class SubscriptionStreamStore {
  /** Makes these streams, in the transaction of their tasks' events, for tasks that lack them; how many. */
  abstract open(tx: Tx, streams: readonly NewSubscriptionStream[], now: Date): Work<number>;

  /** Subscriptions whose streams have to be looked through. */
  abstract stale(): Promise<StaleSubscription[]>;

  /**
   * Brings those of its streams in line with a subscription that workers have in hand, as they were claimed before it
   * changed; which. Of a claim that comes later the subscription is read by the claim.
   */
  abstract reconcileClaimed(id: string, now: Date): Promise<ReadonlySet<string>>;

  /**
   * Brings up to `limit` streams of a subscription in line with it, those after `cursor` that are not `done`: resumed,
   * paused, moved to its endpoint, or ended as dead letters. Where the next piece begins; null when there is
   * none.
   */
  abstract reconcile(
    id: string,
    cursor: string | null,
    limit: number,
    now: Date,
    done?: ReadonlySet<string>,
  ): Promise<string | null>;

  /** All streams have been looked through for this change; a deleted subscription is gone with that. */
  abstract reconciled(which: StaleSubscription): Promise<void>;
}
