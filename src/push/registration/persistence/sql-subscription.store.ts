import { Injectable } from '@nestjs/common';
import type { WriteCheck, Visibility } from '../../../auth/index.js';
import { Database } from '../../../database/database.js';
import type { Tx, Work } from '../../../database/sql.js';
import { type SubscriptionQuery, SubscriptionStore } from '../subscription-store.js';
import type { Subscription, SubscriptionDraft } from '../webhook.js';
import {
  allSubscriptions,
  createSubscription,
  findSubscription,
  listSubscriptions,
  subscriptionsIn,
} from './subscription-rows.js';
import { REVISION } from './webhook-revision.js';

/** {@link SubscriptionStore} on the hub's database. */
@Injectable()
export class SqlSubscriptionStore extends SubscriptionStore {
  constructor(private readonly database: Database) {
    super();
  }

  revision(): Promise<number> {
    return REVISION.read(this.database);
  }

  revisionIn(tx: Tx): Work<number> {
    return REVISION.readIn(tx);
  }

  all(): Promise<Subscription[]> {
    return allSubscriptions(this.database);
  }

  allIn(tx: Tx, organizations: readonly string[]): Work<Subscription[]> {
    return subscriptionsIn(tx, organizations);
  }

  create(
    draft: SubscriptionDraft,
    limit: number,
    now: Date,
    admit?: WriteCheck,
  ): Promise<Subscription> {
    return this.database.write((tx) => createSubscription(tx, draft, limit, now, admit));
  }

  get(id: string, visibility: Visibility): Promise<Subscription | undefined> {
    return findSubscription(this.database, id, visibility);
  }

  list(
    query: SubscriptionQuery,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<Subscription[]> {
    return listSubscriptions(this.database, query, visibility, limit, cursor);
  }
}
