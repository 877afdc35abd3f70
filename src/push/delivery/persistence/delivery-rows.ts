import { toDate } from '../../../database/rows.js';
import type { Delivery, DeliveryAttempt, DeliveryKind, DeliveryState } from '../delivery.js';
import type { StreamCursor } from '../domain/delivery-plan.js';
import type { DeliveryStream } from '../delivery-stream-store.js';
import type { TaskWebhook } from '../../registration/webhook.js';

export interface StreamRow {
  readonly id: string;
  readonly task_id: string;
  readonly webhook_uid: string;
  readonly organization: string;
  readonly endpoint: string;
  readonly active: number;
  readonly every_event: number;
  readonly next_seq: number;
  readonly head_seq: number;
  readonly cursor: string | null;
  readonly open: number;
  readonly last_number: number;
  readonly gap_seq: number | null;
  readonly due_at: number | null;
  readonly lease_until: number | null;
  readonly epoch: number;
  readonly traceparent: string | null;
  readonly state: string;
  readonly state_reason: string | null;
  readonly failing_since: number | null;
  readonly last_failure_at: number | null;
  readonly created_at: number;
}

export interface DeliveryRow {
  readonly id: string;
  readonly stream_id: string;
  readonly task_id: string;
  readonly config_id: string;
  readonly endpoint: string;
  readonly organization: string;
  readonly principal_id: string;
  readonly number: number;
  readonly seq: number;
  readonly kind: string;
  readonly artifact_id: string | null;
  readonly webhook_id: string;
  readonly state: string;
  readonly attempts: number;
  readonly tries: number;
  readonly rejections: number;
  readonly redelivered: number;
  readonly body: string | null;
  readonly content_type: string | null;
  readonly next_attempt_at: number | null;
  readonly last_status: number | null;
  readonly reason: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** All columns but the body, which lists do not need. */
export const DELIVERY_COLUMNS = `id, stream_id, task_id, config_id, endpoint,
  organization, principal_id, number, seq, kind, artifact_id, webhook_id, state, attempts, tries, rejections, redelivered,
  content_type, next_attempt_at, last_status, reason, created_at, updated_at`;

export interface AttemptRow {
  readonly number: number;
  readonly at: number;
  readonly duration_ms: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

export function toDelivery(row: Omit<DeliveryRow, 'body'>): Delivery {
  return {
    id: row.id,
    streamId: row.stream_id,
    taskId: row.task_id,
    configId: row.config_id,
    endpoint: row.endpoint,
    organization: row.organization,
    principalId: row.principal_id,
    number: row.number,
    seq: row.seq,
    kind: row.kind as DeliveryKind,
    artifactId: row.artifact_id,
    webhookId: row.webhook_id,
    state: row.state as DeliveryState,
    attempts: row.attempts,
    tries: row.tries,
    rejections: row.rejections,
    redelivered: row.redelivered === 1,
    contentType: row.content_type,
    nextAttemptAt: toDate(row.next_attempt_at),
    lastStatus: row.last_status,
    reason: row.reason,
    createdAt: new Date(Number(row.created_at)),
    updatedAt: new Date(Number(row.updated_at)),
  };
}

export function toAttempt(row: AttemptRow): DeliveryAttempt {
  return {
    number: row.number,
    at: new Date(Number(row.at)),
    durationMs: row.duration_ms,
    status: row.status,
    error: row.error,
    response: row.response,
  };
}

export function toStream(row: StreamRow, webhook: TaskWebhook): DeliveryStream {
  return {
    id: row.id,
    webhook,
    endpoint: row.endpoint,
    dueSince: null,
    probeUntil: null,
    isEarly: false,
    epoch: row.epoch,
    leaseUntil: new Date(Number(row.lease_until)),
    nextSeq: row.next_seq,
    cursor: row.cursor === null ? null : (JSON.parse(row.cursor) as StreamCursor),
    open: row.open,
    lastNumber: row.last_number,
    gapSeq: row.gap_seq,
  };
}
