import {
  CLOSED,
  type CircuitBreaker,
  closedOnProbation,
  halfOpened,
  opened,
  stateOf,
} from '../../../common/circuit-breaker.js';
import type { HealthState } from '../agent-health.js';
import { type CallResult, withCall } from './agent-verdict.js';
import { failsTooOften, type Sample, withSample } from './failure-rate.js';
import { breakerRules, type HealthRules } from './health-rules.js';

/**
 * How one call to an agent, or one health check of its card, ended. What the hub itself broke off is no outcome.
 * - `ok`: the agent answered; also with a refusal such as TaskNotFound, which is a sign of life.
 * - a fault: it could not be reached, answered 5xx or something that is not A2A, broke off, or was too late.
 */
export type Outcome =
  | { readonly ok: true; readonly by: 'call' | 'health-check'; readonly latencyMs: number }
  | {
      readonly ok: false;
      readonly by: 'call' | 'health-check';
      readonly error: string;
      /** {@link AgentRecord.faults} when the call began. */
      readonly faultsBefore: number;
    };

/** What one process knows of an agent. Times are epoch milliseconds. */
export interface AgentRecord {
  readonly health: HealthState;
  /** Since when it has this health. */
  readonly since: number;
  /** Failures in a row, each counted once however many calls it cut. */
  readonly failures: number;
  /** Successes in a row. */
  readonly successes: number;
  /** All failures ever, counted in the same way. */
  readonly faults: number;
  readonly lastFaultAt: number | null;
  readonly lastOkAt: number | null;
  /** What went wrong last, for operators. */
  readonly lastError: string | null;
  /** How long calls take to their first answer, smoothed; null before the first. */
  readonly latencyMs: number | null;
  readonly samples: readonly Sample[];
  /** What its last calls came to; those that failed together are one. */
  readonly calls: readonly CallResult[];
  readonly breaker: CircuitBreaker;
}

/** Calls that fail within this time, and began before the first of them had, failed together. */
const TOGETHER_MS = 1000;
/** The weight of the newest call in the smoothed latency. */
const LATENCY_WEIGHT = 0.2;

/** An agent that has not been called yet. */
export function newRecord(now: number): AgentRecord {
  return {
    health: 'unknown',
    since: now,
    failures: 0,
    successes: 0,
    faults: 0,
    lastFaultAt: null,
    lastOkAt: null,
    lastError: null,
    latencyMs: null,
    samples: [],
    calls: [],
    breaker: CLOSED,
  };
}

/** What is known of the agent after one more outcome. `jitter` is a random number in [0, 1). */
export function afterOutcome(
  record: AgentRecord,
  outcome: Outcome,
  rules: HealthRules,
  now: number,
  jitter: number,
): AgentRecord {
  return outcome.ok
    ? afterSuccess(record, outcome, rules, now)
    : afterFault(record, outcome, rules, now, jitter);
}

function afterSuccess(
  record: AgentRecord,
  { by, latencyMs }: Extract<Outcome, { ok: true }>,
  rules: HealthRules,
  now: number,
): AgentRecord {
  const successes = record.successes + 1;
  // Who was never seen failing has nothing to prove.
  const proven = record.health === 'unknown' || successes >= rules.successesToHealthy;
  const health = record.health === 'healthy' || proven ? 'healthy' : 'degraded';
  return {
    ...withHealth(record, health, now),
    failures: 0,
    successes,
    lastOkAt: now,
    ...(by === 'call' && {
      latencyMs: smoothed(record.latencyMs, latencyMs),
      samples: withSample(record.samples, { at: now, ok: true, isNew: false }),
      calls: withCall(record.calls, { at: now, ok: true }),
    }),
    breaker: breakerAfterSuccess(record, by, now),
  };
}

/**
 * An agent that shows life before its time is over is tried at once. A card that is served does not
 * prove that calls succeed: after a health check the next failed call opens the breaker again, for longer.
 */
function breakerAfterSuccess(
  { breaker }: AgentRecord,
  by: Outcome['by'],
  now: number,
): CircuitBreaker {
  if (stateOf(breaker, now) === 'open') return halfOpened(breaker, now);
  return by === 'call' ? CLOSED : closedOnProbation(breaker);
}

function afterFault(
  record: AgentRecord,
  outcome: Extract<Outcome, { ok: false }>,
  rules: HealthRules,
  now: number,
  jitter: number,
): AgentRecord {
  const isNew = !failedTogether(record, outcome, now);
  const failures = record.failures + (isNew ? 1 : 0);
  const isDown = record.health === 'down' || failures >= rules.failuresToDown;
  const next: AgentRecord = {
    ...withHealth(record, isDown ? 'down' : 'degraded', now),
    failures,
    successes: 0,
    faults: record.faults + (isNew ? 1 : 0),
    lastFaultAt: isNew ? now : record.lastFaultAt,
    lastError: outcome.error,
    ...(outcome.by === 'call' && {
      samples: withSample(record.samples, { at: now, ok: false, isNew }),
      calls: isNew ? withCall(record.calls, { at: now, ok: false }) : record.calls,
    }),
  };
  if (!opens(next, rules, now, isNew)) return next;
  return { ...next, samples: [], breaker: opened(next.breaker, breakerRules(rules), now, jitter) };
}

function opens(record: AgentRecord, rules: HealthRules, now: number, isNew: boolean): boolean {
  const state = stateOf(record.breaker, now);
  if (state !== 'closed') return state === 'half-open';
  const onProbation = record.breaker.openings > 0;
  if (onProbation) return isNew;
  return record.failures >= rules.failuresToDown || failsTooOften(record.samples, rules);
}

/** One crash cuts every open call: those are one failure, not as many as there were calls. */
function failedTogether(
  { faults, lastFaultAt }: AgentRecord,
  { faultsBefore }: Extract<Outcome, { ok: false }>,
  now: number,
): boolean {
  return faultsBefore < faults && lastFaultAt !== null && now - lastFaultAt < TOGETHER_MS;
}

function withHealth(record: AgentRecord, health: HealthState, now: number): AgentRecord {
  return health === record.health ? record : { ...record, health, since: now };
}

function smoothed(before: number | null, latencyMs: number): number {
  return before === null ? latencyMs : before + LATENCY_WEIGHT * (latencyMs - before);
}
