import type { BreakerState } from '../../common/circuit-breaker.js';
import type { Agent } from '../agent.js';
import type { QueueAsker } from './agent-load.js';

/**
 * What is known of an agent's health.
 * - `unknown`: not called yet.
 * - `healthy`: its last calls succeeded.
 * - `degraded`: some failed, not enough of them to call it down; it is ranked after agents of equal priority.
 * - `down`: it gets only half-open probes.
 */
export type HealthState = 'unknown' | 'healthy' | 'degraded' | 'down';

export const HEALTH_STATES: readonly HealthState[] = ['unknown', 'healthy', 'degraded', 'down'];

/** The health and load of an agent at this moment, for the choice of agents. */
export interface AgentCondition {
  readonly health: HealthState;
  readonly breaker: BreakerState;
  /** Delegations it works on now, for all processes; what others have begun or ended is known about a second later. */
  readonly outstanding: number;
  /** Delegations queued for it. */
  readonly queued: number;
  /** Its queue has as much as it may hold: it takes no new task. */
  readonly isFull: boolean;
}

/**
 * Whether a new message may go to an agent now.
 * - `go`: as usual.
 * - `probe`: its breaker is half-open, and this message decides; `end` must be called when it is over, whatever
 *   the outcome. No other message is the probe until then (or until the agent would have answered).
 * - `wait`: not now. `waitMs` is how long at least; 0 while another probe decides. `why` is a
 *   predicate to follow the agent's name (`is out of service …`).
 */
export type Admission =
  | { readonly kind: 'go' }
  | { readonly kind: 'probe'; readonly end: () => void }
  | { readonly kind: 'wait'; readonly waitMs: number; readonly why: string };

/**
 * How a task ended at an agent, where that was the agent's own doing: it completed, or it failed by its own
 * fault. `error` is for operators.
 */
export type TaskResult =
  | { readonly organization: string; readonly ok: true }
  | { readonly organization: string; readonly ok: false; readonly error: string };

/**
 * How agents stand, in memory, as this process has seen them (what its calls came to, else looks at
 * their cards) and as others on the same database have said. Asked on the path of every message.
 */
export abstract class AgentHealth {
  /**
   * An unknown agent is `unknown`, closed, idle and not full. Whether it is full may depend on
   * who asks: see `AgentLoads.isFull`.
   */
  abstract conditionOf(agentId: string, asker?: QueueAsker): AgentCondition;

  /** Asked before a message is sent that another agent could still get. By the breaker of this process alone. */
  abstract admit(agentId: string): Admission;

  /** Called once for each task that an agent has ended. It never opens a breaker. */
  abstract taskEnded(agent: Agent, result: TaskResult): void;
}
