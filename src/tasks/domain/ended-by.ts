import type { Delegation, TaskAggregate, TaskChange } from '../task.js';
import { isEnded } from './delegation-state.js';

/** The delegations that this change ends, as they were before. */
export function endedBy(aggregate: TaskAggregate, change: TaskChange): Delegation[] {
  return (change.delegations ?? []).flatMap(({ id, state }) => {
    const before = aggregate.delegations.find((each) => each.id === id);
    return before && state && isEnded(state) && !isEnded(before.state) ? [before] : [];
  });
}
