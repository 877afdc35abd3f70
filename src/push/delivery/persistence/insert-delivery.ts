import type { Tx, Work } from '../../../database/sql.js';
import type { TaskWebhook } from '../../registration/webhook.js';
import { type Delivery, UNTRIED } from '../delivery.js';
import type { DeliveryDraft } from '../delivery-stream-store.js';
import { DELIVERIES } from './delivery-rows.js';
import type { PushDeliveryEntity } from './delivery.entity.js';

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

/** Stores a delivery of a stream. */
export function* insertDelivery(
  tx: Tx,
  webhook: DeliveryOwner,
  delivery: NewDelivery,
  now: Date,
  state: StoredState = UNTRIED,
): Work<void> {
  yield* INSERT.one(tx, rowOf(webhook, delivery, now, state));
}

/** A delivery that is stored with others. */
export interface StoredDelivery {
  readonly webhook: DeliveryOwner;
  readonly delivery: NewDelivery;
  readonly now: Date;
  readonly state: StoredState;
}

/** {@link insertDelivery} of several, in few statements. */
export function* insertDeliveries(tx: Tx, deliveries: readonly StoredDelivery[]): Work<void> {
  const rows = deliveries.map(({ webhook, delivery, now, state }) =>
    rowOf(webhook, delivery, now, state),
  );
  yield* INSERT.apply(tx, rows);
}

/** Member by member: an object that is put together of others is slow, and this is done for each webhook. */
function rowOf(
  webhook: DeliveryOwner,
  delivery: NewDelivery,
  now: Date,
  state: StoredState,
): PushDeliveryEntity {
  return {
    id: delivery.id,
    streamId: webhook.streamId,
    taskId: webhook.taskId,
    configId: webhook.configId,
    endpoint: webhook.endpoint,
    organization: webhook.organization,
    principalId: webhook.principalId,
    number: delivery.number,
    seq: delivery.seq,
    kind: delivery.kind,
    artifactId: delivery.artifactId,
    webhookId: delivery.webhookId,
    body: delivery.body,
    contentType: delivery.contentType,
    state: state.state,
    attempts: state.attempts,
    tries: state.tries,
    rejections: state.rejections,
    nextAttemptAt: state.nextAttemptAt,
    lastStatus: state.lastStatus,
    reason: state.reason,
    redelivered: false,
    createdAt: delivery.createdAt,
    updatedAt: now,
  };
}
