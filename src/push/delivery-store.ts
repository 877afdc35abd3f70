import type { Visibility } from '../auth/index.js';
import type { Delivery, DeliveryAttempt } from './delivery.js';

export interface DeliveryFilter {
  readonly taskId?: string;
  readonly configId?: string;
  readonly state?: Delivery['state'];
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

  abstract get(id: string, visibility: Visibility): Promise<Delivery | undefined>;

  /** Oldest first. */
  abstract attempts(deliveryId: string): Promise<DeliveryAttempt[]>;

  /**
   * Puts an ended delivery back at the head of its lane, or makes an open one due at once. Undefined
   * when it is not there for `visibility`; throws HubError CONFLICT when its webhook is gone or
   * disabled.
   */
  abstract redeliver(id: string, visibility: Visibility, now: Date): Promise<Delivery | undefined>;
}
