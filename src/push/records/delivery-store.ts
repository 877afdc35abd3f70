import type { Visibility } from '../../auth/index.js';
import type { Delivery, DeliveryAttempt } from '../delivery/delivery.js';

/** Members that are absent ask for nothing; all others must hold. */
export interface DeliveryFilter {
  readonly taskId?: string | undefined;
  /** The config id as the client knows it, or the hub's own. */
  readonly configId?: string | undefined;
  readonly state?: Delivery['state'] | undefined;
  /** `organization scheme://host:port`. */
  readonly endpoint?: string | undefined;
  readonly organization?: string | undefined;
  /** Made at this time or later. */
  readonly since?: Date | undefined;
  /** Made before this time. */
  readonly until?: Date | undefined;
  /** Of dead letters: given up at this time or later, which may be long after they were made. */
  readonly givenUpSince?: Date | undefined;
  /** Of dead letters: given up before this time. */
  readonly givenUpUntil?: Date | undefined;
  /** These only. */
  readonly ids?: readonly string[] | undefined;
  /** Without test sends. */
  readonly tests?: false | undefined;
}

/** What was done with many deliveries at once. */
export interface BulkOutcome {
  /** Fewer than were found where some have changed meanwhile. */
  readonly count: number;
  /** The id behind which there may be more of them, because the limit was reached; null when there are none. */
  readonly last: string | null;
}

/** How many there are. */
export interface BoundedCount {
  readonly count: number;
  /** There are more than were looked at. */
  readonly isLeast: boolean;
}

/** The dead letters of one receiver. */
export interface LostByReceiver {
  /** `organization scheme://host:port`. */
  readonly endpoint: string;
  readonly count: number;
  /** Those of them that whoever wants to know sees as dead letters. */
  readonly own: number;
  /** Those of them that the receiver answered with a rejection. */
  readonly rejected: number;
  /** When the first and the last of them were given up. */
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** Why they were given up, the most frequent first; {@link MOST_REASONS} at most. */
  readonly reasons: readonly { readonly reason: string | null; readonly count: number }[];
}

export const MOST_REASONS = 5;
/** Receivers that are named with their dead letters. */
export const MOST_LOSING = 100;

/** Dead letters by receiver, without those that the owner of the webhook ended: {@link MOST_LOSING} of those that have most. */
export interface LostEvents {
  readonly receivers: readonly LostByReceiver[];
  readonly total: number;
  /** There are more than were looked at. */
  readonly isLeast: boolean;
}

/** Deliveries that have not ended, and dead letters without those that the owner of the webhook ended; each counted up to a limit. */
export interface DeliveryBacklog {
  readonly pending: number;
  readonly retrying: number;
  readonly deadLetters: number;
  /** When the oldest was made that is pending or retrying; null without any. */
  readonly oldestAt: Date | null;
}

/** What became of deliveries, for people. */
export abstract class DeliveryStore {
  /** Newest first, after the delivery with id `cursor`. */
  abstract list(
    filter: DeliveryFilter,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<Delivery[]>;

  /** What an organization has to come (null: all of them have), at a cost that does not depend on it; each up to `most`. */
  abstract backlog(organization: string | null, most: number): Promise<DeliveryBacklog>;

  /**
   * The dead letters that fit, up to `most`. Whoever sees only its own is told of those among the newest 10000 of its
   * organization.
   */
  abstract countDead(
    filter: DeliveryFilter,
    visibility: Visibility,
    most: number,
  ): Promise<BoundedCount>;

  /**
   * The newest dead letters that fit and were not wanted, `most` of them, by receiver: whoever sees a receiver sees how many it
   * lost, as all of its organization do. Of a task or a webhook those that are seen alone, as {@link countDead}. `since` and
   * `until` are of when they were given up.
   */
  abstract lost(filter: DeliveryFilter, visibility: Visibility, most: number): Promise<LostEvents>;

  abstract get(id: string, visibility: Visibility): Promise<Delivery | undefined>;

  /** Oldest first, after the attempt `afterNumber`; at most `limit`, 1000 when it is left out. */
  abstract attempts(
    deliveryId: string,
    limit?: number,
    afterNumber?: number,
  ): Promise<DeliveryAttempt[]>;

  /**
   * Puts an ended delivery back at the head of its delivery stream, or makes an open one due at once; a paused delivery stream
   * keeps it. Undefined when it is not there for `visibility`; throws HubError CONFLICT when its webhook
   * is gone or disabled, and for a test.
   */
  abstract redeliver(id: string, visibility: Visibility, now: Date): Promise<Delivery | undefined>;

  /**
   * {@link redeliver} for the oldest dead letters that fit behind the id `after`, at most `limit`, those of one delivery
   * stream in their order. Those whose webhook is gone or disabled, or which a replay sends again, are passed over.
   */
  abstract redeliverDead(
    filter: DeliveryFilter,
    visibility: Visibility,
    limit: number,
    now: Date,
    after?: string | null,
  ): Promise<BulkOutcome>;

  /** Deletes the oldest dead letters that fit behind the id `after` with their attempts, at most `limit`. */
  abstract purgeDead(
    filter: DeliveryFilter,
    visibility: Visibility,
    limit: number,
    after?: string | null,
  ): Promise<BulkOutcome>;
}
