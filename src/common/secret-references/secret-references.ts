import { SecretLockedError } from '../secret-box.js';

/**
 * The secret that a reference names cannot be had now. As one whose key is missing it is whole where it is, so what needs
 * it waits or is refused, and nothing is lost. The message names the reference and what to do, never a value.
 */
export class SecretUnavailableError extends SecretLockedError {
  constructor(message: string, cause?: unknown) {
    super(null, message, cause);
  }
}

/** A reference as it is shown. */
export interface ReferenceView {
  /** `vault:agents/books#token`; it is no secret. */
  readonly reference: string;
  /** Whether this process could read it when it last tried; null: it has not tried yet. */
  readonly isReadable: boolean | null;
  /** Why it could not be read. */
  readonly problem: string | null;
}

/**
 * What stands where a secret may: the secret itself, or a reference in its stored form (`storedReference`). Secrets of
 * references are read when they are needed, kept, and read again in the background: a variable never, a file a second
 * after it changed, others after `secrets.refresh`. While their source is away the last value is used for
 * `secrets.staleFor`.
 */
export abstract class SecretReferences {
  /** The secret, when it is known; undefined when {@link valueOf} has to be asked. Costs nothing for what is no reference. */
  abstract current(stored: string): string | undefined;

  /** The secret. Rejects with {@link SecretUnavailableError}. */
  abstract resolve(stored: string): Promise<string>;

  /**
   * Reads it again now, though it is not old, since what it is for was refused: once a second at most. Resolves whatever comes of
   * it; {@link current} has the value then.
   */
  abstract refresh(stored: string): Promise<void>;

  /**
   * Whether who set it may refer to it, by `secrets.references`: what is wrong, to follow the name of the field. Undefined
   * also when it cannot be read now, which {@link view} shows. Reads it, to see that it is none of the hub's own secrets.
   */
  abstract refusalOf(stored: string): Promise<string | undefined>;

  /** Undefined for what is no reference. */
  abstract view(stored: string): ReferenceView | undefined;
}
