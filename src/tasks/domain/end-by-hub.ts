import type { Delegation } from '../task.js';
import { taskStateOf } from './delegation-state.js';
import type { Draft } from './draft.js';
import { endDelegation, type End } from './end-delegation.js';
import { withHubData } from './own-ids.js';
import { recomputeState } from './recompute-state.js';

/** Ends a delegation by decision of the hub rather than of its agent, and shows what that means for the task. */
export function endByHub(draft: Draft, delegation: Delegation, end: End): void {
  const { state, reason } = end;
  endDelegation(draft, delegation, end);
  if (!draft.several) {
    draft.emitStatus(taskStateOf(state), reason ? draft.say(reason) : undefined);
    return;
  }
  const message = `${delegation.agentName} ${state}${reason ? `: ${reason}` : '.'}`;
  draft.emitStatus(
    taskStateOf('working'),
    draft.say(message, withHubData(undefined, { ...draft.originOf(delegation), state })),
  );
  recomputeState(draft);
}
