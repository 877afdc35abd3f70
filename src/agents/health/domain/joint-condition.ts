import type { BreakerState } from '../../../common/circuit-breaker.js';
import type { HealthState } from '../agent-health.js';
import type { AgentVerdict } from './agent-verdict.js';

/** How one process has seen an agent. */
export interface SeenCondition {
  readonly health: HealthState;
  readonly breaker: BreakerState;
  readonly verdict: AgentVerdict;
  /** Since when it has this health, epoch milliseconds; null: not known. */
  readonly since: number | null;
  readonly lastError: string | null;
}

/**
 * How an agent stands by what this process has seen of it (`own`) and what `others` have. `calls`: this process calls
 * agents itself; what one has seen that does not counts only where nobody else has seen anything.
 *
 * The agent is out (down, or its breaker open) where this process has seen it so, or half or more of all who have seen
 * it. Where fewer have, it is degraded: it can be called from elsewhere. Else the worst counts of what was seen.
 */
export function jointCondition(
  own: SeenCondition | undefined,
  others: readonly SeenCondition[],
  calls: boolean,
): SeenCondition | undefined {
  if (others.length === 0) return own;
  const ownCounts = calls && own !== undefined && own.health !== 'unknown';
  if (ownCounts && isOut(own)) return own;
  const all = ownCounts ? [own, ...others] : others;
  const out = all.filter(isOut);
  if (2 * out.length >= all.length) return worst(out);
  const worstLeft = worst(all.filter((each) => !isOut(each)));
  const [one] = out;
  if (one === undefined || severity(worstLeft) >= SEVERITY.degraded) return worstLeft;
  return { ...one, health: 'degraded', breaker: 'closed', verdict: 'degraded' };
}

const SEVERITY: Readonly<Record<HealthState, number>> = {
  unknown: 0,
  healthy: 1,
  degraded: 3,
  down: 5,
};

function severity({ health, breaker, verdict }: SeenCondition): number {
  if (breaker === 'open') return 6;
  const byHealth = SEVERITY[health];
  return Math.max(byHealth, breaker === 'half-open' ? 4 : verdict === 'failing' ? 2 : 0);
}

function worst(conditions: readonly SeenCondition[]): SeenCondition {
  return conditions.reduce((most, each) => (severity(each) > severity(most) ? each : most));
}

function isOut({ health, breaker }: SeenCondition): boolean {
  return health === 'down' || breaker === 'open';
}
