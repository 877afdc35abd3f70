import type { RecordSource } from '../../common/record-source.js';
import type { TaskState } from '../../protocol/a2a.js';
import type { ProtocolVersion } from '../../protocol/protocol-version.js';
import type { AuthSchemeName } from '../auth/schemes/schemes.js';
import { subscriptionConfigId } from './domain/config-id.js';
import type { SubscriptionFilter } from './domain/subscription-filter.js';

export const EVENT_CHOICES = ['changes', 'all'] as const;
/** `changes`: status changes and whole artifacts (webhooks.md, "what is sent"). `all`: every event. */
export type EventChoice = (typeof EVENT_CHOICES)[number];

export const SUBSCRIPTION_SCOPES = ['own', 'organization'] as const;
/** Whose tasks: those of the principal it belongs to, or those of its whole organization. */
export type SubscriptionScope = (typeof SUBSCRIPTION_SCOPES)[number];

/** What a webhook is for: one task, or all matching tasks of a principal or an organization. */
export type WebhookScope = 'task' | SubscriptionScope;

export const WEBHOOK_STATES = ['active', 'failing', 'paused', 'disabled'] as const;
/**
 * - `active`: events are delivered;
 * - `failing`: they are too, but the last event that ended did so as an exhausted dead letter;
 * - `paused`: nothing is sent until it is resumed; what happens meanwhile is delivered then;
 * - `disabled`: nothing is sent until it is resumed, or the client sets it again; a subscription also
 *   passes over the tasks that begin.
 */
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** Where and how events are delivered to a webhook, as it was registered. Secrets are sealed by `SecretBox`. */
export interface Registration {
  readonly url: string;
  /** Organization, scheme, host and port: what the cap and the breaker count by. */
  readonly endpoint: string;
  /** The protocol version it was registered with; it decides the body for good. */
  readonly version: ProtocolVersion;
  /** The scheme that is used; null for none. */
  readonly authScheme: AuthSchemeName | null;
  /** The scheme names as the client wrote them, all of them (0.x may name several). */
  readonly authNames: readonly string[];
  /** The name of the auth profile, for the scheme `profile`. */
  readonly authProfile: string | null;
  /** Null where the scheme has none: `jwt`, `profile`. */
  readonly sealedCredentials: string | null;
  readonly sealedToken: string | null;
  /** Keys that sign each request besides (Standard Webhooks), `whsec_…` or `whsk_…`, space separated. */
  readonly sealedSigningKeys: string | null;
  readonly events: EventChoice;
  /** Distinguishes two registrations without revealing their secrets. */
  readonly fingerprint: string;
  /** False: its host did not resolve when it was registered. */
  readonly verified: boolean;
}

/** A webhook, whatever it is for. */
export interface Webhook extends Registration {
  /** The hub's own id, or that of the file for a declared one; unique everywhere. */
  readonly id: string;
  readonly scope: WebhookScope;
  readonly organization: string;
  /** The principal that its deliveries belong to. */
  readonly principalId: string;
  /** Who set it on a task of another, and whose health then counts; null when its owner did. */
  readonly setBy: string | null;
  /** The task it is for, and the id the client knows it by there; null for a subscription. */
  readonly taskId: string | null;
  readonly configId: string | null;
  /** What people call it; null without a name. */
  readonly name: string | null;
  /** `config` for one declared in YAML. */
  readonly source: RecordSource;
  /** Null for that of one task. */
  readonly filter: SubscriptionFilter | null;
  readonly state: WebhookState;
  /** Why it is failing or disabled, for people. */
  readonly stateReason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A webhook for all tasks that its filter lets through. */
export interface Subscription extends Webhook {
  readonly scope: SubscriptionScope;
  readonly filter: SubscriptionFilter;
}

/** What a new subscription is made of. */
export type SubscriptionDraft = Omit<
  Subscription,
  'setBy' | 'taskId' | 'configId' | 'state' | 'stateReason' | 'createdAt' | 'updatedAt'
>;

/** What may be decided of a webhook that exists; what it is for, its owner and its version stay. */
export type WebhookChange = Partial<
  Omit<Registration, 'version'> &
    Pick<Webhook, 'name' | 'state' | 'stateReason'> & { readonly filter: SubscriptionFilter }
>;

/** What became of a webhook at one of its tasks. */
export interface StreamHealth {
  /** `disabled`: nothing more of this task is delivered. */
  readonly state: Exclude<WebhookState, 'paused'>;
  readonly stateReason: string | null;
  /** Since when nothing but failures came of it. */
  readonly failingSince: Date | null;
  /** Beside `failingSince`: when the last of them came, to the minute. */
  readonly lastFailureAt: Date | null;
}

/** A task whose events are delivered to a webhook. */
export interface DeliveredTask {
  /** Unique everywhere; that of the webhook itself when it is for this task only. */
  readonly streamId: string;
  readonly taskId: string;
  /** W3C trace context of the task. */
  readonly traceparent: string | null;
  readonly createdAt: Date;
}

/** A webhook with its delivery stream for one task. */
export interface TaskWebhook
  extends
    Registration,
    DeliveredTask,
    Pick<
      Webhook,
      | 'scope'
      | 'organization'
      | 'principalId'
      | 'setBy'
      | 'source'
      | 'state'
      | 'stateReason'
      | 'updatedAt'
    >,
    Pick<StreamHealth, 'failingSince' | 'lastFailureAt'> {
  /** The id the client knows: its own, or one the hub minted. */
  readonly configId: string;
  /** The subscription that it is; null for a webhook of this task only. */
  readonly subscriptionId: string | null;
  /** Of a subscription's: only changes into these states are delivered. Absent: everything is. */
  readonly states?: readonly TaskState[];
}

/** What a registration on a task gives: all but the ids the store finds or mints, and the state. */
export interface TaskWebhookDraft
  extends
    Registration,
    Pick<TaskWebhook, 'streamId' | 'principalId' | 'organization' | 'traceparent'> {
  /** The client's id; null when it named none. */
  readonly configId: string | null;
  /**
   * The principal that sets it on a task of another; absent when the task's owner does. It is sent while
   * that one is enabled.
   */
  readonly setBy?: string;
}

export function isSubscription(webhook: Webhook): webhook is Subscription {
  return webhook.scope !== 'task';
}

/** What says whom a webhook is sent for. */
export type Sent = Pick<Webhook, 'scope' | 'organization' | 'principalId' | 'setBy' | 'source'>;

/**
 * The principal that has to be there and enabled: the one that set it on the task of another, else its owner. Null for what
 * the configuration declares.
 */
export function senderOf({ setBy, principalId, source }: Sent): string | null {
  return source === 'config' ? null : (setBy ?? principalId);
}

/** The principals that {@link senderOf} gives for these. */
export function sendersOf(webhooks: Iterable<Sent>): Set<string> {
  const senders = [...webhooks].map(senderOf);
  return new Set(senders.filter((each) => each !== null));
}

/** The webhook as this task has it. */
export function taskWebhookOf(
  webhook: Webhook,
  task: DeliveredTask,
  health: StreamHealth,
): TaskWebhook {
  const { id, scope, filter, state, stateReason, configId } = webhook;
  const of = webhook;
  const isOwnState = isTaskState(state, health.state);
  return {
    streamId: task.streamId,
    taskId: task.taskId,
    traceparent: task.traceparent,
    createdAt: task.createdAt,
    configId: configId ?? subscriptionConfigId(id),
    subscriptionId: scope === 'task' ? null : id,
    scope,
    organization: of.organization,
    principalId: of.principalId,
    setBy: of.setBy,
    source: of.source,
    url: of.url,
    endpoint: of.endpoint,
    version: of.version,
    authScheme: of.authScheme,
    authNames: of.authNames,
    authProfile: of.authProfile,
    sealedCredentials: of.sealedCredentials,
    sealedToken: of.sealedToken,
    sealedSigningKeys: of.sealedSigningKeys,
    events: of.events,
    fingerprint: of.fingerprint,
    verified: of.verified,
    ...(filter?.states && { states: filter.states }),
    state: isOwnState ? health.state : state,
    stateReason: isOwnState ? health.stateReason : stateReason,
    failingSince: health.failingSince,
    lastFailureAt: health.lastFailureAt,
    updatedAt: of.updatedAt,
  };
}

/** Whether the state of its delivery stream is shown: a paused or disabled webhook shows its own. */
function isTaskState(of: WebhookState, task: StreamHealth['state']): boolean {
  if (of === 'paused' || of === 'disabled') return false;
  return task === 'disabled' || of === 'active';
}
