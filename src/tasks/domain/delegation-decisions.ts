import type { Delegation, TaskAggregate, TaskChange } from '../task.js';
import { NO_CHANGE } from '../task.js';
import { hasAccepted, isEnded, shortReason } from './delegation-state.js';
import { attemptsWith } from './delegation-times.js';
import { budgetSpent, callsLeft } from './call-budget.js';
import { isInDoubt } from './decide-resend.js';
import { Draft } from './draft.js';
import type { End, Why } from './end-delegation.js';
import { cancelOf } from './operator-actions.js';
import { endByHub } from './end-by-hub.js';
import { callsUnsent } from './unsent.js';

/** Ends a delegation by decision of the hub: an error, a budget, a cancel that the agent has confirmed. */
export function decideOutcome(
  aggregate: TaskAggregate,
  delegationId: string,
  end: End,
  now: Date,
): TaskChange {
  const open = openDraft(aggregate, delegationId, now);
  if (!open) return NO_CHANGE;
  endByHub(open.draft, open.delegation, end);
  return open.draft.change();
}

/**
 * The agent did not accept the message: the delegation fails over to the next one in the route's order, unseen
 * by the client (nothing of the first was shown). With none left, with the task's calls used up, with a message
 * on its way that only this agent can answer or may have had before, or with a cancel requested, the
 * delegation ends instead.
 * `nameOf` tells an agent's name by its id. A message that was not sent is no call of the task, and its agent
 * was skipped rather than called.
 */
export function decideFailover(
  aggregate: TaskAggregate,
  delegationId: string,
  { reason, code }: Why,
  now: Date,
  nameOf: (agentId: string) => string = (agentId) => agentId,
  wasSent = true,
): TaskChange {
  const open = openDraft(aggregate, delegationId, now);
  if (!open) return NO_CHANGE;
  const { draft, delegation } = open;
  const { agentName } = delegation;
  const again = {
    state: 'queued',
    calls: wasSent ? delegation.calls : callsUnsent(delegation),
  } as const;
  const named = reason.startsWith(agentName) ? reason : `${agentName}: ${reason}`;
  const reasons = shortReason(
    [delegation.reason, named.replace(/\.$/, '')].filter(Boolean).join('; '),
  );
  const [next, ...fallbacks] = delegation.fallbacks;
  const inDoubt = isInDoubt(delegation);
  const agentNotified = delegation.downstreamTaskId === null && !inDoubt;
  const known = { agentNotified, unsent: !wasSent };
  const fail = (why: string, because = code): void =>
    endByHub(draft, delegation, {
      ...{ state: 'failed', reason: shortReason(why), code: because },
      ...known,
    });
  if (aggregate.record.cancelRequestedAt !== null) {
    endCanceled(draft, delegation, known);
  } else if (hasAccepted(delegation) || inDoubt || (!next && delegation.reason === null)) {
    fail(reason);
  } else if (!next) {
    fail(`No agent took the message. ${reasons}`);
  } else if (callsLeft(aggregate.record, withPatch(aggregate.delegations, delegation, again)) < 0) {
    fail(`${budgetSpent(aggregate.record)} ${reasons}`, 'MAX_CALLS_REACHED');
  } else {
    draft.patch(delegation.id, {
      agentId: next.agentId,
      agentName: nameOf(next.agentId),
      agentSince: null,
      skillId: next.skillId ?? null,
      fallbacks,
      ...again,
      downstreamContextId: null,
      progress: {
        artifacts: [],
        ...pendingOf(delegation),
        attempts: attemptsWith(delegation, reason, now, wasSent),
      },
      reason: reasons,
      owner: null,
      leaseUntil: null,
    });
  }
  return draft.change();
}

/** Ends a delegation whose message no agent has taken, of a task whose cancel was requested. */
export function endCanceled(
  draft: Draft,
  delegation: Delegation,
  known: Pick<End, 'agentNotified' | 'unsent'>,
): void {
  const reason = 'Canceled before an agent took the message.';
  const { code } = cancelOf(draft.aggregate.record.cancelMetadata);
  endByHub(draft, delegation, { state: 'canceled', reason, code, ...known });
}

function withPatch(
  delegations: readonly Delegation[],
  { id }: Delegation,
  patch: Partial<Delegation>,
): Delegation[] {
  return delegations.map((each) => (each.id === id ? { ...each, ...patch } : each));
}

/** A draft for a delegation that has not ended, of a task that has not; undefined for any other. */
export function openDraft(
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

function pendingOf(delegation: Delegation): { pending?: readonly number[] } {
  return delegation.progress.pending ? { pending: delegation.progress.pending } : {};
}
