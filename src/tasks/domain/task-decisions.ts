import { HubError, invalidField } from '../../common/hub-error.js';
import { sizeOf, VALUE_SIZE } from '../../common/long-work.js';
import { TaskState, type Message } from '../../protocol/a2a.js';
import { fieldOf, type RoutingDirective } from '../../protocol/routing-extension.js';
import { isInterrupted } from '../../protocol/task-state.js';
import {
  NO_CHANGE,
  type Delegation,
  type SentWith,
  type TaskAggregate,
  type TaskChange,
} from '../task.js';
import { budgetSpent, callsLeft } from './call-budget.js';
import {
  awaitsAuthorization,
  isEnded,
  isOpen,
  isUnsent,
  isWaiting,
  taskStateOf,
} from './delegation-state.js';
import { Draft } from './draft.js';
import { endDelegation, type Why } from './end-delegation.js';
import { type Canceler, cancelOf, cancelBy } from './operator-actions.js';
import { withoutHubKeys } from './own-ids.js';
import { recomputeState } from './recompute-state.js';
import { answeredKey } from './status-key.js';

/** What the metadata of a request to cancel may take, by `sizeOf`: it is kept in the row of its task, and in memory with it. */
const MAX_CANCEL_METADATA = 64 * 1024;

/**
 * Records that the client wants the task canceled. What no agent works on (never sent, of a later step,
 * or waiting for the client) is canceled here; the runners cancel the rest with their agents and report what
 * came of it. Asking again changes nothing. `metadata` of the request is kept for the agents, and who asks
 * instead of the client (`by`). Throws HubError INVALID_PARAMS for more than 64 KiB of metadata, and TASK_NOT_CANCELABLE
 * on a terminal task.
 */
export function decideCancelRequest(
  aggregate: TaskAggregate,
  now: Date,
  metadata?: Readonly<Record<string, unknown>>,
  by?: Canceler,
): TaskChange {
  const theirs = withoutHubKeys(metadata) ?? {};
  if (sizeOf(theirs) > MAX_CANCEL_METADATA) {
    const most = `${MAX_CANCEL_METADATA / 1024} KiB (its characters, and ${VALUE_SIZE} for each value)`;
    throw invalidField('metadata', `may take at most ${most}`);
  }
  const draft = new Draft(aggregate, now);
  if (draft.ended) {
    throw new HubError('TASK_NOT_CANCELABLE', 'The task has ended and cannot be canceled.', {
      metadata: { taskId: aggregate.record.id },
    });
  }
  if (aggregate.record.cancelRequestedAt !== null) return NO_CHANGE;
  const clients = Object.keys(theirs).length > 0 ? theirs : null;
  const cancelMetadata = by ? cancelBy(clients, by) : clients;
  const why = cancelOf(cancelMetadata);
  draft.patchRecord({ cancelRequestedAt: now, cancelMetadata });
  const idle = draft.delegations().filter(isIdle);
  for (const each of idle) endDelegation(draft, each, { state: 'canceled', ...why });
  if (idle.length === 0) return draft.change();
  if (draft.several) recomputeState(draft, { cancelRequested: true });
  else draft.emitStatus(TaskState.TASK_STATE_CANCELED, draft.say(why.reason));
  return draft.change();
}

/** No runner and no agent works on it. One that waits for authorization may still be followed. */
function isIdle({ state, owner }: Delegation): boolean {
  return (
    state === 'planned' ||
    state === 'queued' ||
    state === 'input-required' ||
    (state === 'auth-required' && owner === null)
  );
}

/**
 * A further message of the client on an open task. It goes to the delegation that waits, or else to the
 * one that works, among those that `replyTo` of the client's `directive` names by delegation, agent or step: it is queued again with
 * this message. A message that comes before the agent has taken the one before
 * is kept and sent after it.
 *
 * Throws HubError UNSUPPORTED_OPERATION on a terminal task, one being canceled or one that has sent as
 * many messages as it may, INVALID_PARAMS when the context is another one or it is not clear who is
 * answered.
 */
export function decideFollowUp(
  aggregate: TaskAggregate,
  message: Message,
  directive: Pick<RoutingDirective, 'replyTo'>,
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
  const target = addressee(aggregate, directive);
  if (callsLeft(record, aggregate.delegations) < 1) {
    throw new HubError(
      'UNSUPPORTED_OPERATION',
      `${budgetSpent(record)} It takes no further message; it can still be read and canceled.`,
      { metadata: { taskId: record.id } },
    );
  }
  const messageSeq = draft.nextSeq;
  const value = { ...message, taskId: record.id, contextId: record.contextId };
  draft.emit('message', { $case: 'message', value }, sentWith);
  const progress = {
    ...target.progress,
    pending: [...(target.progress.pending ?? []), messageSeq],
  };
  if (isUnsent(target.state)) {
    draft.patch(target.id, { progress });
  } else if (awaitsAuthorization(target)) {
    // The message that has waited goes first, with what has come with this one.
    delete progress.awaits;
    draft.patch(target.id, { state: 'queued', progress, reason: null });
  } else {
    const lastStatus = answeredKey(target.progress.lastStatus);
    draft.patch(target.id, {
      state: 'queued',
      messageSeq,
      progress: {
        ...target.progress,
        ...(lastStatus !== undefined && { lastStatus }),
        // One that waits for this message sends nothing, as a rule.
        ...(target.state !== 'input-required' && { mayHaveMissed: true as const }),
      },
      reason: null,
      owner: null,
      leaseUntil: null,
    });
  }
  if (draft.several) recomputeState(draft);
  else if (isInterrupted(draft.state)) draft.emitStatus(TaskState.TASK_STATE_WORKING);
  return draft.change();
}

/**
 * The delegation a further message is for; throws HubError INVALID_PARAMS when that is not clear.
 */
export function addressee(
  { record, delegations }: Pick<TaskAggregate, 'record' | 'delegations'>,
  directive: Pick<RoutingDirective, 'replyTo'>,
): Delegation {
  const { replyTo } = directive;
  const field = fieldOf(directive, 'replyTo');
  const open = delegations.filter(({ state }) => isOpen(state));
  const named = open.filter(
    ({ id, agentId, step }) =>
      replyTo === undefined || [id, agentId, record.plan[step]?.name].includes(replyTo),
  );
  if (replyTo !== undefined && named.length === 0) {
    throw invalidField(field, `no open delegation, agent or step "${replyTo}" in this task`);
  }
  const waiting = named.filter(({ state }) => isWaiting(state));
  const candidates = waiting.length > 0 ? waiting : named;
  const [only] = candidates;
  if (only && candidates.length === 1) return only;
  const names = candidates.map((each) => nameIn(each, open)).join(', ');
  throw invalidField(
    field,
    waiting.length > 0
      ? `several agents wait; name the one you answer: ${names}`
      : `several agents work on this task; name the one you mean: ${names}`,
  );
}

/** The agent's id; of an agent with two delegations, the delegation's. */
function nameIn({ id, agentId }: Delegation, open: readonly Delegation[]): string {
  return open.filter((each) => each.agentId === agentId).length > 1 ? id : agentId;
}

/**
 * Ends the whole task as failed by decision of the hub: every open delegation fails with the reason. What is
 * held back is not shown: the reason may be that the task has reached its size limit.
 */
export function decideTaskFailed(aggregate: TaskAggregate, why: Why, now: Date): TaskChange {
  const draft = new Draft(aggregate, now);
  if (draft.ended) return NO_CHANGE;
  for (const each of draft.delegations()) {
    if (each.state === 'planned') endDelegation(draft, each, { state: 'skipped', ...why });
    else if (!isEnded(each.state)) endDelegation(draft, each, { state: 'failed', ...why });
  }
  draft.emitStatus(taskStateOf('failed'), draft.say(why.reason));
  return draft.change();
}
