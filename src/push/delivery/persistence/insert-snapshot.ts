import type { Tx, Work } from '../../../database/sql.js';
import { UNTRIED } from '../delivery.js';
import { snapshotWebhookId } from '../domain/webhook-id.js';
import { type DeliveryOwner, insertDelivery } from './insert-delivery.js';

/** A delivery of the task as it is after entry `seq`; `dead`: as a dead letter with that reason, which can be redelivered. */
export function* insertSnapshot(
  tx: Tx,
  id: string,
  webhook: DeliveryOwner,
  seq: number,
  number: number,
  now: Date,
  dead: string | null = null,
): Work<void> {
  const snapshot = {
    id,
    number,
    seq,
    kind: 'snapshot',
    artifactId: null,
    webhookId: snapshotWebhookId(webhook.streamId, seq, number),
    body: null,
    contentType: null,
    createdAt: now,
  } as const;
  const stands = dead === null ? UNTRIED : ({ ...UNTRIED, state: 'dead', reason: dead } as const);
  yield* insertDelivery(tx, webhook, snapshot, now, stands);
}
