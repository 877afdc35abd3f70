import type { ClaimRules } from '../domain/caller-claims.js';

/** Algorithms of signatures that may be taken: those of public keys only. */
export const ISSUER_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** How an issuer is asked about a token (RFC 7662). */
export interface Introspection {
  readonly clientId: string;
  /** The secret, or a reference to it in its stored form. */
  readonly clientSecret: string;
  readonly clientAuthentication: 'client_secret_basic' | 'client_secret_post';
  /** Null: what the issuer's metadata says. */
  readonly url: string | null;
  /** `opaque`: tokens that are no JWT; `all`: those too that are, so that a revoked one ends. */
  readonly tokens: 'opaque' | 'all';
  /** How long an answer holds. */
  readonly cacheMs: number;
  /** Whether an answer has to name the hub as an audience. */
  readonly requireAudience: boolean;
}

/** How a client gets a token, as cards say it. */
export interface Oauth2Flows {
  readonly tokenUrl: string;
  readonly authorizationUrl: string | null;
  /** What each scope is for, by its name. */
  readonly scopes: Readonly<Record<string, string>>;
}

/** Whose access tokens let callers in: an entry of `auth.issuers`. */
export interface Issuer extends ClaimRules {
  /** Names it in logs, cards and messages. */
  readonly id: string;
  /** The `iss` of its tokens. */
  readonly issuer: string;
  /** One of them is in `aud`; null: the hub's own addresses. */
  readonly audiences: readonly string[] | null;
  readonly algorithms: readonly string[];
  /** Its metadata; null: where OpenID Connect Discovery and RFC 8414 have them. */
  readonly metadataUrl: string | null;
  /** Its key set; null: what its metadata says. */
  readonly jwksUrl: string | null;
  readonly clockSkewMs: number;
  readonly introspection: Introspection | null;
  readonly oauth2: Oauth2Flows | null;
}
