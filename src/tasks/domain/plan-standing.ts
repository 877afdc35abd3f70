import type { Plan, PlanStep, StepCondition } from '../../routing/index.js';
import type { Delegation } from '../task.js';
import { stepStanding, type StepStanding } from './step-policy.js';

/** A step with the delegations it has and how it stands. */
export interface StandingStep {
  readonly step: PlanStep;
  readonly index: number;
  readonly delegations: readonly Delegation[];
  readonly standing: StepStanding;
}

/** Every step of a plan as it stands, in the plan's order. */
export function planStanding(plan: Plan, delegations: readonly Delegation[]): StandingStep[] {
  const steps: StandingStep[] = [];
  for (const [index, step] of plan.entries()) {
    const own = delegations.filter((each) => each.step === index);
    const standing = own.length > 0 ? stepStanding(step, own) : emptyStanding(step, steps);
    steps.push({ step, index, delegations: own, standing });
  }
  return steps;
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

/** A step for which there is no agent fails at its turn. */
function emptyStanding(step: PlanStep, before: readonly StandingStep[]): StepStanding {
  switch (turnOf(step, before)) {
    case 'begins':
      return { kind: 'broken', why: 'There is no agent for it.' };
    case 'waits':
      return { kind: 'planned' };
    case 'never':
      return { kind: 'skipped' };
  }
}
