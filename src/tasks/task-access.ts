import type { Visibility } from '../auth/index.js';
import type { TaskAggregate } from './task.js';
import { isVisible } from './visible.js';

/** Whether the task exists for this caller at this address (which may name one agent of it). */
export function belongsTo(
  { record, delegations }: Pick<TaskAggregate, 'record' | 'delegations'>,
  visibility: Visibility,
  agentId: string | undefined,
): boolean {
  if (!isVisible(record, visibility)) return false;
  return agentId === undefined || delegations.some((each) => each.agentId === agentId);
}
