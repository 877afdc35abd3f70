import type { Database } from '../../../database/database.js';
import { listOf } from '../../../database/multi-row.js';
import type { SqlValue } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { ConfigFilter } from '../../configs/managed-config-store.js';
import type { PushConfig } from '../../configs/push-config.js';
import { type ConfigRow, toConfig } from '../push-rows.js';
import {
  DELETED,
  type SubscriptionRow,
  toSubscription,
  underSubscription,
} from '../subscriptions/subscription-rows.js';

/*
 * What can change of a webhook that a subscription made is the subscription's row alone. So people are
 * shown, and find, what that says now.
 */

/** The webhooks of these rows, those of subscriptions as these are now. */
export async function shownWebhooks(
  database: Database,
  rows: readonly ConfigRow[],
): Promise<PushConfig[]> {
  const ids = new Set(rows.flatMap(({ subscription_id: id }) => (id === null ? [] : [id])));
  const found =
    ids.size === 0
      ? []
      : await database.read<SubscriptionRow>(
          `SELECT * FROM push_subscriptions
           WHERE id IN ${listOf(ids.size)} AND state <> '${DELETED}'`,
          [...ids],
        );
  const byId = new Map(found.map((row) => [row.id, toSubscription(row)]));
  return rows.map((row) => {
    const config = toConfig(row);
    const of = row.subscription_id === null ? undefined : byId.get(row.subscription_id);
    if (of === undefined) return config;
    const { state, stateReason } = of;
    const now = underSubscription(config, of);
    if (state === 'paused' || state === 'disabled') return { ...now, state, stateReason };
    // Given up by itself, it stays so until the subscription is resumed.
    return config.state === 'disabled' ? { ...now, state: config.state } : now;
  });
}

/** A condition on `push_configs`. */
interface Condition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** The webhooks that are shown with these members; see {@link shownWebhooks}. */
export function* shownAs({ url, endpoint, state }: ConfigFilter): Generator<Condition> {
  if (url !== undefined) yield toldAt('url', url);
  if (endpoint !== undefined) yield toldAt('endpoint', endpoint);
  if (state !== undefined) yield inState(state);
}

function ofSubscription(what: string): string {
  return `(SELECT ${what} FROM push_subscriptions s
    WHERE s.id = push_configs.subscription_id AND s.state <> '${DELETED}')`;
}

/** Where it is told. The first condition is for the indexes, the second says it. */
function toldAt(column: 'url' | 'endpoint', given: string): Condition {
  const value = storable(given);
  return {
    sql: `(${column} = ? OR subscription_id IN
        (SELECT id FROM push_subscriptions WHERE ${column} = ?))
      AND COALESCE(${ofSubscription(`s.${column}`)}, ${column}) = ?`,
    params: [value, value, value],
  };
}

/** In the place of its own state: that of its subscription, where that counts. */
const SHOWN_STATE = `COALESCE(${ofSubscription(`CASE
    WHEN s.state IN ('paused', 'disabled')
      OR s.state = 'failing' AND push_configs.state = 'active' THEN s.state END`)}, state)`;

function inState(state: PushConfig['state']): Condition {
  if (state === 'active') {
    return { sql: `state = 'active' AND ${SHOWN_STATE} = 'active'`, params: [] };
  }
  return {
    sql: `(state <> 'active' OR subscription_id IN
        (SELECT id FROM push_subscriptions WHERE state = ?)) AND ${SHOWN_STATE} = ?`,
    params: [state, state],
  };
}
