import type { Delegation, TaskAggregate, TaskChange, TaskRecord } from '../task.js';

/** A delegation after a change, as far as its run depends on it. */
export interface DelegationStatus {
  readonly delegation: Delegation;
  readonly cancelRequested: boolean;
  readonly cancelMetadata: TaskRecord['cancelMetadata'];
  /** The change was not empty. */
  readonly changed: boolean;
}

/** undefined when there is no such delegation. */
export function statusAfter(
  aggregate: Pick<TaskAggregate, 'record' | 'delegations'>,
  change: TaskChange,
  delegationId: string,
): DelegationStatus | undefined {
  const before = aggregate.delegations.find(({ id }) => id === delegationId);
  if (!before) return undefined;
  const patches = change.delegations ?? [];
  const patch = patches.find(({ id }) => id === delegationId);
  return {
    delegation: patch ? { ...before, ...patch } : before,
    cancelRequested: aggregate.record.cancelRequestedAt !== null,
    cancelMetadata: aggregate.record.cancelMetadata,
    changed: patches.length > 0 || change.events.length > 0,
  };
}
