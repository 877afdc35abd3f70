import type { Condition } from '../../database/conditions.js';
import { type Visibility, visibleRows } from '../../auth/index.js';
import type { TaskAggregate, TaskRecord } from '../task.js';

/** Whether the task exists for this caller. */
export function isVisible(
  record: Pick<TaskRecord, 'principalId' | 'organization'>,
  visibility: Visibility,
): boolean {
  switch (visibility.kind) {
    case 'principal':
      return (
        record.principalId === visibility.principalId &&
        record.organization === visibility.organization
      );
    case 'organization':
      return record.organization === visibility.organization;
    case 'everything':
      return true;
  }
}

/** Whether the task exists for this caller at this address (which may name one agent of it). */
export function belongsTo(
  { record, delegations }: Pick<TaskAggregate, 'record' | 'delegations'>,
  visibility: Visibility,
  agentId: string | undefined,
): boolean {
  if (!isVisible(record, visibility)) return false;
  return agentId === undefined || delegations.some((each) => each.agentId === agentId);
}

/** {@link isVisible} as conditions on the row `t` of `tasks`; none for the hub itself. */
export function visibleTasks(visibility: Visibility): Condition[] {
  return visibility.kind === 'everything' ? [] : [visibleRows(visibility, 't.')];
}
