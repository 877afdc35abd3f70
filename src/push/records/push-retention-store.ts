/** What became of a piece of the delivery streams that wait. */
export interface ExpiredPiece {
  /** Those of which something was ended. */
  readonly streams: number;
  /** What the next piece begins after; null when there is none. */
  readonly next: string | null;
}

/** Ends and deletes what webhooks have kept for too long, in pieces. */
export abstract class PushRetentionStore {
  /**
   * Deletes dead letters, and tests that failed, that ended before this time, with their attempts; at
   * most `limit`. How many.
   */
  abstract pruneDead(before: Date, limit: number): Promise<number>;

  /**
   * Ends what paused delivery streams have kept since before this time: what was made becomes dead letters, what was not
   * becomes one, and the delivery stream goes on behind it, with a gap. Looks at a piece of them, behind the id `after`
   * (`''`: the first).
   */
  abstract expireBacklog(before: Date, now: Date, after: string): Promise<ExpiredPiece>;

  /**
   * The same of delivery streams that wait because their receivers have not agreed to be called. Looks at a piece of them,
   * behind the place `after` that the piece before has given (`''`: the first).
   */
  abstract expireHeld(before: Date, now: Date, after: string): Promise<ExpiredPiece>;
}
