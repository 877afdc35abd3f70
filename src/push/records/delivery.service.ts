import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { timeOf } from '../../common/http/field-kinds.js';
import { HubError } from '../../common/hub-error.js';
import { issueCursor, pageOf, readCursor } from '../../common/cursor.js';
import type { Page } from '../../common/page.js';
import { isUuid } from '../../common/uuid.js';
import type { Delivery, DeliveryAttempt } from '../delivery/delivery.js';
import {
  type BoundedCount,
  type BulkOutcome,
  type DeliveryBacklog,
  type DeliveryFilter,
  DeliveryStore,
  type LostEvents,
} from './delivery-store.js';
import { requestedEndpoint, seenBy } from '../receivers/push-access.js';
import { PushWakeup } from '../delivery/push-wakeup.js';

/** What a caller asks for; times as ISO 8601, the endpoint as any URL of it. */
export type RequestedDeliveries = Omit<DeliveryFilter, Times | 'tests'> & {
  readonly [Name in Times]?: string | undefined;
};

type Times = 'since' | 'until' | 'givenUpSince' | 'givenUpUntil';

/** What one call did with many deliveries; null: none is left for another. */
export interface BulkPage {
  readonly count: number;
  readonly nextCursor: string | null;
}

/** Oldest first, so its cursors are not those of the lists. */
const BULK = 'dead-letters-oldest-first';

/**
 * What became of webhook deliveries, for their owners; operators (`admin`) see all. Another caller's
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
    requested: RequestedDeliveries,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<Delivery>> {
    return this.page('deliveries', filterOf(requested, caller), limit, cursor, caller);
  }

  /** Those that ended undelivered, newest first; tests are not among them. */
  async deadLetters(
    requested: RequestedDeliveries,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<Delivery>> {
    const dead = { ...filterOf(requested, caller), state: 'dead', tests: false } as const;
    return this.page('dead-letters', dead, limit, cursor, caller);
  }

  /** How many of {@link deadLetters} there are; counted up to `most`. */
  countDead(
    requested: RequestedDeliveries,
    most: number,
    caller: Principal,
  ): Promise<BoundedCount> {
    return this.deliveries.countDead(filterOf(requested, caller), seenBy(caller), most);
  }

  /**
   * Which receivers lost events: the newest dead letters that fit and that no owner of a webhook wanted, `most` of them, by
   * receiver, of all receivers that the caller sees; of a task or a webhook, of the dead letters that it sees. `since` and `until`
   * are of when they were given up.
   */
  lost(requested: RequestedDeliveries, most: number, caller: Principal): Promise<LostEvents> {
    return this.deliveries.lost(filterOf(requested, caller), seenBy(caller), most);
  }

  /** Of all organizations (null) or one; of each at most `most` are counted. */
  backlog(organization: string | null, most: number): Promise<DeliveryBacklog> {
    return this.deliveries.backlog(organization, most);
  }

  async get(id: string, caller: Principal): Promise<Delivery> {
    const delivery = await this.deliveries.get(id, seenBy(caller));
    if (!delivery) throw notFound();
    return delivery;
  }

  /** Oldest first. */
  async attempts(
    id: string,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<DeliveryAttempt>> {
    const after = cursor === undefined ? 0 : Number(readCursor('attempts', cursor, isNumber));
    const delivery = await this.get(id, caller);
    const found = await this.deliveries.attempts(delivery.id, limit + 1, after);
    return pageOf('attempts', found, limit, ({ number }) => String(number));
  }

  /**
   * Sends a delivery again, ahead of what its webhook still waits for, with the same `webhook-id`; one
   * that is under way is tried at once. CONFLICT when its webhook was deleted or is disabled.
   */
  async redeliver(id: string, caller: Principal): Promise<Delivery> {
    const delivery = await this.deliveries.redeliver(id, seenBy(caller), this.clock.now());
    if (!delivery) throw notFound();
    this.wakeup.notify();
    return delivery;
  }

  /** {@link redeliver} for the oldest dead letters that fit; those it cannot be done for are passed over. */
  async redeliverDead(
    requested: RequestedDeliveries,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<BulkPage> {
    const filter = filterOf(requested, caller);
    const [now, after] = [this.clock.now(), bulkPlace(cursor)];
    const outcome = await this.deliveries.redeliverDead(filter, seenBy(caller), limit, now, after);
    this.wakeup.notify();
    return bulkPage(outcome);
  }

  /** Deletes the oldest dead letters that fit, with their attempts. */
  async purgeDead(
    requested: RequestedDeliveries,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<BulkPage> {
    const [filter, after] = [filterOf(requested, caller), bulkPlace(cursor)];
    return bulkPage(await this.deliveries.purgeDead(filter, seenBy(caller), limit, after));
  }

  private async page(
    list: 'deliveries' | 'dead-letters',
    filter: DeliveryFilter,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<Delivery>> {
    const after = cursor === undefined ? null : readCursor(list, cursor, isUuid);
    const found = await this.deliveries.list(filter, seenBy(caller), limit + 1, after);
    return pageOf(list, found, limit, ({ id }) => id);
  }
}

/** The id behind which a call goes on; null at the beginning. */
function bulkPlace(cursor: string | undefined): string | null {
  return cursor === undefined ? null : readCursor(BULK, cursor, isUuid);
}

function bulkPage({ count, last }: BulkOutcome): BulkPage {
  return { count, nextCursor: last === null ? null : issueCursor(BULK, last) };
}

function filterOf(requested: RequestedDeliveries, caller: Principal): DeliveryFilter {
  const { since, until, givenUpSince, givenUpUntil, endpoint, ...others } = requested;
  return {
    ...others,
    endpoint: requestedEndpoint(endpoint, requested.organization, caller),
    since: timeOf(since),
    until: timeOf(until),
    givenUpSince: timeOf(givenUpSince),
    givenUpUntil: timeOf(givenUpUntil),
  };
}

function isNumber(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

function notFound(): HubError {
  return new HubError('NOT_FOUND', 'There is no such delivery.');
}
