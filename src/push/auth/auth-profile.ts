/** The schemes of profiles. `ed25519` and `hmac` sign as Standard Webhooks has it. */
export const PROFILE_SCHEMES = [
  'bearer',
  'basic',
  'api-key',
  'hmac',
  'ed25519',
  'jwt',
  'oauth2',
  'mtls',
] as const;
export type ProfileScheme = (typeof PROFILE_SCHEMES)[number];

/** How the hub proves itself at a token server (RFC 6749 §2.3.1). */
export const CLIENT_AUTHENTICATIONS = ['client_secret_basic', 'client_secret_post'] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

/** What a scheme needs besides its secret; only the members of the scheme are there. */
export interface ProfileParameters {
  /** `basic`. */
  readonly username?: string;
  /** `api-key`: the header that carries the key. */
  readonly header?: string;
  /** `ed25519`: what receivers verify with, `whpk_…`; and that of the key before. */
  readonly publicKey?: string;
  readonly previousPublicKey?: string;
  /** `oauth2`: the token endpoint and what it is asked for (RFC 6749 §4.4, RFC 8707). */
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly clientAuthentication?: ClientAuthentication;
  readonly scope?: string;
  readonly audience?: string;
  readonly resource?: string;
  /** `mtls`, PEM: the certificate with what leads to its authority. */
  readonly certificate?: string;
  /** `mtls`, PEM: the authorities that the receiver's certificate may come from, instead of the public ones. */
  readonly ca?: string;
}

/** A way of proving who sends, kept on the server and used by its name or by the address. */
export interface AuthProfile {
  readonly id: string;
  /** Null: every organization may use it. */
  readonly organization: string | null;
  /** Unique in its organization. */
  readonly name: string;
  readonly scheme: ProfileScheme;
  /** Patterns of the addresses it may be used for. */
  readonly urls: readonly string[];
  /** Used for these addresses also when a webhook names no authentication. */
  readonly automatic: boolean;
  readonly parameters: ProfileParameters;
  /** The token, password, key or client secret, sealed by `SecretBox`; null for `jwt`. */
  readonly sealedSecret: string | null;
  readonly fingerprint: string | null;
  /** Since when this secret is used. */
  readonly secretSince: Date | null;
  /** The key before, which signs as well until `previousUntil`. */
  readonly sealedPrevious: string | null;
  readonly previousFingerprint: string | null;
  readonly previousUntil: Date | null;
  /** Raised by every change; what was made of the profile before is of no use then. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
