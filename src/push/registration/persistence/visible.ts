import type { Visibility } from '../../../auth/index.js';
import type { SqlValue } from '../../../database/sql.js';

/** The condition that limits rows, of the table `of` where there are several, to what a caller may see. */
export function visible(
  visibility: Visibility,
  of: '' | `${string}.` = '',
): { sql: string; params: SqlValue[] } {
  switch (visibility.kind) {
    case 'everything':
      return { sql: '1 = 1', params: [] };
    case 'organization':
      return { sql: `${of}organization = ?`, params: [visibility.organization] };
    case 'principal':
      return {
        sql: `${of}principal_id = ? AND ${of}organization = ?`,
        params: [visibility.principalId, visibility.organization],
      };
  }
}
