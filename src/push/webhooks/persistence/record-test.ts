import { forUpdate } from '../../../database/rows.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { TestRecord } from '../webhook-store.js';
import type { Delivery } from '../../delivery/delivery.js';
import type { TaskWebhook } from '../../registration/webhook.js';
import { DELIVERY } from '../../delivery/persistence/delivery-rows.js';
import { insertAttempt } from '../../delivery/persistence/record-attempt.js';
import { insertDelivery } from '../../delivery/persistence/insert-delivery.js';

/** See `WebhookStore.recordTest`. */
export function* recordTest(
  tx: Tx,
  webhook: TaskWebhook,
  test: TestRecord,
): Work<Delivery | undefined> {
  const [stream] = yield* tx.all<{ id: string }>(
    `SELECT id FROM push_delivery_streams WHERE id = ?${forUpdate(tx)}`,
    [webhook.streamId],
  );
  if (!stream) return undefined;
  const { id, seq, webhookId, delivered, attempt, reason } = test;
  const sent = { id, seq, webhookId, number: 0, kind: 'test', createdAt: attempt.at } as const;
  yield* insertDelivery(
    tx,
    webhook,
    { ...sent, artifactId: null, body: null, contentType: null },
    attempt.at,
    {
      state: delivered ? 'delivered' : 'dead',
      attempts: 1,
      tries: 1,
      rejections: 0,
      nextAttemptAt: null,
      lastStatus: attempt.status,
      reason,
    },
  );
  yield* insertAttempt(tx, id, attempt);
  return (yield* DELIVERY.all(tx, 'WHERE id = ?', [id]))[0];
}
