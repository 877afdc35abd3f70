import { awaitsAuthorization, isRunning, shortReason, taskStateOf } from './delegation-state.js';
import { endCanceled, openDraft } from './delegation-decisions.js';
import { isInDoubt } from './decide-resend.js';
import type { Draft } from './draft.js';
import { withHubData } from './own-ids.js';
import { recomputeState } from './recompute-state.js';
import { callsUnsent } from './unsent.js';
import {
  type Authorization,
  type ConsentWait,
  type Delegation,
  type DelegationProgress,
  NO_CHANGE,
  type TaskAggregate,
  type TaskChange,
} from '../task.js';

/**
 * The message of a claimed delegation cannot be sent before the client has authorized it: it waits, `auth-required`, without a
 * runner, until the client answers or consents, and then is sent before that answer. `reason` is what the client reads. A task that
 * is being canceled ends instead.
 */
export function decideAwaitAuthorization(
  aggregate: TaskAggregate,
  delegationId: string,
  awaits: Authorization,
  reason: string,
  now: Date,
): TaskChange {
  const open = openDraft(aggregate, delegationId, now);
  if (open?.delegation.state !== 'sending') return NO_CHANGE;
  const { draft, delegation } = open;
  if (aggregate.record.cancelRequestedAt !== null) {
    const agentNotified = delegation.downstreamTaskId === null && !isInDoubt(delegation);
    endCanceled(draft, delegation, { agentNotified, unsent: true });
    return draft.change();
  }
  draft.patch(delegationId, {
    state: 'auth-required',
    calls: callsUnsent(delegation),
    progress: { awaits, ...delegation.progress },
    reason: shortReason(reason),
    owner: null,
    leaseUntil: null,
  });
  ask(draft, delegation, awaits, reason);
  return draft.change();
}

/** Says in a task that waits for a consent why there is none yet; nothing when it does not wait any more. */
export function decideConsentFailed(
  aggregate: TaskAggregate,
  delegationId: string,
  reason: string,
  now: Date,
): TaskChange {
  const waiting = consentDraft(aggregate, delegationId, now);
  if (waiting === undefined) return NO_CHANGE;
  const { draft, delegation, awaits } = waiting;
  ask(draft, delegation, awaits, `${delegation.agentName}: ${reason}`);
  return draft.change();
}

/** The consent that a message waits for is there: it is sent. Nothing when it does not wait any more. */
export function decideConsented(
  aggregate: TaskAggregate,
  delegationId: string,
  now: Date,
): TaskChange {
  const waiting = consentDraft(aggregate, delegationId, now);
  if (waiting === undefined) return NO_CHANGE;
  const { draft, delegation } = waiting;
  draft.patch(delegationId, { state: 'queued', progress: sendable(delegation), reason: null });
  if (draft.several) recomputeState(draft);
  else draft.emitStatus(taskStateOf('working'));
  return draft.change();
}

/** What it has given so far, without what it waited for. */
function sendable({ progress }: Delegation): DelegationProgress {
  const rest = { ...progress };
  delete rest.awaits;
  return rest;
}

function consentDraft(
  aggregate: TaskAggregate,
  delegationId: string,
  now: Date,
): { draft: Draft; delegation: Delegation; awaits: ConsentWait } | undefined {
  const open = openDraft(aggregate, delegationId, now);
  if (open === undefined || aggregate.record.cancelRequestedAt !== null) return undefined;
  const { awaits } = open.delegation.progress;
  if (!awaitsAuthorization(open.delegation) || typeof awaits !== 'object') return undefined;
  return { ...open, awaits };
}

function ask(draft: Draft, delegation: Delegation, awaits: Authorization, reason: string): void {
  const state = 'auth-required';
  const origin = { ...draft.originOf(delegation), state, awaits };
  const question = draft.say(withLink(reason, awaits), withHubData(undefined, origin));
  if (draft.several) {
    draft.addQuestion(delegation.id, question);
    if (draft.delegations().some((each) => isRunning(each.state))) {
      draft.emitStatus(taskStateOf('working'), question);
    }
    recomputeState(draft, { asks: true });
  } else draft.emitStatus(taskStateOf(state), question);
}

function withLink(reason: string, awaits: Authorization): string {
  if (awaits === 'caller-token') return reason;
  const { url, expiresAt } = awaits;
  return `${reason} Open ${url} in a browser until ${expiresAt}: the task goes on by itself then. After that, a further message brings a new link.`;
}
