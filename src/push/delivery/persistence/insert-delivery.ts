import type { Tx, Work } from '../../../database/sql.js';
import type { TaskWebhook } from '../../registration/webhook.js';
import { type Delivery, UNTRIED } from '../delivery.js';
import type { DeliveryDraft } from '../delivery-stream-store.js';
import { DELIVERIES } from './delivery-rows.js';

/** The state of a delivery as it is stored. */
export type StoredState = Pick<
  Delivery,
  'state' | 'attempts' | 'tries' | 'rejections' | 'nextAttemptAt' | 'lastStatus' | 'reason'
>;

/** What deliveries keep of their webhook. */
export type DeliveryOwner = Pick<
  TaskWebhook,
  'streamId' | 'taskId' | 'configId' | 'endpoint' | 'organization' | 'principalId'
>;

export interface NewDelivery extends DeliveryDraft {
  readonly id: string;
  readonly number: number;
  readonly createdAt: Date;
}

const INSERT = DELIVERIES.insert();

/** Stores a delivery of a stream: each row of `push_deliveries` is written here. */
export function* insertDelivery(
  tx: Tx,
  { streamId, taskId, configId, endpoint, organization, principalId }: DeliveryOwner,
  { id, number, seq, kind, artifactId, webhookId, body, contentType, createdAt }: NewDelivery,
  now: Date,
  state: Partial<StoredState> = {},
): Work<void> {
  yield* INSERT.one(tx, {
    ...UNTRIED,
    ...state,
    ...{ id, number, seq, kind, artifactId, webhookId, body, contentType, createdAt },
    ...{ streamId, taskId, configId, endpoint, organization, principalId },
    redelivered: false,
    updatedAt: now,
  });
}
