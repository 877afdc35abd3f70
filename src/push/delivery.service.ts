import { Injectable } from '@nestjs/common';
import {
  EVERYTHING,
  hasScope,
  type Principal,
  type Visibility,
  visibilityOf,
} from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import { issueCursor, readCursor } from '../common/cursor.js';
import type { Page } from '../common/page.js';
import type { Delivery, DeliveryAttempt } from './delivery.js';
import { type DeliveryFilter, DeliveryStore } from './delivery-store.js';
import { PushWakeup } from './push-wakeup.js';

/**
 * What became of webhook deliveries, for their owners; operators (`admin`) see all. A stranger's
 * delivery is NOT_FOUND, like one that does not exist.
 */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly deliveries: DeliveryStore,
    private readonly clock: Clock,
    private readonly wakeup: PushWakeup,
  ) {}

  /** Newest first. */
  async list(
    filter: DeliveryFilter,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<Delivery>> {
    const scope = sees(caller);
    const after = cursor === undefined ? null : readCursor(cursor, isUuid);
    const found = await this.deliveries.list(filter, scope, limit + 1, after);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last ? issueCursor(last.id) : null };
  }

  /** Oldest first. */
  async attempts(id: string, caller: Principal): Promise<readonly DeliveryAttempt[]> {
    const delivery = await this.deliveries.get(id, sees(caller));
    if (!delivery) throw notFound(id);
    return this.deliveries.attempts(delivery.id);
  }

  /**
   * Sends a delivery again, ahead of what its webhook still waits for, with the same `webhook-id`; one
   * that is under way is tried at once. CONFLICT when its webhook was deleted or is disabled.
   */
  async redeliver(id: string, caller: Principal): Promise<Delivery> {
    const delivery = await this.deliveries.redeliver(id, sees(caller), this.clock.now());
    if (!delivery) throw notFound(id);
    this.wakeup.ring();
    return delivery;
  }
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

function sees(caller: Principal): Visibility {
  return hasScope(caller, 'admin') ? EVERYTHING : visibilityOf(caller);
}

function notFound(id: string): HubError {
  return new HubError('NOT_FOUND', 'There is no such delivery.', { metadata: { id } });
}
