import { TaskState } from '../../protocol/a2a.js';
import type { Delegation, DelegationState, WaitState } from '../task.js';

export type EndState = Extract<
  DelegationState,
  'completed' | 'failed' | 'canceled' | 'rejected' | 'skipped'
>;

const TASK_STATE: Readonly<Record<DelegationState, TaskState>> = {
  planned: TaskState.TASK_STATE_WORKING,
  queued: TaskState.TASK_STATE_WORKING,
  sending: TaskState.TASK_STATE_WORKING,
  working: TaskState.TASK_STATE_WORKING,
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
  'auth-required': TaskState.TASK_STATE_AUTH_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
  rejected: TaskState.TASK_STATE_REJECTED,
  skipped: TaskState.TASK_STATE_CANCELED,
};

const DELEGATION_STATE = new Map<TaskState, DelegationState>([
  [TaskState.TASK_STATE_SUBMITTED, 'working'],
  [TaskState.TASK_STATE_WORKING, 'working'],
  [TaskState.TASK_STATE_INPUT_REQUIRED, 'input-required'],
  [TaskState.TASK_STATE_AUTH_REQUIRED, 'auth-required'],
  [TaskState.TASK_STATE_COMPLETED, 'completed'],
  [TaskState.TASK_STATE_FAILED, 'failed'],
  [TaskState.TASK_STATE_CANCELED, 'canceled'],
  [TaskState.TASK_STATE_REJECTED, 'rejected'],
]);

const ENDS: ReadonlySet<DelegationState> = new Set<EndState>([
  'completed',
  'failed',
  'canceled',
  'rejected',
  'skipped',
]);

/** Begun and not ended: it has a runner, or should have one, and its time counts. */
export const OPEN_STATES = [
  'queued',
  'sending',
  'working',
  'input-required',
  'auth-required',
] as const satisfies readonly DelegationState[];

/** See {@link OPEN_STATES}. */
export function isOpen(state: DelegationState): state is (typeof OPEN_STATES)[number] {
  return state !== 'planned' && !isEnded(state);
}

/**
 * Whether a change of a delegation is seen by who looks for some: for those of an agent or of its task, for those that
 * wait for their turn, need a runner, or are overdue. Most updates of an agent are not.
 */
export function isMoved(before: Delegation, after: Delegation): boolean {
  return (
    after.state === 'queued' ||
    isOpen(after.state) !== isOpen(before.state) ||
    awaitsAuthorization(after) !== awaitsAuthorization(before) ||
    after.cancelPending !== before.cancelPending ||
    after.deadlineAt !== before.deadlineAt ||
    after.agentId !== before.agentId ||
    after.agentSince !== before.agentSince ||
    after.downstreamTaskId !== before.downstreamTaskId
  );
}

/** Nothing more comes from it. */
export function isEnded(state: DelegationState): state is EndState {
  return ENDS.has(state);
}

/** Begun, and neither ended nor waiting for its client. */
export const RUNNING_STATES = [
  'queued',
  'sending',
  'working',
] as const satisfies readonly DelegationState[];

/** It has begun: a runner or an agent has it, or is about to. */
export function isRunning(state: DelegationState): boolean {
  return RUNNING_STATES.some((each) => each === state);
}

/** It waits for the client. */
export function isWaiting(state: DelegationState): state is WaitState {
  return state === 'input-required' || state === 'auth-required';
}

/** Its message is not sent before the client has authorized it: neither a runner nor an agent has it. */
export function awaitsAuthorization({ state, progress }: Delegation): boolean {
  return state === 'auth-required' && progress.awaits !== undefined;
}

export function taskStateOf(state: DelegationState): TaskState {
  return TASK_STATE[state];
}

/** undefined for a state that says nothing (`unspecified`, or one this version does not know). */
export function delegationStateOf(state: TaskState): DelegationState | undefined {
  return DELEGATION_STATE.get(state);
}

/** No agent has shown that it has the message it is to get. */
export function isUnsent(state: DelegationState): state is 'queued' | 'sending' {
  return state === 'queued' || state === 'sending';
}

/** The agent has accepted the work, so no other agent may replace it. */
export function hasAccepted(delegation: Delegation): boolean {
  return (
    delegation.downstreamTaskId !== null ||
    !(delegation.state === 'planned' || isUnsent(delegation.state))
  );
}

const REASON_LIMIT = 500;

/** A reason that fits a column: at most 500 characters, never half of a surrogate pair. */
export function shortReason(text: string): string {
  if (text.length <= REASON_LIMIT) return text;
  return `${text.slice(0, REASON_LIMIT - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
