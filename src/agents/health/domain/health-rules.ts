import type { BreakerRules } from '../../../common/circuit-breaker.js';

/** What the health of an agent depends on (`agents.health.*` of the configuration). */
export interface HealthRules {
  /** Consecutive failures after which the agent is down; at least 2, so that a single failure takes no agent down. */
  readonly failuresToDown: number;
  /** Consecutive successes after which an agent that has failed is healthy again. */
  readonly successesToHealthy: number;
  /** The share of failures among the last calls of a minute (0 to 1) that opens the breaker as well. */
  readonly failureRate: number;
  /** How long the breaker stays open the first time; each time after it twice as long. */
  readonly openMinMs: number;
  /** The longest it stays open. */
  readonly openMaxMs: number;
}

/** A random part of the open time, so that the agents of one dead host are not all probed at once. */
const JITTER = [0, -0.2] as const;

export function breakerRules({ openMinMs, openMaxMs }: HealthRules): BreakerRules {
  return { openMinMs, openMaxMs, jitter: JITTER };
}
