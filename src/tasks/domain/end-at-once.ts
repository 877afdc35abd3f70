import { NO_CHANGE, type TaskAggregate, type TaskChange } from '../task.js';
import { taskStateOf } from './delegation-state.js';
import { Draft } from './draft.js';
import { cancelOpen } from './end-delegation.js';
import { recomputeState } from './recompute-state.js';

/** Ends a task without waiting for its agents, which get a cancel; nothing when it has ended. */
export function decideEndAtOnce(aggregate: TaskAggregate, now: Date, reason: string): TaskChange {
  const draft = new Draft(aggregate, now);
  if (draft.ended) return NO_CHANGE;
  cancelOpen(draft, reason);
  if (draft.several) recomputeState(draft, { cutShort: true });
  else draft.emitStatus(taskStateOf('canceled'), draft.say(reason));
  return draft.change();
}
