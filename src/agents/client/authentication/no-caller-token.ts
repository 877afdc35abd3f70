/** The caller has no token that the agent may be called with. Its message follows the agent's name, for clients to read. */
export class NoCallerToken extends Error {
  override readonly name = 'NoCallerToken';

  constructor(
    message: string,
    /** A fresh token of the same caller would do. */
    readonly isMendable = false,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}
