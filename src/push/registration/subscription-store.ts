import type { WriteCheck, Visibility } from '../../auth/index.js';
import type { Tx, Work } from '../../database/sql.js';
import type { Subscription, SubscriptionDraft, WebhookState } from './webhook.js';

export interface SubscriptionQuery {
  readonly organization?: string | undefined;
  readonly state?: WebhookState | undefined;
  /** `organization scheme://host:port`. */
  readonly endpoint?: string | undefined;
}

/** The subscriptions, as they are registered. */
export abstract class SubscriptionStore {
  /** Raised by every change of a subscription, whichever process makes it; all processes see the same. */
  abstract revision(): Promise<number>;

  /** {@link revision} as this transaction sees it. */
  abstract revisionIn(tx: Tx): Work<number>;

  /** All subscriptions, oldest first. */
  abstract all(): Promise<Subscription[]>;

  /** {@link all} of these organizations as this transaction sees them. */
  abstract allIn(tx: Tx, organizations: readonly string[]): Work<Subscription[]>;

  /**
   * Throws HubError CONFLICT when the id is taken, INVALID_PARAMS when the organization has `limit`
   * subscriptions made through the API already, and what `admit` throws in the same transaction.
   */
  abstract create(
    draft: SubscriptionDraft,
    limit: number,
    now: Date,
    admit?: WriteCheck,
  ): Promise<Subscription>;

  /** A subscription. */
  abstract get(id: string, visibility: Visibility): Promise<Subscription | undefined>;

  /** Subscriptions by id, oldest first, after the one with id `cursor`. */
  abstract list(
    query: SubscriptionQuery,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<Subscription[]>;
}
