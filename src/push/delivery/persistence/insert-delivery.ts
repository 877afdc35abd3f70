import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { TaskWebhook } from '../../registration/webhook.js';
import type { DeliveryDraft } from '../delivery-stream-store.js';

/** A delivery that has just been stored and not tried. */
const UNTRIED: StoredState = {
  state: 'pending',
  attempts: 0,
  tries: 0,
  rejections: 0,
  nextAttemptAt: null,
  lastStatus: null,
  reason: null,
};

/** The state of a delivery as it is stored. */
export interface StoredState {
  readonly state: string;
  readonly attempts: number;
  readonly tries: number;
  readonly rejections: number;
  readonly nextAttemptAt: number | null;
  readonly lastStatus: number | null;
  readonly reason: string | null;
}

/** What deliveries keep of their webhook. */
export type DeliveryOwner = Pick<
  TaskWebhook,
  'uid' | 'taskId' | 'configId' | 'endpoint' | 'organization' | 'principalId'
>;

export interface NewDelivery extends DeliveryDraft {
  readonly id: string;
  readonly number: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Stores a delivery of a stream: each row of `push_deliveries` is written here. */
export function* insertDelivery(
  tx: Tx,
  webhook: DeliveryOwner,
  delivery: NewDelivery,
  at: number,
  stands: Partial<StoredState> = {},
): Work<void> {
  const as: StoredState = { ...UNTRIED, ...stands };
  const columns: Readonly<Record<string, SqlValue>> = {
    id: delivery.id,
    stream_id: webhook.uid,
    task_id: webhook.taskId,
    config_id: webhook.configId,
    endpoint: webhook.endpoint,
    organization: webhook.organization,
    principal_id: webhook.principalId,
    number: delivery.number,
    seq: delivery.seq,
    kind: delivery.kind,
    artifact_id: storable(delivery.artifactId),
    webhook_id: delivery.webhookId,
    state: as.state,
    attempts: as.attempts,
    tries: as.tries,
    rejections: as.rejections,
    redelivered: 0,
    body: delivery.body,
    content_type: delivery.contentType,
    next_attempt_at: as.nextAttemptAt,
    last_status: as.lastStatus,
    reason: storable(as.reason),
    created_at: delivery.createdAt,
    updated_at: at,
  };
  const values = Object.values(columns);
  yield* tx.run(
    `INSERT INTO push_deliveries (${Object.keys(columns).join(', ')})
     VALUES (${values.map(() => '?').join(', ')})`,
    values,
  );
}
