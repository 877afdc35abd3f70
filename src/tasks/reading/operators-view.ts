import { EVERYTHING, hasScope, type Principal, type Visibility } from '../../auth/index.js';

/** Which tasks operators see: their organization's, or all with the scope `tasks:all`. */
export function operatorsView(principal: Principal): Visibility {
  return hasScope(principal, 'tasks:all')
    ? EVERYTHING
    : { kind: 'organization', organization: principal.organization };
}
