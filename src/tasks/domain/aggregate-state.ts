import { TaskState } from '../../protocol/a2a.js';
import type { Plan } from '../../routing/index.js';
import type { Delegation } from '../task.js';
import { isRunning, isWaiting } from './delegation-state.js';
import { planProgress, type StepProgress } from './plan-progress.js';
import { policyOf } from '../../routing/index.js';
import { describeEnd, waitingText } from './wording.js';

/** The state of the task that follows from its delegations. */
export interface AggregateState {
  readonly state: TaskState;
  /** One sentence for people: who waits, what is missing, why it failed; empty when all is said. */
  readonly text: string;
}

/** What else the state depends on. */
export interface AggregateCircumstances {
  /** The client has requested a cancel: what was canceled was canceled for it. */
  readonly cancelRequested?: boolean;
  /** The hub itself has canceled what was open (policy, deadline): that is a failure, not a cancel. */
  readonly cutShort?: boolean;
}

/**
 * The task's state as a function of its plan and its delegations, for a plan that has been advanced
 * as far as it goes (`advance-plan.ts`): some running: working; none running and one waiting:
 * auth-required before input-required; all ended: completed when the plan is, else rejected or
 * canceled when all that were asked were, else failed. A task that its client canceled is canceled
 * unless the plan completed first.
 */
export function aggregateState(
  plan: Plan,
  delegations: readonly Delegation[],
  circumstances: AggregateCircumstances = {},
): AggregateState {
  const waiting = delegations.filter((each) => isWaiting(each.state));
  if (delegations.some((each) => isRunning(each.state))) {
    return { state: TaskState.TASK_STATE_WORKING, text: waitingText(waiting) };
  }
  if (waiting.length > 0) {
    const auth = waiting.some((each) => each.state === 'auth-required');
    const state = auth ? TaskState.TASK_STATE_AUTH_REQUIRED : TaskState.TASK_STATE_INPUT_REQUIRED;
    return { state, text: waitingText(waiting) };
  }
  const steps = planProgress(plan, delegations);
  const state = endState(steps, delegations, circumstances);
  return { state, text: summary(steps, delegations, state) };
}

function endState(
  steps: readonly StepProgress[],
  delegations: readonly Delegation[],
  { cancelRequested, cutShort }: AggregateCircumstances,
): TaskState {
  const requested = delegations.filter(({ state }) => state !== 'skipped');
  const all = (wanted: Delegation['state']): boolean =>
    requested.length > 0 && requested.every(({ state }) => state === wanted);
  const canceled = requested.some(({ state }) => state === 'canceled');
  const byClient = cancelRequested === true && canceled;
  if (isComplete(steps, byClient)) return TaskState.TASK_STATE_COMPLETED;
  if (byClient) return TaskState.TASK_STATE_CANCELED;
  if (all('rejected')) return TaskState.TASK_STATE_REJECTED;
  if (all('canceled') && !cutShort) return TaskState.TASK_STATE_CANCELED;
  return TaskState.TASK_STATE_FAILED;
}

/**
 * Every step that is neither optional nor skipped met its policy, and one that gives the result did.
 * Best effort that the client has cut short is not complete: it had more to give.
 */
function isComplete(steps: readonly StepProgress[], byClient: boolean): boolean {
  const met = ({ step, status, delegations }: StepProgress): boolean =>
    status.kind === 'met' &&
    !(
      byClient &&
      policyOf(step.strategy).waitsForAll(step) &&
      delegations.some(({ state }) => state === 'canceled')
    );
  const needed = ({ step, status }: StepProgress): boolean =>
    !step.isOptional && status.kind !== 'skipped';
  return steps.filter(needed).every(met) && steps.some((each) => each.step.isResult && met(each));
}

/** How many completed, and of what is missing: which step, which agent, why. */
function summary(
  steps: readonly StepProgress[],
  delegations: readonly Delegation[],
  state: TaskState,
): string {
  const requested = delegations.filter((each) => each.state !== 'skipped');
  const done = requested.filter((each) => each.state === 'completed').length;
  const head = `${done} of ${requested.length} ${requested.length === 1 ? 'agent' : 'agents'} completed.`;
  const isCompleted = state === TaskState.TASK_STATE_COMPLETED;
  const missing = steps.flatMap((each) => missingOf(each, steps.length > 1, isCompleted));
  return missing.length === 0 ? head : `${head} Missing: ${missing.join('; ')}.`;
}

/** Nothing is missing of a step that has what it needs, unless it wanted more. */
function missingOf(
  { step, status, delegations }: StepProgress,
  named: boolean,
  isCompleted: boolean,
): string[] {
  if (status.kind === 'skipped') {
    const reason = delegations[0]?.reason ?? 'it could not begin';
    return isCompleted ? [] : [`step "${step.name}" (${reason.replace(/\.$/, '')})`];
  }
  if (status.kind === 'met' && !policyOf(step.strategy).waitsForAll(step)) return [];
  const prefix = named ? `step "${step.name}": ` : '';
  return delegations
    .filter(({ state }) => state !== 'completed')
    .map((each) => prefix + describeEnd(each));
}
