import type { AgentSkill } from '../../protocol/a2a.js';
import type { RoutingTarget } from '../../protocol/routing-extension.js';
import type { PlanStep } from './plan.js';

/**
 * The agent id that no agent may have: in the hub's card a composite skill has the id `composite.<id>`,
 * where an agent's skill has `<agentId>.<skillId>`. It is asked for by `skillId` like any other.
 */
export const COMPOSITE_AGENT_ID = 'composite';

/**
 * A step of a plan before its agents are chosen. Routing turns it into a {@link PlanStep}: `one` gets
 * the best agent of the target and a few to take over, `all` and `first` get everybody it matches.
 */
export interface StepTemplate extends Omit<PlanStep, 'chosen'> {
  /** Agents only: a composite skill is never a step of another. */
  readonly target: RoutingTarget;
  /** For `all` and `first`: at most so many agents; default 100. */
  readonly maxAgents?: number;
}

/** A plan an operator has named, as one skill of the hub. */
export interface CompositeSkill {
  /** As the hub's card shows it, except that `skill.id` is the id without `composite.`. */
  readonly skill: AgentSkill;
  readonly version: number;
  /**
   * Never empty; each stands behind those it names. An optional step whose target matches no agent is
   * left out and counts as failed for those after it. For a caller who may use no agent for a step that is
   * not optional, or for any step that gives a result, the skill is not there.
   */
  readonly steps: readonly StepTemplate[];
  /** Milliseconds for the whole task; a client's own deadline only shortens it. */
  readonly deadlineMs?: number;
  /** The most messages to agents for the whole task; a client's own maximum only lowers it. */
  readonly maxCalls?: number;
}
