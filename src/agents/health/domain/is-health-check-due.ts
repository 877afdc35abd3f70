import { stateOf } from '../../../common/circuit-breaker.js';
import { isAhead } from '../../../common/is-ahead.js';
import type { AgentRecord } from './agent-record.js';

/** So that agents registered together are not all looked at together. */
const JITTER = 0.2;

/** What a health check depends on, beside what is known of the agent; times are epoch milliseconds. */
export interface HealthCheckTimes {
  readonly knownSince: number;
  readonly lookedAt: number;
  readonly intervalMs: number;
  /** The agent's own number in [0, 1). */
  readonly jitter: number;
}

/**
 * Whether an agent's card is to be looked at: some time after it was last called, or when its breaker lets
 * somebody try and nobody does.
 */
export function isHealthCheckDue(
  { lastOkAt, lastFaultAt, breaker }: Pick<AgentRecord, 'lastOkAt' | 'lastFaultAt' | 'breaker'>,
  { knownSince, lookedAt, intervalMs, jitter }: HealthCheckTimes,
  now: number,
): boolean {
  if (breaker.openUntil !== null) {
    return stateOf(breaker, now) === 'half-open' && (breaker.probeUntil ?? 0) <= now;
  }
  const lastContactAt = Math.max(lastOkAt ?? 0, lastFaultAt ?? 0, knownSince, lookedAt);
  const pauseMs = intervalMs * (1 + JITTER * (2 * jitter - 1));
  return !isAhead(lastContactAt + pauseMs, now, pauseMs);
}
