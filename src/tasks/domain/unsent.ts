import { TaskState } from '../../protocol/a2a.js';
import { NO_CHANGE, type Delegation, type DelegationPatch } from '../task.js';
import type { TaskAggregate, TaskChange } from '../task.js';
import { Draft } from './draft.js';
import { withHubData } from './own-ids.js';

/**
 * A claimed delegation whose message has not been sent returns to the queue, for the next claim. Nothing when
 * it has ended, or is queued already.
 */
export function decideRequeue(aggregate: TaskAggregate, delegationId: string): TaskChange {
  const given = (delegation: Delegation): Omit<DelegationPatch, 'id'> | undefined => {
    const free = { owner: null, leaseUntil: null };
    if (delegation.state === 'sending') return { ...unsent(delegation), ...free };
    return awaitsBreaker(delegation) ? free : undefined;
  };
  return patched(aggregate, delegationId, given);
}

/**
 * A claimed delegation whose agent may not be called now counts as queued, and stays with its owner: its message
 * is known to be unsent if the owner dies. {@link decideSending} ends that.
 */
export function decideBreakerWait(aggregate: TaskAggregate, delegationId: string): TaskChange {
  return patched(aggregate, delegationId, (delegation) =>
    delegation.state === 'sending' ? unsent(delegation) : undefined,
  );
}

/**
 * Shows in the task what a held delegation waits for: a status message, in the state the task is in. Nothing
 * when it is no longer held, or when the task's status is a question.
 */
export function decideBreakerNotice(
  aggregate: TaskAggregate,
  delegationId: string,
  why: string,
  now: Date,
): TaskChange {
  return withNotice(aggregate, delegationId, why, now, awaitsBreaker);
}

/**
 * Shows in a new task that no worker process runs; as {@link decideBreakerNotice}. Nothing when a process has
 * claimed it.
 */
export function decideNoWorkerNotice(aggregate: TaskAggregate, why: string, now: Date): TaskChange {
  const draft = new Draft(aggregate, now);
  const isTaken = aggregate.delegations.some(({ owner }) => owner !== null);
  if (isTaken || !SILENT.has(draft.state)) return NO_CHANGE;
  draft.emitStatus(draft.state, draft.say(why));
  return draft.change();
}

function withNotice(
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
 * Shows in the task that a message which is being sent waits for a connection; as {@link decideBreakerNotice}.
 * Nothing when its agent has answered.
 */
export function decideConnectionNotice(
  aggregate: TaskAggregate,
  delegationId: string,
  why: string,
  now: Date,
): TaskChange {
  return withNotice(aggregate, delegationId, why, now, ({ state }) => state === 'sending');
}

/** States in which a status message of the hub hides nothing. */
const SILENT: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_SUBMITTED,
  TaskState.TASK_STATE_WORKING,
]);

/** The message of a held delegation is about to be sent. Nothing when it is no longer held. */
export function decideSending(aggregate: TaskAggregate, delegationId: string): TaskChange {
  return patched(aggregate, delegationId, (delegation) =>
    awaitsBreaker(delegation) ? { state: 'sending', calls: delegation.calls + 1 } : undefined,
  );
}

/** It waits with its owner until its agent may be called: a requeue removes the owner. */
export function awaitsBreaker({ state, owner }: Pick<Delegation, 'state' | 'owner'>): boolean {
  return state === 'queued' && owner !== null;
}

/** The calls of a delegation whose message has not been sent: its claim has counted one. */
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
