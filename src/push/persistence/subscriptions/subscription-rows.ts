import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { ProtocolVersion } from '../../../routing/index.js';
import type { AuthScheme, EventChoice, PushConfig } from '../../configs/push-config.js';
import type { SubscriptionFilter } from '../../subscriptions/domain/subscription-filter.js';
import {
  type Subscription,
  type SubscriptionState,
  registrationOf,
} from '../../subscriptions/subscription.js';

/** A row of `push_subscriptions`. */
export interface SubscriptionRow {
  readonly id: string;
  readonly name: string | null;
  readonly source: string;
  readonly organization: string;
  readonly principal_id: string;
  readonly scope: string;
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
  readonly filter: string;
  readonly fingerprint: string;
  readonly verified: number;
  /** Also `deleted`: it is gone for everybody, but its lanes are still being ended. */
  readonly state: string;
  readonly state_reason: string | null;
  readonly unsettled: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Of a row that stays until its lanes are ended. */
export const DELETED = 'deleted';

const REVISION = 'SELECT revision FROM push_subscription_revisions WHERE id = 1';

export function toSubscription(row: SubscriptionRow): Subscription {
  return {
    id: row.id,
    name: row.name,
    source: row.source === 'config' ? 'config' : 'api',
    organization: row.organization,
    principalId: row.principal_id,
    scope: row.scope === 'organization' ? 'organization' : 'own',
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
    filter: JSON.parse(row.filter) as SubscriptionFilter,
    fingerprint: row.fingerprint,
    verified: row.verified === 1,
    state: row.state as SubscriptionState,
    stateReason: row.state_reason,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

/** The columns that a change may write, and their values. */
export const CHANGED_COLUMNS = [
  'name',
  'url',
  'endpoint',
  'auth_scheme',
  'auth_names',
  'auth_profile',
  'sealed_credentials',
  'sealed_token',
  'sealed_signing_keys',
  'events',
  'filter',
  'fingerprint',
  'verified',
  'state',
  'state_reason',
  'created_at',
  'updated_at',
] as const;

export function changedValues(of: Subscription): SqlValue[] {
  return [
    storable(of.name),
    storable(of.url),
    storable(of.endpoint),
    of.authScheme,
    JSON.stringify(of.authNames),
    of.authProfile,
    of.sealedCredentials,
    of.sealedToken,
    of.sealedSigningKeys,
    of.events,
    JSON.stringify(of.filter),
    of.fingerprint,
    of.verified ? 1 : 0,
    of.state,
    storable(of.stateReason),
    of.createdAt.getTime(),
    of.updatedAt.getTime(),
  ];
}

/** What lanes must be brought in line with: where and how they are told, what, and whether. */
export function differsForLanes(a: Subscription, b: Subscription): boolean {
  return (
    a.fingerprint !== b.fingerprint ||
    a.endpoint !== b.endpoint ||
    a.events !== b.events ||
    a.state !== b.state
  );
}

/** The config that a subscription's own row made of it, with what the subscription says now. */
export function underSubscription(config: PushConfig, of: Subscription): PushConfig {
  return {
    ...config,
    ...registrationOf(of),
    principalId: of.principalId,
    state: of.state === 'active' && config.state === 'failing' ? 'failing' : of.state,
    ...(of.filter.states !== null && { states: of.filter.states }),
  };
}

/** The present revision. */
export function* revisionIn(tx: Tx): Work<number> {
  const [row] = yield* tx.all<{ revision: number }>(REVISION);
  return row?.revision ?? 0;
}

/**
 * Raises the revision, and so lets one change in after another. It is locked before the subscriptions
 * are, by everybody.
 */
export function* raiseRevision(tx: Tx): Work<number> {
  const [row] = yield* tx.all<{ revision: number }>(
    'UPDATE push_subscription_revisions SET revision = revision + 1 WHERE id = 1 RETURNING revision',
  );
  return row!.revision;
}

/**
 * Has the subscription of a config know what became of a delivery. A receiver that wants no more (410,
 * `isGone`) of one task's events wants none of the others' either, so that is the subscription's end. A
 * task of which nothing but failures came for too long is told no more; the others are.
 */
export function* settleSubscription(
  tx: Tx,
  { subscriptionId, state, stateReason }: PushConfig,
  isGone: boolean,
  now: Date,
): Work<void> {
  if (subscriptionId === null || state === 'paused') return;
  if (state === 'disabled' && !isGone) return;
  const from = { active: `= 'failing'`, failing: `= 'active'`, disabled: `<> '${DELETED}'` };
  const revision = state === 'disabled' ? yield* raiseRevision(tx) : null;
  yield* tx.run(
    `UPDATE push_subscriptions SET state = ?, state_reason = ?, updated_at = ?,
       unsettled = COALESCE(CAST(? AS bigint), unsettled)
     WHERE id = ? AND state ${from[state]}`,
    [state, storable(stateReason), now.getTime(), revision, subscriptionId],
  );
}

/** Disables the subscriptions of an endpoint that were not changed after `since`; their lanes follow. */
export function* disableSubscriptions(
  tx: Tx,
  endpoint: string,
  reason: string,
  since: number,
  now: Date,
): Work<void> {
  const some = yield* tx.all('SELECT 1 AS one FROM push_subscriptions WHERE endpoint = ? LIMIT 1', [
    endpoint,
  ]);
  if (some.length === 0) return;
  const revision = yield* raiseRevision(tx);
  yield* tx.run(
    `UPDATE push_subscriptions SET state = 'disabled', state_reason = ?, updated_at = ?,
       unsettled = ? WHERE endpoint = ? AND state IN ('active', 'failing') AND updated_at <= ?`,
    [reason, now.getTime(), revision, endpoint, since],
  );
}
