import type { IdSource } from '../../common/ids.js';
import type { StreamResponse } from '../../protocol/a2a.js';
import type { Delegation, TaskAggregate, TaskChange } from '../task.js';
import { NO_CHANGE } from '../task.js';
import {
  hasAccepted,
  isEnded,
  shortReason,
  taskStateOf,
  type EndState,
} from './delegation-state.js';
import { Draft } from './draft.js';
import { withHubData, originOf } from './own-ids.js';
import { cancelOpen, endDelegation, settle } from './settle.js';
import { takeEvent } from './take-event.js';

/** How a delegation ended when the agent itself has not said so. */
export interface Outcome {
  readonly state: EndState;
  /** For people: shown in the task's status and kept with the delegation. */
  readonly reason: string | null;
}

/**
 * What one event of an agent (its own ids, as it came) adds to the hub's task. A whole task is
 * reconciled, so that streams, polls and recovery all come through here. An answer that A2A does not
 * allow fails the delegation (InvalidAgentResponse). Events of a delegation that has ended, or of a
 * task that has, add nothing.
 */
export function decideAgentEvent(
  aggregate: TaskAggregate,
  delegationId: string,
  event: StreamResponse,
  now: Date,
  ids: IdSource,
): TaskChange {
  const open = openDraft(aggregate, delegationId, now);
  if (!open || !event.payload) return NO_CHANGE;
  const invalid = takeEvent(open.draft, open.delegation, event.payload, ids);
  if (invalid === undefined) return open.draft.change();
  return decideOutcome(
    aggregate,
    delegationId,
    { state: 'failed', reason: `InvalidAgentResponse: ${invalid}` },
    now,
  );
}

/** Ends a delegation on the hub's word: an error, a budget, a cancel that the agent has confirmed. */
export function decideOutcome(
  aggregate: TaskAggregate,
  delegationId: string,
  outcome: Outcome,
  now: Date,
): TaskChange {
  const open = openDraft(aggregate, delegationId, now);
  if (!open) return NO_CHANGE;
  end(open.draft, open.delegation, outcome);
  return open.draft.change();
}

/**
 * The agent did not take the message: the next one in the route's order is asked, unseen by the
 * client (nothing of the first was shown). With none left, with a message on its way that only this
 * agent can answer, or with a cancel requested, the delegation ends instead. `nameOf` tells an
 * agent's name by its id.
 */
export function decideFailover(
  aggregate: TaskAggregate,
  delegationId: string,
  reason: string,
  now: Date,
  nameOf: (agentId: string) => string = (agentId) => agentId,
): TaskChange {
  const open = openDraft(aggregate, delegationId, now);
  if (!open) return NO_CHANGE;
  const { draft, delegation } = open;
  const { agentName } = delegation;
  const named = reason.startsWith(agentName) ? reason : `${agentName}: ${reason}`;
  const reasons = shortReason(
    [delegation.reason, named.replace(/\.$/, '')].filter(Boolean).join('; '),
  );
  const [next, ...fallbacks] = delegation.fallbacks;
  if (aggregate.record.cancelRequestedAt !== null) {
    end(draft, delegation, {
      state: 'canceled',
      reason: 'Canceled before an agent took the message.',
    });
  } else if (hasAccepted(delegation) || (!next && delegation.reason === null)) {
    end(draft, delegation, { state: 'failed', reason });
  } else if (!next) {
    end(draft, delegation, { state: 'failed', reason: `No agent took the message. ${reasons}` });
  } else {
    draft.patch(delegation.id, {
      agentId: next.agentId,
      agentName: nameOf(next.agentId),
      skillId: next.skillId ?? null,
      fallbacks,
      state: 'queued',
      downstreamContextId: null,
      progress: { artifacts: {}, closed: [], ...pendingOf(delegation) },
      reason: reasons,
      owner: null,
      leaseUntil: null,
    });
  }
  return draft.change();
}

/**
 * Ends what has run out of time: every open delegation once the task's deadline has passed (they are
 * canceled), else each delegation past its own (it fails). Nothing when nothing is overdue.
 */
export function decideDeadline(aggregate: TaskAggregate, now: Date): TaskChange {
  const draft = new Draft(aggregate, now);
  if (draft.ended) return NO_CHANGE;
  const { deadlineAt, createdAt } = aggregate.record;
  if (deadlineAt !== null && deadlineAt <= now) {
    const seconds = Math.round((deadlineAt.getTime() - createdAt.getTime()) / 1000);
    const reason = `The task's deadline of ${seconds} s has passed.`;
    cancelOpen(draft, reason);
    if (draft.several) settle(draft, { cutShort: true });
    else draft.emitStatus(taskStateOf('failed'), draft.say(reason));
    return draft.change();
  }
  for (const each of draft.delegations()) {
    const current = draft.delegation(each.id);
    if (!current || isEnded(current.state) || current.deadlineAt > now) continue;
    end(draft, current, { state: 'failed', reason: lateReason(current) });
  }
  return draft.change();
}

function lateReason({ state, agentName }: Delegation): string {
  return state === 'input-required' || state === 'auth-required'
    ? `${agentName} waited for the client until its time was over.`
    : `${agentName} did not finish in time.`;
}

function openDraft(
  aggregate: TaskAggregate,
  delegationId: string,
  now: Date,
): { draft: Draft; delegation: Delegation } | undefined {
  const draft = new Draft(aggregate, now);
  const delegation = draft.delegation(delegationId);
  return draft.ended || !delegation || isEnded(delegation.state)
    ? undefined
    : { draft, delegation };
}

function end(draft: Draft, delegation: Delegation, { state, reason }: Outcome): void {
  endDelegation(draft, delegation, state, reason);
  if (!draft.several) {
    draft.emitStatus(taskStateOf(state), reason ? draft.say(reason) : undefined);
    return;
  }
  const message = `${delegation.agentName} ${state}${reason ? `: ${reason}` : '.'}`;
  draft.emitStatus(
    taskStateOf('working'),
    draft.say(message, withHubData(undefined, { ...originOf(delegation), state })),
  );
  settle(draft);
}

function pendingOf(delegation: Delegation): { pending?: readonly number[] } {
  return delegation.progress.pending ? { pending: delegation.progress.pending } : {};
}
