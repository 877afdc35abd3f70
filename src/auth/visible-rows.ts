import type { Condition } from '../database/conditions.js';
import type { Visibility } from './principal.js';

/**
 * The condition that limits rows with an owner to what a caller may see; `of` names their table where there are
 * several.
 */
export function visibleRows(visibility: Visibility, of: '' | `${string}.` = ''): Condition {
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
