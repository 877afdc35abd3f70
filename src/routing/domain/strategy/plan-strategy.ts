import type { RoutingDirective } from '../../../protocol/routing-extension.js';
import type { StepTemplate } from '../composite-skill.js';
import type { StepStrategy } from './step-policies.js';

/**
 * A strategy that makes a plan of several steps. Each has a file of its own; `plan-strategies.ts` lists them, and
 * everything else asks the list.
 */
export interface PlanStrategy {
  readonly name: string;
  /** The first step, of the agents that the message names; null: the steps of the directive name all agents. */
  readonly first: { readonly name: string; readonly strategy: StepStrategy } | null;
  /** The steps of the directive, behind {@link first} if there is one. */
  steps(directive: RoutingDirective): StepTemplate[];
}
