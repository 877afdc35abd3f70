import type { RateAsk, RateLease } from './domain/rate.js';

/** Points of rates that processes take for a second, counted where all of them see it. */
export abstract class RateStore {
  /**
   * Takes points in one transaction: what each ask gets, in their order, and the time of the database, by which the
   * seconds of all processes go. Rejects when it is away.
   */
  abstract take(
    asks: readonly RateAsk[],
  ): Promise<{ readonly leases: readonly RateLease[]; readonly now: Date }>;

  /** Deletes the counts of rates that nobody has taken of since then, at most `limit`; how many. */
  abstract forget(before: Date, limit: number): Promise<number>;
}
