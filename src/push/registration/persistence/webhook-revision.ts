import { Revision } from '../../../database/revision.js';
import type { Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { TaskWebhook } from '../webhook.js';
import { DELETED } from './webhook-rows.js';

/*
 * The number by which every process sees that a subscription has changed, and the changes of
 * subscriptions that deliveries bring about.
 */

/** Its row is locked before the subscriptions are, by everybody: so one change comes in after another. */
export const REVISION = new Revision('push_webhook_revisions');

/**
 * Has a subscription know what became of a delivery. A receiver that wants no more (410, `isGone`) of one
 * task's events wants none of the others' either, so that is the subscription's end. A task of which
 * every attempt failed for too long is delivered no more; the others are. What became of something that was sent with a former
 * address or secret says nothing of what it is now.
 */
export function* recordOnSubscription(
  tx: Tx,
  { subscriptionId, state, stateReason, fingerprint }: TaskWebhook,
  isGone: boolean,
  now: Date,
): Work<void> {
  if (subscriptionId === null || state === 'paused') return;
  if (state === 'disabled' && !isGone) return;
  const from = { active: `= 'failing'`, failing: `= 'active'`, disabled: `<> '${DELETED}'` };
  const revision = state === 'disabled' ? yield* REVISION.raise(tx) : null;
  yield* tx.run(
    `UPDATE push_webhooks SET state = ?, state_reason = ?, updated_at = ?,
       reconcile_revision = COALESCE(CAST(? AS bigint), reconcile_revision)
     WHERE id = ? AND fingerprint = ? AND state ${from[state]}`,
    [state, storable(stateReason), now.getTime(), revision, subscriptionId, fingerprint],
  );
}

/** Whether a subscription has another address or other secrets than the webhook that was sent, or is gone. */
export function* isReplaced(
  tx: Tx,
  { subscriptionId, fingerprint }: Pick<TaskWebhook, 'subscriptionId' | 'fingerprint'>,
): Work<boolean> {
  if (subscriptionId === null) return false;
  const same = yield* tx.all(
    `SELECT 1 AS one FROM push_webhooks WHERE id = ? AND fingerprint = ? AND state <> '${DELETED}'`,
    [subscriptionId, fingerprint],
  );
  return same.length === 0;
}

/** Disables the subscriptions of an endpoint that were not changed after `since`; their delivery streams follow. */
export function* disableSubscriptions(
  tx: Tx,
  endpoint: string,
  reason: string,
  since: number,
  now: Date,
): Work<void> {
  const some = yield* tx.all(
    `SELECT 1 AS one FROM push_webhooks WHERE endpoint = ? AND scope <> 'task' LIMIT 1`,
    [endpoint],
  );
  if (some.length === 0) return;
  const revision = yield* REVISION.raise(tx);
  yield* tx.run(
    `UPDATE push_webhooks SET state = 'disabled', state_reason = ?, updated_at = ?, reconcile_revision = ?
     WHERE endpoint = ? AND scope <> 'task' AND state IN ('active', 'failing') AND updated_at <= ?`,
    [reason, now.getTime(), revision, endpoint, since],
  );
}
