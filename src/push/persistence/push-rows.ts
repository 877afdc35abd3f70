import type { Visibility } from '../../auth/index.js';
import type { ProtocolVersion } from '../../routing/index.js';
import type { SqlValue, Tx } from '../../database/sql.js';
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryKind,
  DeliveryState,
} from '../deliveries/delivery.js';
import type { LaneCursor } from '../domain/delivery-plan.js';
import type { Lane } from '../lanes/lane-store.js';
import type {
  AuthScheme,
  EventChoice,
  PushConfig,
  PushConfigState,
} from '../configs/push-config.js';

export interface ConfigRow {
  readonly uid: string;
  readonly task_id: string;
  readonly config_id: string;
  readonly principal_id: string;
  readonly set_by: string | null;
  readonly organization: string;
  readonly url: string;
  readonly endpoint: string;
  readonly version: string;
  readonly auth_scheme: string | null;
  readonly auth_names: string;
  readonly auth_profile: string | null;
  readonly sealed_credentials: string | null;
  readonly sealed_token: string | null;
  readonly sealed_signing_keys: string | null;
  readonly events: string;
  readonly subscription_id: string | null;
  readonly fingerprint: string;
  readonly verified: number;
  readonly traceparent: string | null;
  readonly state: string;
  readonly state_reason: string | null;
  readonly failing_since: number | null;
  readonly last_failure_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface LaneRow {
  readonly id: string;
  readonly task_id: string;
  readonly config_uid: string;
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
}

export interface DeliveryRow {
  readonly id: string;
  readonly lane_id: string;
  readonly config_uid: string;
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
export const DELIVERY_COLUMNS = `id, lane_id, config_uid, task_id, config_id, endpoint,
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

export function toConfig(row: ConfigRow): PushConfig {
  return {
    uid: row.uid,
    taskId: row.task_id,
    configId: row.config_id,
    principalId: row.principal_id,
    organization: row.organization,
    url: row.url,
    endpoint: row.endpoint,
    version: row.version as ProtocolVersion,
    authScheme: row.auth_scheme as AuthScheme | null,
    authNames: JSON.parse(row.auth_names) as string[],
    authProfile: row.auth_profile,
    sealedCredentials: row.sealed_credentials,
    sealedToken: row.sealed_token,
    sealedSigningKeys: row.sealed_signing_keys,
    events: row.events as EventChoice,
    subscriptionId: row.subscription_id,
    fingerprint: row.fingerprint,
    verified: row.verified === 1,
    traceparent: row.traceparent,
    state: row.state as PushConfigState,
    stateReason: row.state_reason,
    failingSince: toDate(row.failing_since),
    lastFailureAt: toDate(row.last_failure_at),
    createdAt: new Date(Number(row.created_at)),
    updatedAt: new Date(Number(row.updated_at)),
  };
}

export function toDelivery(row: Omit<DeliveryRow, 'body'>): Delivery {
  return {
    id: row.id,
    laneId: row.lane_id,
    configUid: row.config_uid,
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

export function toLane(row: LaneRow, config: PushConfig): Lane {
  return {
    id: row.id,
    config,
    endpoint: row.endpoint,
    dueSince: null,
    trialUntil: null,
    isEarly: false,
    epoch: row.epoch,
    leaseUntil: new Date(Number(row.lease_until)),
    nextSeq: row.next_seq,
    cursor: row.cursor === null ? null : (JSON.parse(row.cursor) as LaneCursor),
    open: row.open,
    lastNumber: row.last_number,
    gapSeq: row.gap_seq,
  };
}

/** The condition that limits rows to what a caller may see. */
export function visible(visibility: Visibility): { sql: string; params: SqlValue[] } {
  switch (visibility.kind) {
    case 'everything':
      return { sql: '1 = 1', params: [] };
    case 'organization':
      return { sql: 'organization = ?', params: [visibility.organization] };
    case 'principal':
      return {
        sql: 'principal_id = ? AND organization = ?',
        params: [visibility.principalId, visibility.organization],
      };
  }
}

/** Locks the rows of a query (of one `table` of it) until the transaction ends; SQLite has one writer anyway. */
export function forUpdate(tx: Tx, skipLocked = false, table?: string): string {
  if (tx.dialect === 'sqlite') return '';
  const of = table === undefined ? '' : ` OF ${table}`;
  return ` FOR UPDATE${of}${skipLocked ? ' SKIP LOCKED' : ''}`;
}

function toDate(at: number | null): Date | null {
  return at === null ? null : new Date(Number(at));
}
