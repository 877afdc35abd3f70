import type { TlsChoice } from '../../../common/egress/tls-choice.js';
import type { FieldViolation } from '../../../common/hub-error.js';
import type { SignedMessage } from '../domain/standard-webhooks.js';
import type { ProfileParameters } from '../profile-parameters.dto.js';

/** A proof in the making; keys that sign are gathered, because they share one header. */
export interface Making {
  readonly headers: Record<string, string>;
  /** Values that must not appear in what is kept of the answer. */
  readonly secrets: string[];
  /** Standard Webhooks keys that sign the request. */
  readonly keys: string[];
  tls: TlsChoice;
  /** After a 401: whether another proof may fare better; what was refused is not used again then. */
  refused?: () => boolean;
}

/** One request that is to be proven. */
export interface Proving {
  readonly making: Making;
  /** What is sent, for schemes that sign it. */
  readonly message: SignedMessage;
  /** A token that the hub signs for this request. */
  readonly hubToken: () => Promise<string>;
}

/** One that a webhook's own scheme proves. */
export interface ClientProving extends Proving {
  /** The webhook's credentials, decrypted. Throws when it has none. */
  readonly credentials: () => string;
  /** Proves by the auth profile that the webhook names. Throws when there is none for its address. */
  readonly byProfile: () => Promise<void>;
}

/** One that an auth profile proves. */
export interface ProfileProving extends Proving {
  readonly parameters: ProfileParameters;
  /** The secret of the profile, decrypted; empty where the scheme has none. */
  readonly secret: string;
  /** The key before, while that signs as well. */
  readonly previousSecrets: () => readonly string[];
  /** An access token of the profile's token server, and what is to be called when a receiver refuses it. */
  readonly accessToken: () => Promise<{ readonly token: string; readonly refused: () => boolean }>;
  /** Warns when the client certificate expires soon. */
  readonly noteCertificate: () => void;
}

/** What is stored of the authentication that a client asks for. */
export interface StoredAuthentication {
  /** The name of the scheme that is used. */
  readonly scheme: string;
  /** Null for a scheme that needs none. */
  readonly credentials: string | null;
  /** The name of the auth profile, for `profile`. */
  readonly profile: string | null;
}

/** How clients use a scheme by its name (webhooks.md, "naming a scheme"). */
export interface ClientScheme {
  /** As messages write it. */
  readonly label: string;
  /** The names that clients may write, in lower case. */
  readonly aliases: readonly string[];
  /**
   * Checks the credentials, which are undefined when none are given; `names` are the scheme names as they were
   * written. Throws INVALID_PARAMS for the field.
   */
  readonly read: (
    credentials: string | undefined,
    names: string,
    field: string,
  ) => StoredAuthentication;
  readonly prove: (proving: ClientProving) => void | Promise<void>;
}

/** What is wrong with a value, for people; undefined when nothing is. Never holds the value. */
export type Rule = (value: string) => string | undefined;

/** A parameter of a profile besides its secret. */
export interface Parameter {
  readonly required?: true;
  readonly rule?: Rule;
}

/** How auth profiles use a scheme. */
export interface ProfileScheme {
  readonly parameters: Readonly<Partial<Record<keyof GivenParameters, Parameter>>>;
  /** Null: it has no secret of its own. */
  readonly secret: {
    /** What it is, for people. */
    readonly label: string;
    readonly rule?: Rule;
    /** Makes one of 32 random bytes when none is given; without it one has to be given. */
    readonly make?: (random: Buffer) => string;
    /** The receiver needs a secret that the hub has made: it is returned once. */
    readonly isShared?: true;
    /** What receivers verify with, of an asymmetric key. */
    readonly publicKey?: (secret: string) => string;
    /** After a rotation requests are signed by the old and the new secret for a while. */
    readonly overlaps?: true;
  } | null;
  /** Only https addresses. */
  readonly needsTls?: true;
  /** What is wrong with secret and parameters together. */
  readonly check?: (
    secret: string | undefined,
    given: GivenParameters,
    now: Date,
  ) => readonly FieldViolation[];
  readonly prove: (proving: ProfileProving) => void | Promise<void>;
}

/** The parameters that callers give; the public keys come from the hub. */
export type GivenParameters = Omit<ProfileParameters, 'publicKey' | 'previousPublicKey'>;

/** A way in which a webhook request proves who sends it. Each has a file here, and is listed in `schemes.ts`. */
export interface Scheme {
  readonly name: string;
  /** Absent: clients cannot name it. */
  readonly client?: ClientScheme;
  /** Absent: no auth profile has it. */
  readonly profile?: ProfileScheme;
}

/** Adds headers that carry a secret, in the given forms. */
export function carry(
  { making }: Proving,
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[],
): void {
  Object.assign(making.headers, headers);
  making.secrets.push(...secrets);
}
