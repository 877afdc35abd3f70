/**
 * What is known of an agent's health.
 * - `unknown`: nobody has called it yet.
 * - `healthy`: its last calls succeeded.
 * - `degraded`: some failed, not enough of them to call it down; it gets work after its equals.
 * - `down`: it gets work only as a trial.
 */
export type HealthState = 'unknown' | 'healthy' | 'degraded' | 'down';

/** `open`: no work; `half-open`: one trial at a time decides; `closed`: as usual. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** How an agent stands at this moment, for the choice of agents. */
export interface AgentCondition {
  readonly health: HealthState;
  readonly breaker: BreakerState;
  /** Delegations it works on now, as far as this process knows. */
  readonly outstanding: number;
  /** Delegations that wait for it. */
  readonly queued: number;
  /** Its queue has as much as it may hold: it takes no new task. */
  readonly isFull: boolean;
}

/** How agents stand, in memory; asked on the path of every message. */
export abstract class AgentHealth {
  /** An agent nobody has heard of is `unknown`, closed, idle and not full. */
  abstract conditionOf(agentId: string): AgentCondition;
}
