import { TaskState } from '../../protocol/a2a.js';
import { NO_CHANGE, type Delegation, type DelegationPatch } from '../task.js';
import type { TaskAggregate, TaskChange } from '../task.js';
import { Draft } from './draft.js';
import { withHubData } from './own-ids.js';

/**
 * A claimed delegation whose message has not left goes back to the queue, for whoever claims it next.
 * Nothing when it has ended, or is queued for somebody else already.
 */
export function decideRequeue(aggregate: TaskAggregate, delegationId: string): TaskChange {
  const given = (delegation: Delegation): Omit<DelegationPatch, 'id'> | undefined => {
    const free = { owner: null, leaseUntil: null };
    if (delegation.state === 'sending') return { ...unsent(delegation), ...free };
    return isHeld(delegation) ? free : undefined;
  };
  return patched(aggregate, delegationId, given);
}

/**
 * A claimed delegation whose agent may not be asked now counts as queued, and stays its owner's: nothing
 * is unknown about its message if the owner dies. {@link decideSending} ends that.
 */
export function decideHold(aggregate: TaskAggregate, delegationId: string): TaskChange {
  return patched(aggregate, delegationId, (delegation) =>
    delegation.state === 'sending' ? unsent(delegation) : undefined,
  );
}

/**
 * Tells those who look at the task what a held delegation waits for: a status message, in the state the
 * task is in. Nothing when it is held no more, or when the task's status is a question.
 */
export function decideHoldNotice(
  aggregate: TaskAggregate,
  delegationId: string,
  why: string,
  now: Date,
): TaskChange {
  return noted(aggregate, delegationId, why, now, isHeld);
}

/**
 * Tells those who look at a new task that nobody works on it; as {@link decideHoldNotice}. Nothing when somebody
 * has taken it.
 */
export function decideNoWorkerNotice(aggregate: TaskAggregate, why: string, now: Date): TaskChange {
  const draft = new Draft(aggregate, now);
  const isTaken = aggregate.delegations.some(({ owner }) => owner !== null);
  if (isTaken || !SILENT.has(draft.state)) return NO_CHANGE;
  draft.emitStatus(draft.state, draft.say(why));
  return draft.change();
}

function noted(
  aggregate: TaskAggregate,
  delegationId: string,
  why: string,
  now: Date,
  waits: (delegation: Delegation) => boolean,
): TaskChange {
  const draft = new Draft(aggregate, now);
  const delegation = draft.delegation(delegationId);
  if (!delegation || !waits(delegation) || !SILENT.has(draft.state)) return NO_CHANGE;
  const origin = draft.several ? withHubData(undefined, draft.originOf(delegation)) : undefined;
  draft.emitStatus(draft.state, draft.say(why, origin));
  return draft.change();
}

/**
 * Tells those who look at the task that a message which is being sent waits for a connection; as
 * {@link decideHoldNotice}. Nothing when its agent has answered.
 */
export function decideConnectionNotice(
  aggregate: TaskAggregate,
  delegationId: string,
  why: string,
  now: Date,
): TaskChange {
  return noted(aggregate, delegationId, why, now, ({ state }) => state === 'sending');
}

/** States in which a status message of the hub hides nothing. */
const SILENT: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_SUBMITTED,
  TaskState.TASK_STATE_WORKING,
]);

/** The message of a delegation that was held is about to leave. Nothing when it is held no more. */
export function decideSending(aggregate: TaskAggregate, delegationId: string): TaskChange {
  return patched(aggregate, delegationId, (delegation) =>
    isHeld(delegation) ? { state: 'sending', calls: delegation.calls + 1 } : undefined,
  );
}

/** It waits with its owner until its agent may be asked: whatever queues it anew takes the owner away. */
export function isHeld({ state, owner }: Pick<Delegation, 'state' | 'owner'>): boolean {
  return state === 'queued' && owner !== null;
}

/** The calls of a delegation whose message has not left: its claim has counted one. */
export function callsUnsent({ state, calls }: Pick<Delegation, 'state' | 'calls'>): number {
  return state === 'sending' ? calls - 1 : calls;
}

function unsent(delegation: Delegation): Omit<DelegationPatch, 'id'> {
  return { state: 'queued', calls: callsUnsent(delegation) };
}

function patched(
  { delegations }: TaskAggregate,
  id: string,
  patchOf: (delegation: Delegation) => Omit<DelegationPatch, 'id'> | undefined,
): TaskChange {
  const delegation = delegations.find((each) => each.id === id);
  const patch = delegation && patchOf(delegation);
  return patch ? { events: [], delegations: [{ id, ...patch }] } : NO_CHANGE;
}
