import type { Schema } from '../../api/client';
import { shortened } from '../../ui/shortened';

type Named = Pick<Schema<'TaskDto'>, 'principalName' | 'key'>;

/** What people know the caller of a task as: its own name, else that of the key that it was sent with; null without either. */
export function callerNameOf({ principalName, key }: Named): string | null {
  return principalName ?? key?.name ?? null;
}

/** The same, with the id where there is no name. */
export function callerOf(task: Named & Pick<Schema<'TaskDto'>, 'principalId'>): string {
  return callerNameOf(task) ?? shortened(task.principalId);
}
