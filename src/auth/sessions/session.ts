/** Somebody has signed in at the console. */
export interface SessionRecord {
  /** Names it where it may be known; the secret of its cookie is another. */
  readonly id: string;
  readonly principalId: string;
  readonly organization: string;
  /** At which provider: the `id` of an entry in `auth.issuers`. */
  readonly issuerId: string;
  readonly createdAt: Date;
  /** When it ends, however it is used. */
  readonly expiresAt: Date;
  /** When its page has called last, to within a minute. */
  readonly usedAt: Date;
  /** When the access token came that is used now. */
  readonly tokenAt: Date;
}

/** What the provider gave. Secret. */
export interface SessionTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Tells the provider whose sign-in is to end there. */
  readonly idToken: string | null;
  /** Until when the access token is used. */
  readonly usableUntil: Date;
}

export interface Session extends SessionRecord, SessionTokens {}

/** How many there may be. */
export interface SessionBounds {
  readonly ofPrincipal: number;
  readonly inAll: number;
}
