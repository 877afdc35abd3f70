/**
 * The access token that a caller came with, for agents that are called with it or with one that it is exchanged for. What
 * shows the object (JSON, logs, `inspect`) does not show the token.
 */
export class SubjectToken {
  readonly #value: string;

  constructor(
    value: string,
    /** Whose it is: the `id` of an entry in `auth.issuers`. */
    readonly issuerId: string,
    /** Null where its issuer does not say. */
    readonly expiresAt: Date | null,
  ) {
    this.#value = value;
  }

  /** The token itself. */
  reveal(): string {
    return this.#value;
  }
}
