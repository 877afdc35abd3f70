/** What the judgement of an agent depends on (`agents.health.*` of the configuration). */
export interface HealthRules {
  /** So many failures in a row, and the agent is down; at least 2, so that one alone downs nobody. */
  readonly failuresToDown: number;
  /** So many successes in a row, and one that has failed is healthy again. */
  readonly successesToHealthy: number;
  /** The share of failures among the last calls of a minute (0 to 1) that opens the breaker as well. */
  readonly failureRate: number;
  /** How long the breaker stays open the first time; each time after it twice as long. */
  readonly openMinMs: number;
  /** The longest it stays open. */
  readonly openMaxMs: number;
}

/** The share of an open time that is random, so that the agents of one dead host are not all tried at once. */
const OPEN_JITTER = 0.2;
const GROWTH = 2;

/**
 * Milliseconds that a breaker stays open the `openings`th time (1, 2, …) without a successful call in
 * between; never more than `openMaxMs`. `jitter` is a random number in [0, 1).
 */
export function openTimeMs(
  openings: number,
  { openMinMs, openMaxMs }: HealthRules,
  jitter: number,
): number {
  const grown = Math.min(openMinMs * GROWTH ** (openings - 1), openMaxMs);
  return Math.round(grown * (1 - OPEN_JITTER * jitter));
}
