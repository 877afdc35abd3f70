/** When a failed delivery is tried again. */
export interface RetrySchedule {
  /** Milliseconds before the 1st, 2nd … retry. After the last one the delivery is given up. */
  readonly scheduleMs: readonly number[];
  /** The share of each delay that is random, to both sides: 0.2 makes 1000 ms 800 to 1200. */
  readonly jitter: number;
  /** The longest wait a receiver may ask for by `Retry-After`. */
  readonly retryAfterMaxMs: number;
}

/** How often a rejected event (the receiver says it will never take it) is tried again. */
const QUICK_RETRIES = 2;

/**
 * Milliseconds until the next attempt after `failures` failed ones; undefined when the schedule is used
 * up. `random` in [0, 1) places the delay within the jitter. A receiver's `Retry-After` is waited for
 * when it is longer than the schedule's delay, up to the limit.
 */
export function retryDelayMs(
  schedule: RetrySchedule,
  failures: number,
  random: number,
  retryAfterMs: number | null = null,
): number | undefined {
  const base = schedule.scheduleMs[failures - 1];
  if (base === undefined) return undefined;
  const requested = Math.min(retryAfterMs ?? 0, schedule.retryAfterMaxMs);
  return Math.max(jittered(base, schedule.jitter, random), requested);
}

/** The same after `rejections`: two retries after the schedule's shortest delay. */
export function quickRetryDelayMs(
  schedule: RetrySchedule,
  rejections: number,
  random: number,
): number | undefined {
  const base = schedule.scheduleMs[0];
  if (rejections > QUICK_RETRIES || base === undefined) return undefined;
  return jittered(base, schedule.jitter, random);
}

function jittered(base: number, jitter: number, random: number): number {
  return Math.round(base * (1 + jitter * (2 * random - 1)));
}
