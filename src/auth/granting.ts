import { HubError } from '../common/hub-error.js';
import type { Scope } from '../common/scope.js';
import { hasScope, type Principal } from './principal.js';

/** What those who administer the access of one organization may grant, whatever they hold themselves. */
const OF_CLIENTS: readonly Scope[] = ['a2a', 'tasks:organization', 'push'];

/** What whoever administers access may not give itself: it opens the contents of all. */
const OF_ADMINS: readonly Scope[] = ['admin', 'data'];

/** Whose access a caller administers: everybody's (null), or that of its own organization. */
export function administeredOrganization(caller: Principal): string | null {
  return hasScope(caller, 'access') ? null : caller.organization;
}

/** Whether a caller administers the access of this organization. */
export function administersAccess(caller: Principal, organization: string): boolean {
  const only = administeredOrganization(caller);
  return only === null || only === organization;
}

/**
 * Throws PERMISSION_DENIED for scopes that this caller may not give to anybody, and so not take over from anybody:
 * `admin` is granted by `admin` alone, `data` by whoever holds it, and within an organization nobody grants more than the scopes of clients and what
 * they hold.
 */
export function refuseBeyond(caller: Principal, scopes: readonly Scope[], what = 'A key'): void {
  const beyond = scopes.filter((scope) => !mayGrant(caller, scope));
  if (beyond.length === 0) return;
  const needed =
    hasScope(caller, 'access') || beyond.some((scope) => OF_ADMINS.includes(scope))
      ? 'admin'
      : 'access';
  throw new HubError(
    'PERMISSION_DENIED',
    `${what} with ${beyond.join(', ')} needs a caller with the scope ${needed}.`,
    { refusal: { scope: needed } },
  );
}

function mayGrant(caller: Principal, scope: Scope): boolean {
  if (caller.scopes.has('admin')) return true;
  if (caller.scopes.has('access')) return !OF_ADMINS.includes(scope) || caller.scopes.has(scope);
  if (OF_CLIENTS.includes(scope)) return true;
  return scope.endsWith(':organization') && hasScope(caller, scope);
}
