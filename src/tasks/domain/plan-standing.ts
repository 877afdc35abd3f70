import type { Plan, PlanStep, StepCondition } from '../../routing/index.js';
import type { Delegation } from '../task.js';
import { stepStanding, type StepStanding } from './step-policy.js';

/** A step with the delegations it has and how it stands. */
export interface StandingStep {
  readonly step: PlanStep;
  readonly delegations: readonly Delegation[];
  readonly standing: StepStanding;
}

/** Every step of a plan as it stands, in the plan's order. */
export function planStanding(plan: Plan, delegations: readonly Delegation[]): StandingStep[] {
  return plan.map((step, index) => standingOf(step, index, delegations));
}

/** One step of a plan as it stands; `all` are the delegations of the plan. */
export function standingOf(
  step: PlanStep,
  index: number,
  all: readonly Delegation[],
): StandingStep {
  const delegations = all.filter((each) => each.step === index);
  return { step, delegations, standing: stepStanding(step, delegations) };
}

/**
 * Whether a step's turn has come, may still come, or cannot come any more. `before` are the steps in
 * front of it: those it depends on are among them.
 */
export function turnOf(
  step: PlanStep,
  before: readonly StandingStep[],
): 'begins' | 'waits' | 'never' {
  const answers = step.after.map((condition) => holds(condition, before));
  if (answers.includes('never')) return 'never';
  return answers.includes('not yet') ? 'waits' : 'begins';
}

function holds(
  { step, outcome }: StepCondition,
  before: readonly StandingStep[],
): 'yes' | 'not yet' | 'never' {
  const standing = before.find((each) => each.step.name === step)?.standing;
  switch (standing?.kind) {
    case 'planned':
    case 'open':
      return 'not yet';
    case 'met':
      return outcome === 'failed' ? 'never' : 'yes';
    case 'broken':
      return outcome === 'completed' ? 'never' : 'yes';
    // A step that was skipped has not ended in any way.
    case 'skipped':
    case undefined:
      return 'never';
  }
}
