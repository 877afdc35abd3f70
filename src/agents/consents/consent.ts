/** Whose consent is meant, and to calls of which agent. */
export interface ConsentKey {
  readonly principalId: string;
  readonly organization: string;
  readonly agentId: string;
}

/** A user has consented, at its provider, that the hub calls an agent in its name. */
export interface ConsentRecord extends ConsentKey {
  readonly id: string;
  /** A digest of the client and the servers that it was given for: for others it does not count. */
  readonly client: string;
  /** The provider, by scheme, host and port. */
  readonly server: string;
  /** What was consented to, as the provider says it, else as it was asked; null: nothing was named. */
  readonly scope: string | null;
  readonly createdAt: Date;
  /** When the access token came that is used now. */
  readonly tokenAt: Date;
}

/** What the provider gave. Secret. */
export interface ConsentTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Until when the access token is used. */
  readonly usableUntil: Date;
}

export interface Consent extends ConsentRecord, ConsentTokens {}
