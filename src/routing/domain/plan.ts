import type { RequirePolicy } from '../../protocol/routing-extension.js';
import type { Candidate } from './candidate.js';
import type { StepStrategy } from './strategy/step-policies.js';

/** How the step before must have ended. `ended` is any of them; a skipped step has not ended. */
export const STEP_OUTCOMES = ['completed', 'failed', 'ended'] as const;
export type StepOutcome = (typeof STEP_OUTCOMES)[number];

/** A step begins once this one has ended so; it is skipped once that cannot be any more. */
export interface StepCondition {
  readonly step: string;
  readonly outcome: StepOutcome;
}

/** What an agent is given: the parts of the client's message, or the artifacts of an earlier step. */
export type StepInput =
  | { readonly from: 'message' }
  | { readonly from: 'step'; readonly step: string };

/** One step of a plan: agents that work at the same time on the same input. */
export interface PlanStep {
  /** Unique in the plan; `[a-z0-9-]{1,63}`. */
  readonly name: string;
  readonly strategy: StepStrategy;
  /** For `all`. */
  readonly require: RequirePolicy;
  /** For `require: quorum`: how many must complete. */
  readonly quorum?: number;
  /** `one`: tried in this order until one accepts. `all`, `first`: the message is sent to each. */
  readonly chosen: readonly Candidate[];
  /** In the order they are put into the message; never empty. */
  readonly inputs: readonly StepInput[];
  /** All must hold; none: it begins with the task. Steps that are named here stand before it. */
  readonly after: readonly StepCondition[];
  /** Milliseconds from its beginning until what still runs of it is canceled. */
  readonly deadlineMs?: number;
  /** Its artifacts are the task's result; those of other steps are held back until they count. */
  readonly isResult: boolean;
  /** The task may complete without it. */
  readonly isOptional: boolean;
}

/** The steps of a task in an order in which each stands behind those it depends on. */
export type Plan = readonly PlanStep[];
