/** The longest times something may have to wait. */
export interface Waits {
  /** A stream or an endpoint for its next try. */
  readonly longestWaitMs: number;
  /** A claim for its end. */
  readonly leaseMs: number;
}

/** What is done beside the deliveries, in pieces. */
export abstract class CleanupStore {
  /**
   * Disables the webhooks of endpoints that are to be disabled, at most `limit` at once: what they wait
   * for becomes dead letters, except of webhooks that were set or resumed since. True when more is left.
   */
  abstract disableWebhooks(now: Date, limit: number): Promise<boolean>;

  /**
   * Brings times back that lie further ahead than they can: the clock has been set back. `thorough`
   * looks at all streams that wait, a piece at a time, else only at what is impossible for any clock; how
   * many were moved. A stream that may be claimed now is left as it is.
   */
  abstract repairTimes(now: Date, waits: Waits, thorough: boolean): Promise<number>;

  /** Deletes attempts and delivered deliveries older than `before`, at most `limit` of each; how many. */
  abstract prune(before: Date, limit: number): Promise<number>;
}
