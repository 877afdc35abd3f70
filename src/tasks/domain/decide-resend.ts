import type { Delegation, TaskAggregate, TaskChange } from '../task.js';
import { NO_CHANGE } from '../task.js';
import { budgetSpent, callsLeft } from './call-budget.js';
import { Draft } from './draft.js';
import { endByHub } from './end-by-hub.js';
import type { Why } from './end-delegation.js';

/** How often one message is sent again at most; the pause before each is twice the one before. */
export const MAX_RESENDS = 3;
const FIRST_PAUSE_MS = 500;

/**
 * A message on its way may or may not have reached its agent, and is to be sent again: one more call of the
 * task. After {@link MAX_RESENDS}, or with the task's calls spent, the delegation fails instead, for the
 * reason `why`. `agentNotified`: the agent has no task to cancel. Nothing when no message
 * of it is on its way.
 */
export function decideResend(
  aggregate: TaskAggregate,
  delegationId: string,
  { why, agentNotified }: { readonly why: Why; readonly agentNotified: boolean },
  now: Date,
): TaskChange {
  const draft = new Draft(aggregate, now);
  const delegation = draft.delegation(delegationId);
  if (draft.ended || delegation?.state !== 'sending') return NO_CHANGE;
  const times = timesResent(delegation) + 1;
  const resent = { seq: delegation.messageSeq, times };
  draft.patch(delegationId, {
    calls: delegation.calls + 1,
    progress: {
      ...delegation.progress,
      resent,
      times: { ...delegation.progress.times, resentAt: now.getTime() },
    },
  });
  const isOverBudget = callsLeft(aggregate.record, draft.delegations()) < 0;
  if (times <= MAX_RESENDS && !isOverBudget) return draft.change();
  const reason = isOverBudget ? `${why.reason} ${budgetSpent(aggregate.record)}` : why.reason;
  const ended = new Draft(aggregate, now);
  endByHub(ended, delegation, { state: 'failed', code: why.code, reason, agentNotified });
  return ended.change();
}

/** How often the message that is on its way has been sent again. */
export function timesResent({ messageSeq, progress }: Delegation): number {
  return progress.resent?.seq === messageSeq ? progress.resent.times : 0;
}

/**
 * The message on its way had been sent before with an unknown outcome: the agent may have it, whatever it answers
 * now, so that no other agent may get it.
 */
export function isInDoubt(delegation: Delegation): boolean {
  return timesResent(delegation) > 0;
}

/** How long to wait before a message is sent again for the first, second, third time. */
export function resendPauseMs(times: number): number {
  return FIRST_PAUSE_MS * 2 ** (times - 1);
}
