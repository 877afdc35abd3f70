import type { Schema } from '../../api/client';
import { isMadeId } from '../../api/new-id';
import { shortened } from '../../ui/shortened';

type Named = Pick<Schema<'TaskDto'>, 'principalId' | 'principalName' | 'key'>;

/**
 * What people know the caller of a task as, as the hub names principals: its own name; else, of one whose id the hub has made, that of
 * the key that the task was sent with. Null without either.
 */
export function callerNameOf({ principalId, principalName, key }: Named): string | null {
  return principalName ?? (isMadeId(principalId) ? (key?.name ?? null) : null);
}

/** The same, with the id where there is no name. */
export function callerOf(task: Named): string {
  return callerNameOf(task) ?? shortened(task.principalId);
}
