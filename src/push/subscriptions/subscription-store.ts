import type { Visibility } from '../../auth/index.js';
import type { Tx, Work } from '../../database/sql.js';
import type { Subscription, SubscriptionDraft, SubscriptionState } from './subscription.js';

export interface SubscriptionQuery {
  readonly organization?: string | undefined;
  readonly state?: SubscriptionState | undefined;
}

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

/** What may be decided of one that exists; its id, owner, scope and version stay. */
export type SubscriptionChange = Partial<
  Omit<
    Subscription,
    | 'id'
    | 'organization'
    | 'principalId'
    | 'scope'
    | 'version'
    | 'source'
    | 'createdAt'
    | 'updatedAt'
  >
>;

/** A subscription whose lanes may not all be as it says yet. */
export interface Unsettled {
  readonly id: string;
  /** The change they are to be brought in line with. */
  readonly revision: number;
}

/** Standing subscriptions, and the lanes made for them. */
export abstract class SubscriptionStore {
  /** Raised by every change, whichever process makes it; all processes see the same. */
  abstract revision(): Promise<number>;

  /** {@link revision} as this transaction sees it. */
  abstract revisionIn(tx: Tx): Work<number>;

  /** All subscriptions, oldest first. */
  abstract all(): Promise<Subscription[]>;

  /** {@link all} of these organizations as this transaction sees them. */
  abstract allIn(tx: Tx, organizations: readonly string[]): Work<Subscription[]>;

  /**
   * Throws HubError CONFLICT when the id is taken, INVALID_PARAMS when the organization has `limit`
   * subscriptions made through the API already.
   */
  abstract create(draft: SubscriptionDraft, limit: number, now: Date): Promise<Subscription>;

  abstract get(id: string, visibility: Visibility): Promise<Subscription | undefined>;

  /** By id, oldest first, after the one with id `cursor`. */
  abstract list(
    query: SubscriptionQuery,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<Subscription[]>;

  /**
   * Changes one as `decide` says, which sees it as it is and may refuse by throwing. All its tasks are
   * told under the changed registration from the next attempt on; what waits for a retry is tried at
   * once. Undefined when it is not there for `visibility`.
   */
  abstract update(
    id: string,
    visibility: Visibility,
    decide: (present: Subscription) => SubscriptionChange,
    now: Date,
  ): Promise<Subscription | undefined>;

  /**
   * Deletes one, with its secrets, at once: nothing more is sent for it. `allowed` sees it and may refuse
   * by throwing. What waits becomes dead letters later, piece by piece ({@link settle}). False when it is
   * not there for `visibility`.
   */
  abstract remove(
    id: string,
    visibility: Visibility,
    allowed: (present: Subscription) => void,
    now: Date,
  ): Promise<boolean>;

  /** Makes these lanes, in the transaction of their tasks' events, for tasks that lack them; how many. */
  abstract attach(tx: Tx, lanes: readonly NewSubscriptionLane[], now: Date): Work<number>;

  /** Those whose lanes have to be looked through. */
  abstract unsettled(): Promise<Unsettled[]>;

  /**
   * Brings up to `limit` lanes of a subscription in line with it, those of the configs after `cursor`:
   * resumed, paused, moved to its endpoint, or ended as dead letters. Where the next piece begins; null
   * when there is none.
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
