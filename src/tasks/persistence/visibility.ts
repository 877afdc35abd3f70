import type { Visibility } from '../../auth/index.js';
import type { SqlValue } from '../../database/sql.js';

/** A condition on the columns of `tasks` and its parameters. */
export interface Condition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** The conditions under which a task exists for this caller; none for the hub itself. */
export function visibleTasks(visibility: Visibility): Condition[] {
  switch (visibility.kind) {
    case 'principal':
      return [
        { sql: 't.principal_id = ?', params: [visibility.principalId] },
        { sql: 't.organization = ?', params: [visibility.organization] },
      ];
    case 'organization':
      return [{ sql: 't.organization = ?', params: [visibility.organization] }];
    case 'everything':
      return [];
  }
}
