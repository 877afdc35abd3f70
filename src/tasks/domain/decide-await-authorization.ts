import { isRunning, shortReason, taskStateOf } from './delegation-state.js';
import { decideFailover, openDraft } from './delegation-decisions.js';
import { withHubData } from './own-ids.js';
import { recomputeState } from './recompute-state.js';
import { callsUnsent } from './unsent.js';
import { type Authorization, NO_CHANGE, type TaskAggregate, type TaskChange } from '../task.js';

/**
 * The message of a claimed delegation cannot be sent before the client has authorized it: it waits, `auth-required`, without a
 * runner, until the client answers, and then is sent before that answer. `reason` is what the client reads. A task that is being
 * canceled ends instead.
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
    return decideFailover(aggregate, delegationId, reason, now, undefined, false);
  }
  draft.patch(delegationId, {
    state: 'auth-required',
    calls: callsUnsent(delegation),
    progress: { awaits, ...delegation.progress },
    reason: shortReason(reason),
    owner: null,
    leaseUntil: null,
  });
  const state = 'auth-required';
  const origin = { ...draft.originOf(delegation), state, awaits };
  const question = draft.say(reason, withHubData(undefined, origin));
  if (draft.several) {
    draft.addQuestion(delegationId, question);
    if (draft.delegations().some((each) => isRunning(each.state))) {
      draft.emitStatus(taskStateOf('working'), question);
    }
    recomputeState(draft, { asks: true });
  } else draft.emitStatus(taskStateOf(state), question);
  return draft.change();
}
