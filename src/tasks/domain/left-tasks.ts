import { NO_CHANGE, type TaskAggregate, type TaskChange } from '../task.js';
import type { DelegationProgress } from '../task.js';

/** The agent has gone on in the task `now`, and left the one it had before. */
export function withLeft(
  progress: DelegationProgress,
  before: string,
  now: string,
): DelegationProgress {
  const others = (progress.left ?? []).filter((id) => id !== before);
  return { ...progress, left: [...others, before].filter((id) => id !== now) };
}

/** The agent has been told that the hub needs nothing more from these tasks. */
export function decideLeftTold(
  { delegations }: TaskAggregate,
  delegationId: string,
  told: readonly string[],
): TaskChange {
  const delegation = delegations.find(({ id }) => id === delegationId);
  if (!delegation?.progress.left || told.length === 0) return NO_CHANGE;
  const { left, ...progress } = delegation.progress;
  const rest = left.filter((id) => !told.includes(id));
  const patch = {
    id: delegationId,
    progress: { ...progress, ...(rest.length > 0 && { left: rest }) },
  };
  return { events: [], delegations: [patch] };
}
