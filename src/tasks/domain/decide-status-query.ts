import { NO_CHANGE, type Delegation, type TaskAggregate, type TaskChange } from '../task.js';
import { timesResent } from './decide-resend.js';
import { Draft } from './draft.js';
import { endByHub } from './end-by-hub.js';
import type { Why } from './end-delegation.js';

/**
 * How often an agent is queried at most for what became of a message each time it was sent, over all processes
 * and their starts: its answer may be what stopped the last one.
 */
export const MAX_STATUS_QUERIES = 3;

/**
 * An agent is about to be queried whether it has the message that is on its way. That counts before it
 * happens; after {@link MAX_STATUS_QUERIES} the delegation fails instead, for the reason `why`, and the agent is left
 * alone. Nothing when no message of it is on its way. `isTakenOver`: the process that sent it is gone, which is noted.
 */
export function decideStatusQuery(
  aggregate: TaskAggregate,
  delegationId: string,
  { reason: why, code }: Why,
  now: Date,
  isTakenOver = false,
): TaskChange {
  const draft = new Draft(aggregate, now);
  const delegation = draft.delegation(delegationId);
  if (draft.ended || delegation?.state !== 'sending') return NO_CHANGE;
  const times = timesQueried(delegation) + 1;
  if (times > MAX_STATUS_QUERIES) {
    const reason = `${why} It was asked ${MAX_STATUS_QUERIES} times.`;
    endByHub(draft, delegation, { state: 'failed', reason, code, agentNotified: true });
    return draft.change();
  }
  const statusQueries = { seq: delegation.messageSeq, resent: timesResent(delegation), times };
  const { progress } = delegation;
  const takenOver = { times: { ...progress.times, takenOverAt: now.getTime() } };
  draft.patch(delegationId, {
    progress: { ...progress, ...(isTakenOver && takenOver), statusQueries },
  });
  return draft.change();
}

/** How often the agent has been queried since the message on its way was sent. */
function timesQueried(delegation: Delegation): number {
  const { statusQueries } = delegation.progress;
  const isOfThis =
    statusQueries?.seq === delegation.messageSeq &&
    statusQueries.resent === timesResent(delegation);
  return isOfThis ? statusQueries.times : 0;
}
