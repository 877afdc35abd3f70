import { openTimeMs } from '../../../common/circuit-breaker.js';
import { verdictOfError } from './attempt-verdict.js';
import { failingSinceAt } from './failing-time.js';
import { refusedLast } from './receiver-state.js';
import type { EndpointHealth, EndpointOutcome } from '../endpoint.js';

/** When an endpoint counts as failing and what it may have; see the settings `push.*`. */
export interface EndpointRules {
  /** Failures in a row that open the breaker. */
  readonly failuresToOpen: number;
  /** Milliseconds from the opening to the first probe; doubles with every one that fails. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
  /** The share of a pause that is random, to both sides. */
  readonly jitter: number;
  /** Streams an endpoint may have at once that has never answered, or has just recovered. */
  readonly startConcurrency: number;
  /** The most it can have. */
  readonly maxConcurrency: number;
  /** The longest time an endpoint is held for its Retry-After. */
  readonly retryAfterMaxMs: number;
  /** After so long of nothing but failures it is disabled. */
  readonly disableAfterMs: number;
}

/** The events that operators see. */
export type EndpointEventType = 'endpoint.failing' | 'endpoint.disabled' | 'endpoint.recovered';

export interface EndpointChange {
  readonly health: EndpointHealth;
  readonly event: EndpointEventType | null;
}

type Failure = Extract<EndpointOutcome, { kind: 'failed' }>;
type Refusal = Extract<EndpointOutcome, { kind: 'answered' }>;

/** The time of the last success is kept this exactly, so that a busy endpoint is not written each time. */
export const SUCCESS_GRAIN_MS = 60_000;
/**
 * Likewise of the last refusal, also where a success came between: of an endpoint that takes some events and rejects others at
 * most one of each is written in that time. Shorter than the pause before a rejected event is tried again, so the last try is.
 */
const REFUSAL_GRAIN_MS = 750;

/** An endpoint without any attempt. */
export function newEndpoint(rules: EndpointRules): EndpointHealth {
  return {
    state: 'healthy',
    failures: 0,
    concurrency: rules.startConcurrency,
    openedAt: null,
    probeAt: null,
    probes: 0,
    failingSince: null,
    disabledAt: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    lastError: null,
  };
}

/** Whether its breaker is open: one delivery stream tries, the others wait. */
export function isOpen(health: Pick<EndpointHealth, 'probeAt'>): boolean {
  return health.probeAt !== null;
}

/**
 * The endpoint after an attempt. An attempt that began before the breaker opened (or with it) neither closes it nor
 * moves its probe. The very `health` given comes back when there is nothing new worth keeping.
 * `random` in [0, 1) places a pause within its jitter.
 */
export function afterOutcome(
  health: EndpointHealth,
  outcome: EndpointOutcome,
  rules: EndpointRules,
  now: number,
  random: number,
): EndpointChange {
  if (outcome.kind === 'failed') return afterFailure(health, outcome, rules, now, random);
  const change = afterAnswer(health, outcome, rules, now);
  return outcome.kind === 'answered' ? refused(health, change, outcome, now) : change;
}

/** It is there, and did not accept what it got; one that goes on so is not written each time. */
function refused(
  before: EndpointHealth,
  { health, event }: EndpointChange,
  { begunAt, error }: Refusal,
  now: number,
): EndpointChange {
  if (health.openedAt !== null && begunAt <= health.openedAt) return { health, event };
  const last = health.lastFailureAt ?? -Infinity;
  const isKnown =
    health === before &&
    Math.abs(now - last) < REFUSAL_GRAIN_MS &&
    verdictOfError(health.lastError) === verdictOfError(error);
  if (isKnown) return { health, event };
  return {
    health: { ...health, lastFailureAt: afterSuccess(health, now), lastError: error },
    event,
  };
}

/** Later than the last success, also where the clock of another process was ahead. */
function afterSuccess({ lastSuccessAt }: EndpointHealth, now: number): number {
  return Math.max(now, (lastSuccessAt ?? 0) + 1);
}

function afterAnswer(
  health: EndpointHealth,
  { kind, begunAt }: EndpointOutcome,
  rules: EndpointRules,
  now: number,
): EndpointChange {
  if (health.openedAt !== null && begunAt <= health.openedAt) return { health, event: null };
  const delivered = kind === 'delivered';
  const concurrency = delivered
    ? Math.min(rules.maxConcurrency, health.concurrency * 2)
    : health.concurrency;
  const last = health.lastSuccessAt ?? -Infinity;
  const isStale = delivered && (Math.abs(now - last) >= SUCCESS_GRAIN_MS || refusedLast(health));
  // What it refuses says that it is there, not that it is well again.
  const state = delivered || health.state === 'healthy' ? 'healthy' : 'failing';
  const isClean =
    health.state === state &&
    health.failures === 0 &&
    health.failingSince === null &&
    !isOpen(health);
  if (isClean && concurrency === health.concurrency && !isStale) return { health, event: null };
  return {
    health: {
      ...health,
      state,
      failures: 0,
      concurrency: isOpen(health)
        ? Math.min(rules.maxConcurrency, rules.startConcurrency)
        : concurrency,
      openedAt: null,
      probeAt: null,
      probes: 0,
      failingSince: null,
      disabledAt: null,
      lastSuccessAt: delivered ? Math.max(now, health.lastFailureAt ?? now) : health.lastSuccessAt,
    },
    event: delivered && health.state !== 'healthy' ? 'endpoint.recovered' : null,
  };
}

function afterFailure(
  health: EndpointHealth,
  outcome: Failure,
  rules: EndpointRules,
  now: number,
  random: number,
): EndpointChange {
  if (asksToWait(outcome)) return waiting(health, outcome, rules, now);
  const counted: EndpointHealth = {
    ...health,
    failures: health.failures + 1,
    concurrency: Math.max(1, Math.floor(health.concurrency / 2)),
    ...failing(health, outcome, rules, now),
    lastError: outcome.error,
  };
  const opened = isOpen(health)
    ? afterProbe(counted, outcome, rules, now, random)
    : counted.failures >= rules.failuresToOpen
      ? { ...counted, openedAt: now, probeAt: now + pauseMs(0, rules, random), probes: 0 }
      : counted;
  const isFailing =
    outcome.exhausted || (isOpen(opened) && opened.failures >= rules.failuresToOpen);
  if (!isFailing) return { health: opened, event: null };
  if (outcome.blame === 'endpoint' && opened.state === 'failing' && isOver(opened, rules, now)) {
    return { health: disabled(opened, now), event: 'endpoint.disabled' };
  }
  return failingNow(opened);
}

function failingNow(health: EndpointHealth): EndpointChange {
  const isNews = health.state !== 'failing';
  return { health: { ...health, state: 'failing' }, event: isNews ? 'endpoint.failing' : null };
}

function asksToWait(outcome: Failure): outcome is Failure & { readonly retryAfterMs: number } {
  return outcome.retryAfterMs !== null && outcome.retryAfterMs > 0;
}

/** Since when nothing but failures of its own came. */
function failing(
  { failingSince, lastFailureAt }: EndpointHealth,
  { blame }: Failure,
  { disableAfterMs }: EndpointRules,
  now: number,
): Pick<EndpointHealth, 'failingSince' | 'lastFailureAt'> {
  switch (blame) {
    case 'endpoint': {
      const before = { since: failingSince, last: lastFailureAt };
      return { failingSince: failingSinceAt(before, now, disableAfterMs), lastFailureAt: now };
    }
    case 'webhook':
      // The receiver answers.
      return { failingSince: null, lastFailureAt: now };
    case 'way':
      return { failingSince, lastFailureAt };
  }
}

function isOver({ failingSince }: EndpointHealth, rules: EndpointRules, now: number): boolean {
  return failingSince !== null && now - failingSince >= rules.disableAfterMs;
}

/**
 * A webhook that is set or resumed there afterwards enables it again: its delivery stream tries at once,
 * and the time until it is disabled begins anew.
 */
function disabled(health: EndpointHealth, now: number): EndpointHealth {
  return {
    ...health,
    state: 'disabled',
    failures: 0,
    failingSince: null,
    disabledAt: now,
    // Attempts count from now on.
    openedAt: now - 1,
    probeAt: now,
    probes: 0,
  };
}

function afterProbe(
  health: EndpointHealth,
  { begunAt, blame }: Failure,
  rules: EndpointRules,
  now: number,
  random: number,
): EndpointHealth {
  if (begunAt <= health.openedAt!) return health;
  // The receiver answers but does not know this webhook: the next one is tried as soon as this one was.
  const probes = blame === 'webhook' ? health.probes : health.probes + 1;
  return { ...health, probes, probeAt: now + pauseMs(probes, rules, random) };
}

/**
 * The endpoint asked to be left alone: it is, breaker or not, for as long as is honoured. That is no failure: it
 * counts neither for the breaker nor for the days. A delivery that is given up with it is.
 */
function waiting(
  health: EndpointHealth,
  { retryAfterMs, error, exhausted }: Failure & { readonly retryAfterMs: number },
  rules: EndpointRules,
  now: number,
): EndpointChange {
  const until = now + Math.min(retryAfterMs, rules.retryAfterMaxMs);
  const left: EndpointHealth = {
    ...health,
    concurrency: Math.max(1, Math.floor(health.concurrency / 2)),
    openedAt: health.openedAt ?? now,
    probeAt: Math.max(until, health.probeAt ?? 0),
    lastFailureAt: afterSuccess(health, now),
    lastError: error,
  };
  return exhausted ? failingNow(left) : { health: left, event: null };
}

function pauseMs(probes: number, rules: EndpointRules, random: number): number {
  const { pauseMs: openMinMs, maxPauseMs: openMaxMs, jitter } = rules;
  return openTimeMs(probes + 1, { openMinMs, openMaxMs, jitter: [-jitter, jitter] }, random);
}
