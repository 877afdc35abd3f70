import { visibilityOf } from '../../auth/index.js';
import type { HubRequest } from '../../routing/index.js';
import { taskNotFound } from '../domain/task-errors.js';
import type { TaskLog } from '../log/task-log.js';

/**
 * The tasks a message refers to must be its sender's own (A2A §4.1.4 `referenceTaskIds`), whether it begins
 * a task or continues one: agents get their own ids of them. Throws TASK_NOT_FOUND.
 */
export async function checkRelated(
  log: Pick<TaskLog, 'record'>,
  { message, principal }: HubRequest,
): Promise<void> {
  const visibility = visibilityOf(principal);
  for (const taskId of new Set(message.referenceTaskIds)) {
    if (!(await log.record(taskId, visibility))) throw taskNotFound(taskId);
  }
}
