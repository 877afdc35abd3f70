import type { Tx, Work } from '../database/sql.js';

/** What a counter says at least, whatever was added to it. */
export interface LeastCount {
  of(tx: Tx): Work<number>;
  /** It says so already: to be looked at only where the counter begins. */
  readonly isKnown: boolean;
}

/**
 * What has been taken in a period, counted in the commits themselves. A row of it is also what commits of several
 * processes wait for each other by: who has locked it knows all that was committed before.
 */
export abstract class LimitCounters {
  /**
   * Locks a counter of a period until the transaction ends, and gives what it says. One that is not there yet begins
   * at `least`, without it at 0; one that says less is raised to it. Who locks several does so in the order of {@link compareCounters}.
   */
  abstract lock(
    tx: Tx,
    counter: string,
    period: number,
    now: Date,
    least?: LeastCount,
  ): Work<number>;

  /** Adds to one that the transaction has locked. */
  abstract add(tx: Tx, counter: string, period: number, amount: number, now: Date): Work<void>;

  /** What it says, as far as it is committed; undefined before it begins. */
  abstract read(counter: string, period: number): Promise<number | undefined>;

  /** {@link read} of each, in their order. */
  abstract readAll(
    counters: readonly (readonly [counter: string, period: number])[],
  ): Promise<readonly (number | undefined)[]>;

  /** Deletes those of days and of months that were counted in last before these times, in pieces until `signal` aborts. */
  abstract forget(
    before: { readonly ofDays: Date; readonly ofMonths: Date },
    signal: AbortSignal,
  ): Promise<void>;
}
