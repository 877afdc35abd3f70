import type { RequestHeaders } from '../credential.js';

/** The access token that a session holds at this moment. */
export interface SessionToken {
  readonly token: string;
  readonly sessionId: string;
  /** Whose session it is: a token of somebody else does not count in it. */
  readonly principalId: string;
  /** When the session ends. */
  readonly expiresAt: Date;
  /** Rejects with UNAUTHENTICATED once the session has ended. */
  readonly check: () => Promise<void>;
}

/** Sessions of the hub's own page in a browser, which a cookie names. */
export abstract class SessionCredentials {
  /** Whether a request brings the cookie of one. */
  abstract isBrought(headers: RequestHeaders): boolean;

  /**
   * The token of the session that a request brings, renewed where that is needed. Rejects with {@link sessionIsOver} when it is
   * none that counts, with UNAVAILABLE when its provider cannot be asked for a token.
   */
  abstract tokenOf(headers: RequestHeaders): Promise<SessionToken>;
}
