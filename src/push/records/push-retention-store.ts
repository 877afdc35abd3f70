/** Ends and deletes what webhooks have kept for too long, in pieces. */
export abstract class PushRetentionStore {
  /**
   * Deletes dead letters, and tests that failed, that ended before this time, with their attempts; at
   * most `limit`. How many.
   */
  abstract pruneDead(before: Date, limit: number): Promise<number>;

  /**
   * Ends what paused delivery streams have kept since before this time, of at most `limit` delivery streams: what was made
   * becomes dead letters, what was not becomes one, and the delivery stream goes on behind it, with a gap. How many
   * delivery streams there were.
   */
  abstract expireBacklog(before: Date, now: Date, limit: number): Promise<number>;
}
