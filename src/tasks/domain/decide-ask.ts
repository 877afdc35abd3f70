import { NO_CHANGE, type Delegation, type TaskAggregate, type TaskChange } from '../task.js';
import { timesResent } from './decide-resend.js';
import { Draft } from './draft.js';
import { endOnHubsWord } from './hubs-word.js';

/**
 * How often an agent is asked at most what became of a message each time it was sent, over all processes and their starts: its
 * answer may be what stopped the last one.
 */
export const MAX_ASKS = 3;

/**
 * An agent is about to be asked whether it has the message that is on its way. That counts before it
 * happens; after {@link MAX_ASKS} the delegation fails instead, for the reason `why`, and the agent is left
 * alone. Nothing when no message of it is on its way.
 */
export function decideAsk(
  aggregate: TaskAggregate,
  delegationId: string,
  why: string,
  now: Date,
): TaskChange {
  const draft = new Draft(aggregate, now);
  const delegation = draft.delegation(delegationId);
  if (draft.ended || delegation?.state !== 'sending') return NO_CHANGE;
  const times = timesAsked(delegation) + 1;
  if (times > MAX_ASKS) {
    const reason = `${why} It was asked ${MAX_ASKS} times.`;
    endOnHubsWord(draft, delegation, { state: 'failed', reason, agentKnows: true });
    return draft.change();
  }
  const asked = { seq: delegation.messageSeq, resent: timesResent(delegation), times };
  draft.patch(delegationId, { progress: { ...delegation.progress, asked } });
  return draft.change();
}

/** How often the agent has been asked since the message on its way was sent. */
function timesAsked(delegation: Delegation): number {
  const { asked } = delegation.progress;
  const isOfThis = asked?.seq === delegation.messageSeq && asked.resent === timesResent(delegation);
  return isOfThis ? asked.times : 0;
}
