import type { TaskState } from '../../protocol/a2a.js';
import type { ProtocolVersion } from '../../routing/index.js';

/** The ways a webhook request can prove itself (webhooks.md, "naming a scheme"). */
export type AuthScheme = 'bearer' | 'basic' | 'api-key' | 'hmac' | 'jwt' | 'profile';

export const EVENT_CHOICES = ['changes', 'all'] as const;
/** `changes`: status changes and whole artifacts (webhooks.md, "what is sent"). `all`: every event. */
export type EventChoice = (typeof EVENT_CHOICES)[number];

/**
 * - `active`: deliveries are made;
 * - `failing`: so are they, but the last event that ended did so as an exhausted dead letter;
 * - `paused`: nothing is sent until it is resumed; what happens meanwhile is told then;
 * - `disabled`: nothing is sent until it is resumed, or the client sets it again.
 */
export type PushConfigState = 'active' | 'failing' | 'paused' | 'disabled';

/** One webhook of one task, as a client registered it. Secrets are sealed by `SecretBox`. */
export interface PushConfig {
  /** The hub's own id, unique everywhere; the client's `configId` is unique in its task only. */
  readonly uid: string;
  readonly taskId: string;
  /** The id the client knows: its own, or one the hub minted. */
  readonly configId: string;
  readonly principalId: string;
  readonly organization: string;
  readonly url: string;
  /** Organization, scheme, host and port: what the cap and the breaker count by. */
  readonly endpoint: string;
  /** The protocol version the config was registered with; it decides the body for good. */
  readonly version: ProtocolVersion;
  /** The scheme that is used; null for none. */
  readonly authScheme: AuthScheme | null;
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
  /** The standing subscription it was made for; null for one that was registered on its task. */
  readonly subscriptionId: string | null;
  /** Of a subscription's: only changes into these states are told. Absent: everything is. */
  readonly states?: readonly TaskState[];
  /** Tells two registrations apart without telling their secrets. */
  readonly fingerprint: string;
  /** False: its host did not resolve when it was registered. */
  readonly verified: boolean;
  /** W3C trace context of the task. */
  readonly traceparent: string | null;
  readonly state: PushConfigState;
  /** Why it is failing or disabled, for people. */
  readonly stateReason: string | null;
  /** Since when nothing but failures came of it. */
  readonly failingSince: Date | null;
  /** Beside `failingSince`: when the last of them came, to the minute. */
  readonly lastFailureAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a registration gives: all but the ids the store finds or mints, and the state. */
export type PushConfigDraft = Omit<
  PushConfig,
  | 'configId'
  | 'taskId'
  | 'state'
  | 'stateReason'
  | 'failingSince'
  | 'lastFailureAt'
  | 'createdAt'
  | 'updatedAt'
> & {
  /** The client's id; null when it named none. */
  readonly configId: string | null;
  /**
   * The principal that sets it on a task of another; absent when the task's owner does. It is told while
   * that one is enabled.
   */
  readonly setBy?: string;
};

/** Where and how a webhook is told, as it was registered; of all tasks of a subscription the same. */
export type Registration = Pick<
  PushConfig,
  | 'url'
  | 'endpoint'
  | 'version'
  | 'authScheme'
  | 'authNames'
  | 'authProfile'
  | 'sealedCredentials'
  | 'sealedToken'
  | 'sealedSigningKeys'
  | 'events'
  | 'fingerprint'
  | 'verified'
>;
