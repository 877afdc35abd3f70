import type { Delegation } from '../task.js';
import { closedProgress, isEnded, shortReason, type EndState } from './delegation-state.js';
import type { Draft } from './draft.js';
import { isToldByOthers } from './ended-by.js';
import { holdsArtifacts } from './held-artifacts.js';

/** How a delegation comes to its end. */
export interface End {
  readonly state: EndState;
  /** For people: shown in the task's status and kept with the delegation. */
  readonly reason: string | null;
  /** The agent knows of it: it has said so itself, has been told, or has never had the message. */
  readonly agentKnows?: boolean;
}

/**
 * Ends a delegation. What it gave is complete now; of what is held of one that did not complete only
 * that which its agent has finished. Nobody needs to own it, unless its agent is still to be told.
 */
export function endDelegation(
  draft: Draft,
  delegation: Delegation,
  { state, reason, agentKnows = false }: End,
): void {
  const { progress } = delegation;
  const unfinished = state !== 'completed' && holdsArtifacts(draft.stepOf(delegation));
  const untold = !agentKnows && !isToldByOthers(delegation) && mayWork(delegation);
  draft.patch(delegation.id, {
    state,
    reason: reason === null ? null : shortReason(reason),
    progress: unfinished ? progress : closedProgress(progress),
    ...(untold ? { untold } : { owner: null, leaseUntil: null }),
  });
}

/** Cancels every delegation that has not ended; the runner then tells their agents. */
export function cancelOpen(draft: Draft, reason: string): void {
  for (const each of draft.delegations()) {
    if (!isEnded(each.state)) endDelegation(draft, each, { state: 'canceled', reason });
  }
}

/** The agent has the message, or may have it. */
function mayWork({ state, downstreamTaskId }: Delegation): boolean {
  return state === 'sending' || downstreamTaskId !== null;
}
