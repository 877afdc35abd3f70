import { type WriteCheck, type Visibility, visibleRows } from '../../../auth/index.js';
import { HubError, invalidField } from '../../../common/hub-error.js';
import type { Database } from '../../../database/database.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { SubscriptionQuery } from '../subscription-store.js';
import {
  type Subscription,
  type SubscriptionDraft,
  type Webhook,
  isSubscription,
} from '../webhook.js';
import { REVISION } from './webhook-revision.js';
import { DELETED, WEBHOOK, insertWebhook } from './webhook-rows.js';

/** Subscriptions that are not deleted. */
const LIVE = `scope <> 'task' AND state <> '${DELETED}'`;

/** Sorted here: an order by id would have SQLite walk past the webhooks of all tasks. */
export async function allSubscriptions(database: Database): Promise<Subscription[]> {
  const rows = await WEBHOOK.list(database, `WHERE ${LIVE}`);
  return rows.filter(isSubscription).sort(byId);
}

/** See `SubscriptionStore.allIn`. */
export function* subscriptionsIn(tx: Tx, organizations: readonly string[]): Work<Subscription[]> {
  const found: Webhook[] = [];
  for (const piece of pieces(organizations)) {
    const rows = yield* WEBHOOK.all(
      tx,
      `WHERE organization IN ${listOf(piece.length)} AND ${LIVE}`,
      piece,
    );
    found.push(...rows);
  }
  return found.filter(isSubscription).sort(byId);
}

export async function findSubscription(
  database: Database,
  id: string,
  visibility: Visibility,
): Promise<Subscription | undefined> {
  const scope = visibleRows(visibility);
  const rows = await WEBHOOK.list(database, `WHERE id = ? AND ${LIVE} AND ${scope.sql}`, [
    storable(id),
    ...scope.params,
  ]);
  return rows.filter(isSubscription)[0];
}

export async function listSubscriptions(
  database: Database,
  query: SubscriptionQuery,
  visibility: Visibility,
  limit: number,
  cursor: string | null,
): Promise<Subscription[]> {
  const scope = visibleRows(visibility);
  const conditions = [LIVE, scope.sql];
  const params: SqlValue[] = [...scope.params];
  const where = (sql: string, value: string | null | undefined): void => {
    if (value === null || value === undefined) return;
    conditions.push(sql);
    params.push(storable(value));
  };
  where('organization = ?', query.organization);
  where('state = ?', query.state);
  where('endpoint = ?', query.endpoint);
  where('id > ?', cursor);
  const rows = await WEBHOOK.list(
    database,
    `WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT ?`,
    [...params, limit],
  );
  return rows.filter(isSubscription);
}

/** See `SubscriptionStore.create`. */
export function* createSubscription(
  tx: Tx,
  draft: SubscriptionDraft,
  limit: number,
  now: Date,
  admit?: WriteCheck,
): Work<Subscription> {
  const subscription: Subscription = {
    ...draft,
    setBy: null,
    taskId: null,
    configId: null,
    state: 'active',
    stateReason: null,
    createdAt: now,
    updatedAt: now,
  };
  yield* REVISION.raise(tx);
  if (admit !== undefined) yield* admit(tx);
  yield* refuseTaken(tx, draft.id);
  if (draft.source === 'api') yield* refuseTooMany(tx, draft.organization, limit);
  yield* insertWebhook(tx, subscription);
  return subscription;
}

function* refuseTaken(tx: Tx, id: string): Work<void> {
  const [taken] = yield* tx.all('SELECT id FROM push_webhooks WHERE id = ?', [id]);
  if (taken !== undefined) {
    throw new HubError('CONFLICT', `There is a subscription ${id} already.`);
  }
}

function* refuseTooMany(tx: Tx, organization: string, limit: number): Work<void> {
  const [row] = yield* tx.all<{ total: number }>(
    `SELECT COUNT(*) AS total FROM push_webhooks
     WHERE organization = ? AND source = 'api' AND ${LIVE}`,
    [organization],
  );
  if ((row?.total ?? 0) >= limit) {
    throw invalidField(
      'organization',
      `has ${limit} subscriptions already (push.maxSubscriptions); delete one first`,
    );
  }
}

function byId(a: Subscription, b: Subscription): number {
  return a.id < b.id ? -1 : 1;
}
