import type { RequirePolicy } from '../../protocol/routing-extension.js';
import type { Strategy } from '../../protocol/strategies.js';
import type { Candidate } from './candidate.js';
import type { Plan } from './plan.js';
import { stepStrategyOf } from './strategy/step-policies.js';

export type { Candidate } from './candidate.js';

/** Which rule decided, in the order they are tried (design.md section 6). */
export type RouteReason = 'agent' | 'skill' | 'tags' | 'affinity' | 'rule' | 'text' | 'default';

/** What was asked for; of a composite skill of several steps `plan`: its steps say how they go together. */
export type RouteStrategy = Strategy | 'plan';

/** A rule that applied but found no agent. */
export interface PassedRule {
  readonly id: string;
  readonly name: string;
  /** One sentence. */
  readonly why: string;
}

/** An optional step of a composite skill that takes no part in this task. */
export interface LeftOutStep {
  /** Its name. */
  readonly step: string;
  /** One sentence that names the step. */
  readonly why: string;
}

/**
 * Agents that fit what was asked for, but which the caller may not use. For those who may read the tasks of everybody: the
 * caller may not know of these agents.
 */
export interface Exclusions {
  /** By id and why: disabled, forbidden by policies, named by their ids and restricted to other organizations; absent: none. */
  readonly excluded?: readonly Candidate[];
  /** How many more of these there are; absent: none. */
  readonly moreExcluded?: number;
  /** How many more are restricted to other organizations; absent: none. */
  readonly excludedElsewhere?: number;
  /** So many fit that not all were looked at; there may be more. */
  readonly isExcludedPartial?: true;
}

/** The choice of agents for one message; stored with the task, so it explains itself later. */
export interface Route extends Exclusions {
  readonly reason: RouteReason;
  /** What the client, a rule or a composite skill asked for. */
  readonly strategy: RouteStrategy;
  /** For `all`. */
  readonly require: RequirePolicy;
  /** For `require: quorum`: how many must complete. */
  readonly quorum?: number;
  /** Milliseconds until what is still running of the task is canceled. */
  readonly deadlineMs?: number;
  /** The most messages the hub may send to agents for this task; absent: the setting's. */
  readonly maxCalls?: number;
  /**
   * Every agent that may get work, in the order of the plan.
   * `one`: the first is asked, the next ones take over in this order while no agent has accepted.
   * `all`, `first`: each gets a delegation.
   */
  readonly chosen: readonly Candidate[];
  /** Agents that matched, or handled the context before, but were left out (down, over the maximum …). */
  readonly skipped: readonly Candidate[];
  /** How many more were left out; absent: none. */
  readonly moreSkipped?: number;
  /** Of `chain`, `synthesize` and composite skills; absent: one step of all that is chosen. */
  readonly plan?: Plan;
  /** Optional steps of the composite skill that are left out of the plan. */
  readonly leftOut?: readonly LeftOutStep[];
  /** The operator's rule that decided. */
  readonly rule?: { readonly id: string; readonly name: string };
  /** Rules before it, or before whatever else decided, that applied but found no agent. */
  readonly passedRules?: readonly PassedRule[];
  /** The composite skill the plan is of, as it was when the task began. */
  readonly composite?: { readonly id: string; readonly version: number };
}

/** A route as those may see it who may not know of all agents. */
export function withoutExcluded(route: Route): Route {
  const { excluded, moreExcluded, excludedElsewhere, isExcludedPartial, ...shown } = route;
  const isWithout = [excluded, moreExcluded, excludedElsewhere, isExcludedPartial].every(
    (each) => each === undefined,
  );
  return isWithout ? route : shown;
}

/** The steps of a route; one of a single step has that step alone. */
export function planOf(route: Route): Plan {
  if (route.plan !== undefined) return route.plan;
  const { strategy, require, quorum, chosen } = route;
  return [
    {
      name: 'task',
      strategy: stepStrategyOf(strategy) ?? 'one',
      require,
      ...(quorum !== undefined && { quorum }),
      chosen,
      inputs: [{ from: 'message' }],
      after: [],
      isResult: true,
      isOptional: false,
    },
  ];
}
