import type { Delegation } from '../task.js';
import { taskStateOf, type EndState } from './delegation-state.js';
import type { Draft } from './draft.js';
import { endDelegation } from './end-delegation.js';
import { withHubData } from './own-ids.js';
import { settle } from './settle.js';

/** How a delegation ended when the agent itself has not said so. */
export interface Outcome {
  readonly state: EndState;
  /** For people: shown in the task's status and kept with the delegation. */
  readonly reason: string | null;
}

/** Ends a delegation whose agent has not said so itself, and shows what that means for the task. */
export function endOnHubsWord(
  draft: Draft,
  delegation: Delegation,
  { state, reason }: Outcome,
): void {
  endDelegation(draft, delegation, state, reason);
  if (!draft.several) {
    draft.emitStatus(taskStateOf(state), reason ? draft.say(reason) : undefined);
    return;
  }
  const message = `${delegation.agentName} ${state}${reason ? `: ${reason}` : '.'}`;
  draft.emitStatus(
    taskStateOf('working'),
    draft.say(message, withHubData(undefined, { ...draft.originOf(delegation), state })),
  );
  settle(draft);
}
