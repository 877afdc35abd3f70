import type { Plan, PlanStep, StepCondition } from '../../routing/index.js';
import type { Delegation } from '../task.js';
import { stepStatus, type StepStatus } from './step-status.js';

/** A step with its delegations and its status. */
export interface StepProgress {
  readonly step: PlanStep;
  readonly delegations: readonly Delegation[];
  readonly status: StepStatus;
}

/** The progress of every step of a plan, in the plan's order. */
export function planProgress(plan: Plan, delegations: readonly Delegation[]): StepProgress[] {
  return plan.map((step, index) => progressOfStep(step, index, delegations));
}

/** The progress of one step of a plan; `all` are the delegations of the plan. */
export function progressOfStep(
  step: PlanStep,
  index: number,
  all: readonly Delegation[],
): StepProgress {
  const delegations = all.filter((each) => each.step === index);
  return { step, delegations, status: stepStatus(step, delegations) };
}

/**
 * Whether a step can begin now, may begin later, or can no longer begin. `before` are the steps before it: those
 * it depends on are among them.
 */
export function turnOf(
  step: PlanStep,
  before: readonly StepProgress[],
): 'begins' | 'waits' | 'never' {
  const answers = step.after.map((condition) => holds(condition, before));
  if (answers.includes('never')) return 'never';
  return answers.includes('not yet') ? 'waits' : 'begins';
}

function holds(
  { step, outcome }: StepCondition,
  before: readonly StepProgress[],
): 'yes' | 'not yet' | 'never' {
  const status = before.find((each) => each.step.name === step)?.status;
  switch (status?.kind) {
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
