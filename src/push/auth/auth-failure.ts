/** The proof cannot be made now (the token server is down): the attempt has failed, the next may not. */
export class AuthUnavailableError extends Error {
  override readonly name = 'AuthUnavailableError';
}

/** The proof cannot be made at all: the profile is gone, or not for this address. */
export class AuthImpossibleError extends Error {
  override readonly name = 'AuthImpossibleError';
}
