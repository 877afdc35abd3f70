import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { DeliveryDraft, Lane } from '../../lanes/lane-store.js';

/** A delivery that has just been stored and not tried. */
const UNTRIED = {
  state: 'pending',
  attempts: 0,
  tries: 0,
  rejections: 0,
  nextAttemptAt: null,
  lastStatus: null,
  reason: null,
} as const;

/** How a delivery stands as it is stored. */
export interface StoredState {
  readonly state: string;
  readonly attempts: number;
  readonly tries: number;
  readonly rejections: number;
  readonly nextAttemptAt: number | null;
  readonly lastStatus: number | null;
  readonly reason: string | null;
}

export interface NewDelivery extends DeliveryDraft {
  readonly id: string;
  readonly number: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Stores what the log said for a lane. */
export function* insertDelivery(
  tx: Tx,
  lane: Lane,
  delivery: NewDelivery,
  at: number,
  stands: StoredState = UNTRIED,
): Work<void> {
  const { id: laneId, config } = lane;
  const columns: Readonly<Record<string, SqlValue>> = {
    id: delivery.id,
    lane_id: laneId,
    config_uid: config.uid,
    task_id: config.taskId,
    config_id: config.configId,
    endpoint: config.endpoint,
    organization: config.organization,
    principal_id: config.principalId,
    number: delivery.number,
    seq: delivery.seq,
    kind: delivery.kind,
    artifact_id: storable(delivery.artifactId),
    webhook_id: delivery.webhookId,
    state: stands.state,
    attempts: stands.attempts,
    tries: stands.tries,
    rejections: stands.rejections,
    redelivered: 0,
    body: delivery.body,
    content_type: delivery.contentType,
    next_attempt_at: stands.nextAttemptAt,
    last_status: stands.lastStatus,
    reason: storable(stands.reason),
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
