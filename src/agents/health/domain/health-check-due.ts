import type { AgentRecord } from './agent-record.js';

/** So that agents registered together are not all looked at together. */
const JITTER = 0.2;

/**
 * When an agent's card is to be looked at (epoch milliseconds), if nothing is heard of it before: some
 * time after it was last called, or when its breaker lets somebody try. `jitter` is the agent's own
 * number in [0, 1).
 */
export function healthCheckDueAt(
  { lastOkAt, lastFaultAt, breaker }: AgentRecord,
  knownSince: number,
  lookedAt: number,
  intervalMs: number,
  jitter: number,
): number {
  if (breaker.openUntil !== null) return Math.max(breaker.openUntil, breaker.probeUntil ?? 0);
  const lastContactAt = Math.max(lastOkAt ?? 0, lastFaultAt ?? 0, knownSince, lookedAt);
  return lastContactAt + intervalMs * (1 + JITTER * (2 * jitter - 1));
}
