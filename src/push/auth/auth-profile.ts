import type { ProfileParameters } from './profile-parameters.dto.js';
import type { ProfileSchemeName } from './schemes/schemes.js';

/** A way of proving who sends, kept on the server and used by its name or by the address. */
export interface AuthProfile {
  readonly id: string;
  /** Null: every organization may use it. */
  readonly organization: string | null;
  /** Unique in its organization. */
  readonly name: string;
  readonly scheme: ProfileSchemeName;
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
