import type { Registration } from '../configs/push-config.js';
import type { SubscriptionFilter } from './domain/subscription-filter.js';

export const SUBSCRIPTION_SCOPES = ['own', 'organization'] as const;
/** Whose tasks: those of the principal it belongs to, or those of its whole organization. */
export type SubscriptionScope = (typeof SUBSCRIPTION_SCOPES)[number];

export const SUBSCRIPTION_STATES = ['active', 'failing', 'paused', 'disabled'] as const;
/**
 * - `active`: tasks are told;
 * - `failing`: so are they, but the last event that ended did so as an exhausted dead letter;
 * - `paused`: nothing is sent until it is resumed; what happens meanwhile is told then;
 * - `disabled`: nothing is sent, and new tasks are passed over, until it is resumed.
 */
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** A webhook for all tasks that its filter lets through. Secrets are sealed by `SecretBox`. */
export interface Subscription extends Registration {
  /** The hub's own id, or that of the file for a declared one; unique everywhere. */
  readonly id: string;
  /** What people call it; null without a name. */
  readonly name: string | null;
  /** `api`, or `config` for one declared in YAML. */
  readonly source: 'api' | 'config';
  readonly organization: string;
  /** Whom its deliveries belong to. */
  readonly principalId: string;
  readonly scope: SubscriptionScope;
  readonly filter: SubscriptionFilter;
  readonly state: SubscriptionState;
  /** Why it is failing or disabled, for people. */
  readonly stateReason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a new one is made of. */
export type SubscriptionDraft = Omit<
  Subscription,
  'state' | 'stateReason' | 'createdAt' | 'updatedAt'
>;

/** What its tasks' webhooks have of it. */
export function registrationOf(of: Subscription): Registration {
  return {
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
  };
}
