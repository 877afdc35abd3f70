import type { Scope } from '../../common/scope.js';

/** What callers of another hub may be given: nothing of administration. */
export const HUB_CALLER_SCOPES = [
  'a2a',
  'push',
  'tasks:organization',
] as const satisfies readonly Scope[];
export type HubCallerScope = (typeof HUB_CALLER_SCOPES)[number];

/** Another hub that may call for its own callers: an entry of `auth.hubs`. */
export interface TrustedHub {
  /** The `iss` of its tokens: its `publicUrl`. */
  readonly issuer: string;
  readonly jwksUrl: string;
  /** The principals here that it calls as, by their ids. */
  readonly callers: readonly string[];
  /** One of them is in `aud`; null: the hub's own addresses. */
  readonly audiences: readonly string[] | null;
  /** All its callers belong to this one; null: its tokens say it. */
  readonly organization: string | null;
  /** Those its tokens may name. */
  readonly organizations: readonly string[];
  /** Of these its callers have what it has itself. */
  readonly scopes: readonly HubCallerScope[];
}
