import type { Schema } from '../../../api/client';
import { may, useMe } from '../../../api/me';

export interface Rights {
  /** Whether one may send messages to the task and cancel it as its client does. */
  readonly asClient: boolean;
  /** Whether one may act on the task of anybody. */
  readonly asOperator: boolean;
  readonly mayDelete: boolean;
  /** How its contents are read: as its client, or as an operator, which is logged. */
  readonly readsContent: 'client' | 'operator' | null;
}

/** What who is signed in may do with a task (docs/access.md). */
export function useRights(task: Pick<Schema<'TaskDto'>, 'principalId' | 'organization'>): Rights {
  const me = useMe().data;
  const isOwn = me?.id === task.principalId;
  const asClient =
    may(me?.scopes, 'a2a') &&
    me?.organization === task.organization &&
    (isOwn || may(me.scopes, 'tasks:organization'));
  const asOperator = may(me?.scopes, 'tasks:all');
  return {
    asClient,
    asOperator,
    mayDelete: may(me?.scopes, 'a2a') && (asClient || asOperator),
    readsContent: asClient ? 'client' : asOperator ? 'operator' : null,
  };
}
