import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { RevisionedCache } from '../../common/revisioned-cache.js';
import { Log } from '../../common/logger.js';
import type { Subscription } from './webhook.js';
import { SubscriptionStore } from './subscription-store.js';

const NONE: readonly Subscription[] = [];

/**
 * All subscriptions in memory, for the commit of every task: those of an organization cost no statement.
 * It is renewed with each change made in this process before that change is answered, and at most a
 * second after one made in another; {@link revision} says how new it is.
 */
@Injectable()
export class SubscriptionDirectory implements OnModuleInit, OnModuleDestroy {
  private byOrganization: ReadonlyMap<string, readonly Subscription[]> = new Map();
  private known = -1;
  private requested = -1;
  private readonly cache: RevisionedCache<Subscription>;

  constructor(store: SubscriptionStore, clock: Clock, log: Log) {
    const watched = {
      // The list is read after the number, so it is as new as that or newer.
      revision: async () => (this.requested = await store.revision()),
      all: () => store.all(),
    };
    this.cache = new RevisionedCache(
      watched,
      (all) => this.onReload(all),
      'subscriptions',
      clock,
      log,
    );
  }

  onModuleInit(): Promise<void> {
    return this.cache.follow();
  }

  onModuleDestroy(): void {
    this.cache.stop();
  }

  /** The revision the memory is of. */
  get revision(): number {
    return this.known;
  }

  of(organization: string): readonly Subscription[] {
    return this.byOrganization.get(organization) ?? NONE;
  }

  /** Reads all again if any changed; resolves when the memory holds what the database does. */
  renew(): Promise<void> {
    return this.cache.renew();
  }

  private onReload(all: readonly Subscription[]): void {
    this.byOrganization = grouped(all);
    this.known = this.requested;
  }
}

/** The subscriptions of each organization. */
export function grouped(
  all: readonly Subscription[],
): ReadonlyMap<string, readonly Subscription[]> {
  const groups = new Map<string, Subscription[]>();
  for (const each of all) {
    const group = groups.get(each.organization);
    if (group === undefined) groups.set(each.organization, [each]);
    else group.push(each);
  }
  return groups;
}
