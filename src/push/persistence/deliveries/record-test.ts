import type { Tx, Work } from '../../../database/sql.js';
import type { TestRecord } from '../../webhooks/webhook-store.js';
import type { Delivery } from '../../deliveries/delivery.js';
import type { TaskWebhook } from '../../webhooks/webhook.js';
import { DELIVERY_COLUMNS, type DeliveryRow, forUpdate, toDelivery } from '../push-rows.js';
import { insertAttempt } from '../lanes/settle-lane.js';
import { insertDelivery } from './insert-delivery.js';

/** See `WebhookStore.recordTest`. */
export function* recordTest(
  tx: Tx,
  webhook: TaskWebhook,
  test: TestRecord,
): Work<Delivery | undefined> {
  const [lane] = yield* tx.all<{ id: string }>(
    `SELECT id FROM push_lanes WHERE id = ?${forUpdate(tx)}`,
    [webhook.uid],
  );
  if (!lane) return undefined;
  const { id, seq, webhookId, delivered, attempt, reason } = test;
  const at = attempt.at.getTime();
  const sent = { id, seq, webhookId, number: 0, kind: 'test', createdAt: at } as const;
  yield* insertDelivery(
    tx,
    webhook,
    { ...sent, artifactId: null, body: null, contentType: null },
    at,
    {
      state: delivered ? 'delivered' : 'dead',
      attempts: 1,
      tries: 1,
      lastStatus: attempt.status,
      reason,
    },
  );
  yield* insertAttempt(tx, id, attempt);
  const [row] = yield* tx.all<DeliveryRow>(
    `SELECT ${DELIVERY_COLUMNS} FROM push_deliveries WHERE id = ?`,
    [id],
  );
  return toDelivery(row!);
}
