import { NO_CHANGE, type TaskAggregate, type TaskChange } from '../task.js';
import type { DelegationProgress } from '../task.js';

/** The agent continues in the task `now`, and has abandoned the one it had before. */
export function withAbandoned(
  progress: DelegationProgress,
  before: string,
  now: string,
): DelegationProgress {
  const others = (progress.abandoned ?? []).filter((id) => id !== before);
  return { ...progress, abandoned: [...others, before].filter((id) => id !== now) };
}

/** These abandoned tasks have been canceled with their agent. */
export function decideAbandonedCanceled(
  { delegations }: TaskAggregate,
  delegationId: string,
  canceled: readonly string[],
): TaskChange {
  const delegation = delegations.find(({ id }) => id === delegationId);
  if (!delegation?.progress.abandoned || canceled.length === 0) return NO_CHANGE;
  const { abandoned, ...progress } = delegation.progress;
  const rest = abandoned.filter((id) => !canceled.includes(id));
  const patch = {
    id: delegationId,
    progress: { ...progress, ...(rest.length > 0 && { abandoned: rest }) },
  };
  return { events: [], delegations: [patch] };
}
