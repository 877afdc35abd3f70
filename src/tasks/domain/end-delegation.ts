import type { Delegation } from '../task.js';
import { closedProgress, isEnded, shortReason, type EndState } from './delegation-state.js';
import type { Draft } from './draft.js';
import { holdsArtifacts } from './held-artifacts.js';

/**
 * Ends a delegation, so that nobody needs to own it. What it gave is complete now; of what is held of
 * one that did not complete only that which its agent has finished.
 */
export function endDelegation(
  draft: Draft,
  delegation: Delegation,
  state: EndState,
  reason: string | null,
): void {
  const unfinished = state !== 'completed' && holdsArtifacts(draft.stepOf(delegation));
  draft.patch(delegation.id, {
    state,
    reason: reason === null ? null : shortReason(reason),
    progress: unfinished ? delegation.progress : closedProgress(delegation.progress),
    owner: null,
    leaseUntil: null,
  });
}

/** Cancels every delegation that has not ended; the runner then tells their agents. */
export function cancelOpen(draft: Draft, reason: string): void {
  for (const each of draft.delegations()) {
    if (!isEnded(each.state)) endDelegation(draft, each, 'canceled', reason);
  }
}
