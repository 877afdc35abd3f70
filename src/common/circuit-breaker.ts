import { isAhead } from './is-ahead.js';

/** `open`: no calls; `half-open`: one probe at a time decides; `closed`: as usual. */
export const BREAKER_STATES = ['closed', 'open', 'half-open'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

/**
 * A circuit breaker as far as it has been decided. A pure value: what counts as a failure, and how many of them open
 * it, is the owner's decision. Times are epoch milliseconds.
 */
export interface CircuitBreaker {
  /** Closed when null; else open until this time and half-open from then on. */
  readonly openUntil: number | null;
  /** Milliseconds for which it has opened: from further ahead than that a clock was set back. */
  readonly openForMs: number;
  /** How often it has opened since it was last closed for good; each time it stays open for longer. */
  readonly openings: number;
  /** Until when the half-open probe is taken; null when it is free. */
  readonly probeUntil: number | null;
}

export interface BreakerRules {
  /** Milliseconds that it stays open the first time; each time after it twice as long. */
  readonly openMinMs: number;
  /** The longest it stays open. */
  readonly openMaxMs: number;
  /** The share that is added to that time when the random number is 0, and when it is 1. */
  readonly jitter: readonly [from: number, to: number];
}

const GROWTH = 2;

export const CLOSED: CircuitBreaker = {
  openUntil: null,
  openForMs: 0,
  openings: 0,
  probeUntil: null,
};

export function stateOf({ openUntil, openForMs }: CircuitBreaker, now: number): BreakerState {
  if (openUntil === null) return 'closed';
  return isAhead(openUntil, now, openForMs) ? 'open' : 'half-open';
}

/** The breaker opened, once more. `random` is in [0, 1). */
export function opened(
  { openings: before }: CircuitBreaker,
  rules: BreakerRules,
  now: number,
  random: number,
): CircuitBreaker {
  const openings = before + 1;
  const openForMs = openTimeMs(openings, rules, random);
  return { openUntil: now + openForMs, openForMs, openings, probeUntil: null };
}

/** The breaker half-open from now on: a sign of life came before its time was over. */
export function halfOpened(breaker: CircuitBreaker, now: number): CircuitBreaker {
  return { ...breaker, openUntil: now };
}

/** The breaker closed, but on probation: the next time it stays open for longer. */
export function closedOnProbation({ openings }: CircuitBreaker): CircuitBreaker {
  return { ...CLOSED, openings };
}

/**
 * The breaker with its probe taken until `now + maxMs`, if it is half-open and the probe is free; else undefined. The
 * probe ends with an outcome, or is released.
 */
export function takeProbe(
  breaker: CircuitBreaker,
  now: number,
  maxMs: number,
): CircuitBreaker | undefined {
  const isFree = breaker.probeUntil === null || !isAhead(breaker.probeUntil, now, maxMs);
  if (stateOf(breaker, now) !== 'half-open' || !isFree) return undefined;
  return { ...breaker, probeUntil: now + maxMs };
}

/** The probe had no outcome: it is free for the next. */
export function releaseProbe(breaker: CircuitBreaker): CircuitBreaker {
  return { ...breaker, probeUntil: null };
}

/**
 * Milliseconds that a breaker stays open the `openings`th time (1, 2, …); `openMaxMs` at most, but for the jitter.
 * `random` is in [0, 1).
 */
export function openTimeMs(
  openings: number,
  { openMinMs, openMaxMs, jitter: [from, to] }: BreakerRules,
  random: number,
): number {
  const grown = Math.min(openMinMs * GROWTH ** (openings - 1), openMaxMs);
  return Math.round(grown * (1 + from + (to - from) * random));
}
