import { TaskState } from '../../protocol/a2a.js';
import type { Route } from '../../routing/index.js';
import type { Delegation } from '../task.js';
import { isEnded, isWaiting } from './delegation-state.js';

/** What the delegations amount to. */
export interface AggregateState {
  readonly state: TaskState;
  /** One sentence for people: who waits, what is missing, why it failed; empty when all is said. */
  readonly text: string;
}

/** What else the state depends on. */
export interface AggregateCircumstances {
  /** The client has asked to cancel: what was canceled was so on its word. */
  readonly cancelRequested?: boolean;
  /** The hub itself has canceled what was open (policy, deadline): that is a failure, not a cancel. */
  readonly cutShort?: boolean;
}

type Policy = Pick<Route, 'strategy' | 'require'>;

/**
 * The task's state as a function of its delegations:
 * some running: working; none running and one waiting: auth-required before input-required; all
 * ended: completed when the policy is met, else rejected or canceled when all were, else failed.
 * A task that its client canceled is canceled unless every agent finished first.
 */
export function aggregateState(
  delegations: readonly Delegation[],
  route: Policy,
  circumstances: AggregateCircumstances = {},
): AggregateState {
  const waiting = delegations.filter((each) => isWaiting(each.state));
  const running = delegations.some((each) => !isEnded(each.state) && !isWaiting(each.state));
  if (running) return { state: TaskState.TASK_STATE_WORKING, text: whoWaits(waiting) };
  if (waiting.length > 0) {
    const auth = waiting.some((each) => each.state === 'auth-required');
    const state = auth ? TaskState.TASK_STATE_AUTH_REQUIRED : TaskState.TASK_STATE_INPUT_REQUIRED;
    return { state, text: whoWaits(waiting) };
  }
  return { state: endState(delegations, route, circumstances), text: summary(delegations) };
}

/**
 * Why the policy can no longer be met, in one sentence; undefined while it can. Then what is still
 * open need not go on.
 */
export function policyBroken(
  delegations: readonly Delegation[],
  route: Policy,
): string | undefined {
  if (route.strategy !== 'all' || route.require !== 'all') return undefined;
  const culprit = delegations.find((each) => isEnded(each.state) && each.state !== 'completed');
  return culprit && `${describeEnd(culprit)}, and every agent was required.`;
}

function endState(
  delegations: readonly Delegation[],
  route: Policy,
  { cancelRequested, cutShort }: AggregateCircumstances,
): TaskState {
  const count = (state: Delegation['state']): number =>
    delegations.filter((each) => each.state === state).length;
  const total = delegations.length;
  const completed = count('completed');
  if (total > 0 && completed === total) return TaskState.TASK_STATE_COMPLETED;
  if (cancelRequested && count('canceled') > 0) return TaskState.TASK_STATE_CANCELED;
  if (route.strategy === 'all' && route.require === 'best-effort' && completed > 0) {
    return TaskState.TASK_STATE_COMPLETED;
  }
  if (total > 0 && count('rejected') === total) return TaskState.TASK_STATE_REJECTED;
  if (total > 0 && count('canceled') === total && !cutShort) {
    return TaskState.TASK_STATE_CANCELED;
  }
  return TaskState.TASK_STATE_FAILED;
}

function whoWaits(waiting: readonly Delegation[]): string {
  return waiting
    .map((each) => {
      const what = each.state === 'auth-required' ? 'authorization' : 'input';
      return `${each.agentName} waits for ${what}.`;
    })
    .join(' ');
}

function summary(delegations: readonly Delegation[]): string {
  const missing = delegations.filter((each) => each.state !== 'completed');
  const done = delegations.length - missing.length;
  const agents = delegations.length === 1 ? 'agent' : 'agents';
  const head = `${done} of ${delegations.length} ${agents} completed.`;
  return missing.length === 0 ? head : `${head} Missing: ${missing.map(describeEnd).join('; ')}.`;
}

const END_WORDS: Readonly<Partial<Record<Delegation['state'], string>>> = {
  canceled: 'was canceled',
  rejected: 'rejected the task',
};

function describeEnd({ agentName, state, reason }: Delegation): string {
  return `${agentName} ${END_WORDS[state] ?? state}${reason ? ` (${reason.replace(/\.$/, '')})` : ''}`;
}
