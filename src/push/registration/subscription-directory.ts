import { Injectable } from '@nestjs/common';
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
export class SubscriptionDirectory extends RevisionedCache<Subscription> {
  private byOrganization: ReadonlyMap<string, readonly Subscription[]> = new Map();
  private known = -1;

  constructor(store: SubscriptionStore, clock: Clock, log: Log) {
    super(store, 'subscriptions', clock, log);
  }

  /** The revision the memory is of. */
  get revision(): number {
    return this.known;
  }

  of(organization: string): readonly Subscription[] {
    return this.byOrganization.get(organization) ?? NONE;
  }

  protected override onReload(all: readonly Subscription[], revision: number): void {
    this.byOrganization = grouped(all);
    this.known = revision;
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
