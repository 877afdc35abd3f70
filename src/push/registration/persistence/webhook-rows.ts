import { toDate } from '../../../database/rows.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { ProtocolVersion } from '../../../protocol/protocol-version.js';
import type { AuthSchemeName } from '../../auth/schemes/schemes.js';
import type { SubscriptionFilter } from '../domain/subscription-filter.js';
import {
  type EventChoice,
  type StreamHealth,
  type TaskWebhook,
  type Webhook,
  type WebhookScope,
  type WebhookState,
  taskWebhookOf,
} from '../webhook.js';

/** A row of `push_webhooks`. */
export interface WebhookRow {
  readonly uid: string;
  readonly scope: string;
  readonly organization: string;
  readonly principal_id: string;
  readonly set_by: string | null;
  readonly task_id: string | null;
  readonly config_id: string | null;
  readonly name: string | null;
  readonly source: string;
  readonly filter: string | null;
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
  readonly fingerprint: string;
  readonly verified: number;
  /** Also `deleted`: it is gone for everybody, but its delivery streams are still being ended. */
  readonly state: string;
  readonly state_reason: string | null;
  readonly reconcile_revision: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Of a row that stays until its delivery streams are ended. */
export const DELETED = 'deleted';

/** The columns that stay as they were made. */
const FIXED_COLUMNS = [
  'uid',
  'scope',
  'organization',
  'principal_id',
  'task_id',
  'config_id',
  'source',
  'created_at',
] as const;

/** The columns that a change may write; with `changedValues` in this order. */
const CHANGED_COLUMNS = [
  'set_by',
  'name',
  'filter',
  'url',
  'endpoint',
  'version',
  'auth_scheme',
  'auth_names',
  'auth_profile',
  'sealed_credentials',
  'sealed_token',
  'sealed_signing_keys',
  'events',
  'fingerprint',
  'verified',
  'state',
  'state_reason',
  'updated_at',
] as const;

const COLUMNS = [...FIXED_COLUMNS, ...CHANGED_COLUMNS];
const INSERT = `INSERT INTO push_webhooks (${COLUMNS.join(', ')})
  VALUES (${COLUMNS.map(() => '?').join(', ')})`;
const UPDATE = `UPDATE push_webhooks SET ${CHANGED_COLUMNS.map((name) => `${name} = ?`).join(', ')}
  WHERE uid = ?`;

export function* insertWebhook(tx: Tx, of: Webhook): Work<void> {
  const { id, scope, organization, principalId, taskId, configId, source, createdAt } = of;
  const fixed = [id, scope, organization, principalId, taskId, configId, source];
  yield* tx.run(INSERT, [...fixed, createdAt.getTime(), ...changedValues(of)]);
}

export function* updateWebhook(tx: Tx, of: Webhook): Work<void> {
  yield* tx.run(UPDATE, [...changedValues(of), of.id]);
}

function changedValues(of: Webhook): SqlValue[] {
  return [
    of.setBy,
    storable(of.name),
    of.filter && JSON.stringify(of.filter),
    storable(of.url),
    storable(of.endpoint),
    of.version,
    of.authScheme,
    JSON.stringify(of.authNames),
    of.authProfile,
    of.sealedCredentials,
    of.sealedToken,
    of.sealedSigningKeys,
    of.events,
    of.fingerprint,
    of.verified ? 1 : 0,
    of.state,
    storable(of.stateReason),
    of.updatedAt.getTime(),
  ];
}

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.uid,
    scope: row.scope as WebhookScope,
    organization: row.organization,
    principalId: row.principal_id,
    setBy: row.set_by,
    taskId: row.task_id,
    configId: row.config_id,
    name: row.name,
    source: row.source === 'config' ? 'config' : 'api',
    filter: row.filter === null ? null : (JSON.parse(row.filter) as SubscriptionFilter),
    url: row.url,
    endpoint: row.endpoint,
    version: row.version as ProtocolVersion,
    authScheme: row.auth_scheme as AuthSchemeName | null,
    authNames: JSON.parse(row.auth_names) as string[],
    authProfile: row.auth_profile,
    sealedCredentials: row.sealed_credentials,
    sealedToken: row.sealed_token,
    sealedSigningKeys: row.sealed_signing_keys,
    events: row.events as EventChoice,
    fingerprint: row.fingerprint,
    verified: row.verified === 1,
    state: row.state as WebhookState,
    stateReason: row.state_reason,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

/** What the row of a delivery stream says of its task and of the webhook there. */
interface StreamFacts {
  readonly id: string;
  readonly task_id: string;
  readonly traceparent: string | null;
  readonly state: string;
  readonly state_reason: string | null;
  readonly failing_since: number | null;
  readonly last_failure_at: number | null;
  readonly created_at: number;
}

/** The webhook as the task of this delivery stream has it. */
export function toTaskWebhook(stream: StreamFacts, webhook: Webhook): TaskWebhook {
  const task = {
    uid: stream.id,
    taskId: stream.task_id,
    traceparent: stream.traceparent,
    createdAt: new Date(stream.created_at),
  };
  return taskWebhookOf(webhook, task, {
    state: stream.state as StreamHealth['state'],
    stateReason: stream.state_reason,
    failingSince: toDate(stream.failing_since),
    lastFailureAt: toDate(stream.last_failure_at),
  });
}

/** Webhooks by their ids; none where one is gone. */
export function* webhooksByUid(
  tx: Tx,
  uids: readonly string[],
): Work<ReadonlyMap<string, Webhook>> {
  const found = new Map<string, Webhook>();
  for (const piece of pieces([...new Set(uids)])) {
    const rows = yield* tx.all<WebhookRow>(
      `SELECT * FROM push_webhooks WHERE uid IN ${listOf(piece.length)}`,
      piece,
    );
    for (const row of rows) found.set(row.uid, toWebhook(row));
  }
  return found;
}

/** The webhooks of these delivery streams, by the delivery streams' ids; none where it is gone. */
export function* taskWebhooksOf(
  tx: Tx,
  streams: readonly (StreamFacts & { readonly webhook_uid: string })[],
): Work<ReadonlyMap<string, TaskWebhook>> {
  const uids = streams.map((stream) => stream.webhook_uid);
  const byUid = yield* webhooksByUid(tx, uids);
  const found = new Map<string, TaskWebhook>();
  for (const stream of streams) {
    const webhook = byUid.get(stream.webhook_uid);
    if (webhook !== undefined) found.set(stream.id, toTaskWebhook(stream, webhook));
  }
  return found;
}
