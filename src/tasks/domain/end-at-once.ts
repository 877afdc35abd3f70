import { NO_CHANGE, type TaskAggregate, type TaskChange } from '../task.js';
import { taskStateOf } from './delegation-state.js';
import { Draft } from './draft.js';
import { cancelOpen, type Why } from './end-delegation.js';
import { recomputeState } from './recompute-state.js';

/** Ends a task without waiting for its agents, which get a cancel; nothing when it has ended. */
export function decideEndAtOnce(aggregate: TaskAggregate, now: Date, why: Why): TaskChange {
  const draft = new Draft(aggregate, now);
  if (draft.ended) return NO_CHANGE;
  cancelOpen(draft, why);
  if (draft.several) recomputeState(draft, { cutShort: true });
  else draft.emitStatus(taskStateOf('canceled'), draft.say(why.reason));
  return draft.change();
}
