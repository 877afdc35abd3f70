import type { Visibility } from '../auth/index.js';
import type { TaskRecord } from './task.js';

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
