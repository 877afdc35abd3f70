import type { SecretAuthentication } from '../common/oauth/request-token.js';

/** The ways in which the hub gets what proves it to an agent; each has a file, see client/authentication/schemes.ts. */
export const AUTHENTICATION_TYPES = [
  'oauth2-client-credentials',
  'oauth2-authorization-code',
  'token-exchange',
  'caller-token',
  'mtls',
] as const;
export type AuthenticationType = (typeof AUTHENTICATION_TYPES)[number];

/** Whose name is proven by a token that is exchanged: the caller by its own, or by what the hub signs. */
export const EXCHANGE_SUBJECTS = ['caller', 'hub'] as const;
export type ExchangeSubject = (typeof EXCHANGE_SUBJECTS)[number];

/** What the ways need; each says which members are its own. */
export interface AuthenticationParameters {
  /** The token endpoint; this or {@link issuer}, whose metadata name it. */
  readonly tokenUrl?: string;
  readonly issuer?: string;
  /** The authorization endpoint, beside {@link tokenUrl}. */
  readonly authorizationUrl?: string;
  readonly clientId?: string;
  /** Secret: never shown. As it is, or a reference in its stored form. */
  readonly clientSecret?: string;
  readonly clientAuthentication?: SecretAuthentication;
  readonly scopes?: readonly string[];
  readonly audience?: string;
  /** RFC 8707. */
  readonly resource?: string;
  /** RFC 8693 §2.1. */
  readonly requestedTokenType?: string;
  readonly subject?: ExchangeSubject;
  /** Whether the hub names itself as the actor, by an access token of its own from the same server. */
  readonly actor?: boolean;
  /** Ids of `auth.issuers`: those whose tokens are shown to others. */
  readonly issuers?: readonly string[];
  /** The client certificate of TLS, beside what the type gives: PEM, the hub's own first. As it is, or a reference. */
  readonly certificate?: string;
  /** Secret: never shown. PEM, of {@link certificate}. As it is, or a reference. */
  readonly privateKey?: string;
  /** Certificates of the authorities that the agent's own has to be from, in the place of the usual ones. PEM. As it is, or a reference. */
  readonly ca?: string;
}

/** The members that may be references in the place of secrets. */
export const SECRET_MEMBERS = [
  'clientSecret',
  'certificate',
  'privateKey',
  'ca',
] as const satisfies (keyof AuthenticationParameters)[];

/** How the hub gets what proves it to an agent, call by call. */
export interface AgentAuthentication extends AuthenticationParameters {
  readonly type: AuthenticationType;
  /** Whose own it is: its tokens are nobody else's. Absent for that of the agent. */
  readonly organization?: string;
}
