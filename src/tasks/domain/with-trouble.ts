import type { AgentTrouble, TaskAggregate, TaskChange } from '../task.js';

/** The same change of a delegation, with what was wrong with its agent's answer; none stays none. */
export function withTrouble(
  change: TaskChange,
  { delegations }: Pick<TaskAggregate, 'delegations'>,
  delegationId: string,
  trouble: AgentTrouble | undefined,
): TaskChange {
  if (trouble === undefined) return change;
  const before = delegations.find(({ id }) => id === delegationId)?.progress;
  return {
    ...change,
    delegations: change.delegations?.map((patch) => {
      const progress = patch.progress ?? before;
      return patch.id === delegationId && progress !== undefined
        ? { ...patch, progress: { ...progress, trouble } }
        : patch;
    }),
  };
}
