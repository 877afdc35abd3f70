import type { Delegation, EndCode } from '../task.js';
import { isEnded, shortReason, type EndState } from './delegation-state.js';
import type { Draft } from './draft.js';
import { closedProgress } from './given-artifacts.js';
import { callsUnsent } from './unsent.js';

/** Why a delegation is not completed. */
export interface Why {
  /** For people: shown in the task's status and kept with the delegation. */
  readonly reason: string;
  /** For programs. */
  readonly code: EndCode;
}

/** How a delegation comes to its end. */
export interface End {
  readonly state: EndState;
  readonly reason: Why['reason'] | null;
  /** Null for a completed one. */
  readonly code: Why['code'] | null;
  /** The agent needs no cancel: it has ended the task itself, has been canceled, or has never had the message. */
  readonly agentNotified?: boolean;
  /** The message of its claim has not left, and is no call of the task. */
  readonly unsent?: boolean;
}

/**
 * Ends a delegation. The artifacts of a completed one are complete; of another only those that its agent has
 * finished. It needs no owner any more, unless a cancel to its agent is pending: its runner sends that, or the
 * next process to claim it.
 */
export function endDelegation(
  draft: Draft,
  delegation: Delegation,
  { state, reason, code, agentNotified = false, unsent = false }: End,
): void {
  const { progress } = delegation;
  const cancelPending =
    (!agentNotified && mayWork(delegation)) || (progress.abandoned ?? []).length > 0;
  draft.patch(delegation.id, {
    state,
    reason: reason === null ? null : shortReason(reason),
    progress: code === null ? closedProgress(progress) : { endCode: code, ...progress },
    ...(unsent && { calls: callsUnsent(delegation) }),
    ...(cancelPending ? { cancelPending } : { owner: null, leaseUntil: null }),
  });
}

/** Cancels every delegation that has not ended; the runner then cancels with their agents. */
export function cancelOpen(draft: Draft, why: Why): void {
  for (const each of draft.delegations()) {
    if (!isEnded(each.state)) endDelegation(draft, each, { state: 'canceled', ...why });
  }
}

/** The agent has the message, or may have it. */
function mayWork({ state, downstreamTaskId }: Delegation): boolean {
  return state === 'sending' || downstreamTaskId !== null;
}
