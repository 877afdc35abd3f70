import { HubError, invalidField } from '../../common/hub-error.js';
import { TaskState, type Message } from '../../protocol/a2a.js';
import { isInterrupted } from '../../protocol/task-state.js';
import {
  NO_CHANGE,
  type Delegation,
  type SentWith,
  type TaskAggregate,
  type TaskChange,
} from '../task.js';
import { isEnded, isWaiting, taskStateOf } from './delegation-state.js';
import { Draft } from './draft.js';
import { endDelegation, settle } from './settle.js';
import { answeredKey } from './status-key.js';

const CANCELED = 'Canceled by the client.';

/**
 * Records that the client wants the task canceled. What no agent works on (never sent, or waiting
 * for the client) is canceled here; the runners cancel the rest with their agents and report what
 * came of it. Asking again changes nothing. Throws HubError TASK_NOT_CANCELABLE on a terminal task.
 */
export function decideCancelRequest(aggregate: TaskAggregate, now: Date): TaskChange {
  const draft = new Draft(aggregate, now);
  if (draft.ended) {
    throw new HubError('TASK_NOT_CANCELABLE', 'The task has ended and cannot be canceled.', {
      metadata: { taskId: aggregate.record.id },
    });
  }
  if (aggregate.record.cancelRequestedAt !== null) return NO_CHANGE;
  draft.patchRecord({ cancelRequestedAt: now });
  const idle = draft.delegations().filter(isIdle);
  for (const each of idle) endDelegation(draft, each, 'canceled', CANCELED);
  if (idle.length === 0) return draft.change();
  if (draft.several) settle(draft, { cancelRequested: true });
  else draft.emitStatus(TaskState.TASK_STATE_CANCELED, draft.say(CANCELED));
  return draft.change();
}

/** No runner and no agent works on it. One that waits for authorization may still be followed. */
function isIdle({ state, owner }: Delegation): boolean {
  return (
    state === 'queued' ||
    state === 'input-required' ||
    (state === 'auth-required' && owner === null)
  );
}

/**
 * A further message of the client on an open task. It goes to the delegation that waits (with several
 * waiting, the one that `replyTo` names by delegation or agent id), or else to the one that works: it
 * is queued again with this message. A message that comes before the agent has taken the one before
 * is kept and sent after it.
 *
 * Throws HubError UNSUPPORTED_OPERATION on a terminal task or one being canceled, INVALID_PARAMS when
 * the context is another one or it is not clear who is answered.
 */
export function decideFollowUp(
  aggregate: TaskAggregate,
  message: Message,
  replyTo: string | undefined,
  now: Date,
  sentWith?: SentWith,
): TaskChange {
  const draft = new Draft(aggregate, now);
  const { record } = aggregate;
  if (draft.ended || record.cancelRequestedAt !== null) {
    const why = draft.ended ? 'has ended' : 'is being canceled';
    throw new HubError('UNSUPPORTED_OPERATION', `The task ${why} and takes no further message.`, {
      metadata: { taskId: record.id },
    });
  }
  if (message.contextId !== '' && message.contextId !== record.contextId) {
    throw invalidField('message.contextId', 'is not the context of the task');
  }
  const target = addressee(aggregate.delegations, replyTo);
  const messageSeq = draft.nextSeq;
  const value = { ...message, taskId: record.id, contextId: record.contextId };
  draft.emit('message', { $case: 'message', value }, sentWith);
  if (isUnsent(target)) {
    const pending = [...(target.progress.pending ?? []), messageSeq];
    draft.patch(target.id, { progress: { ...target.progress, pending } });
  } else {
    const lastStatus = answeredKey(target.progress.lastStatus);
    draft.patch(target.id, {
      state: 'queued',
      messageSeq,
      progress: { ...target.progress, ...(lastStatus !== undefined && { lastStatus }) },
      reason: null,
      owner: null,
      leaseUntil: null,
    });
  }
  if (draft.several) settle(draft);
  else if (isInterrupted(draft.state)) draft.emitStatus(TaskState.TASK_STATE_WORKING);
  return draft.change();
}

/** The agent has not taken its present message yet, so that another must wait. */
function isUnsent({ state }: Delegation): boolean {
  return state === 'queued' || state === 'sending';
}

/**
 * The delegation a further message is for; throws HubError INVALID_PARAMS when that is not clear.
 */
export function addressee(
  delegations: readonly Delegation[],
  replyTo: string | undefined,
): Delegation {
  const open = delegations.filter((each) => !isEnded(each.state));
  const waiting = open.filter((each) => isWaiting(each.state));
  if (replyTo !== undefined) {
    const named = open.filter((each) => each.id === replyTo || each.agentId === replyTo);
    const found = named.find((each) => isWaiting(each.state)) ?? named[0];
    if (found) return found;
    throw invalidField('replyTo', `no open delegation or agent "${replyTo}" in this task`);
  }
  const candidates = waiting.length > 0 ? waiting : open;
  const [only] = candidates;
  if (only && candidates.length === 1) return only;
  const names = candidates.map((each) => each.agentId).join(', ');
  throw invalidField(
    'replyTo',
    waiting.length > 0
      ? `several agents wait; name the one you answer: ${names}`
      : `several agents work on this task; name the one you mean: ${names}`,
  );
}

/** Ends the whole task as failed on the hub's word: every open delegation fails with the reason. */
export function decideTaskFailed(aggregate: TaskAggregate, reason: string, now: Date): TaskChange {
  const draft = new Draft(aggregate, now);
  if (draft.ended) return NO_CHANGE;
  for (const each of draft.delegations()) {
    if (!isEnded(each.state)) endDelegation(draft, each, 'failed', reason);
  }
  draft.emitStatus(taskStateOf('failed'), draft.say(reason));
  return draft.change();
}
