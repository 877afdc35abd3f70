import type { Scope } from '../common/scope.js';
import { administeredOrganization, administersAccess, refuseBeyond } from './granting.js';
import type { Principal } from './principal.js';

/** What whoever disables, enables or deletes principals may do. */
export interface Authority {
  /** The access of all organizations, not that of one. */
  readonly isOfAll: boolean;
  /** Principals of other organizations do not exist for it. */
  administers(organization: string): boolean;
  /** Throws PERMISSION_DENIED for a principal whose valid keys and sign-ins have scopes that are beyond it. */
  refuse(scopes: readonly Scope[]): void;
}

/** The hub itself. */
export const HUB_AUTHORITY: Authority = {
  isOfAll: true,
  administers: () => true,
  refuse: () => undefined,
};

/** Whoever may not grant what a principal can do may not take it from it either, as with its keys. */
export function authorityOf(caller: Principal): Authority {
  return {
    isOfAll: administeredOrganization(caller) === null,
    administers: (organization) => administersAccess(caller, organization),
    refuse: (scopes) => refuseBeyond(caller, scopes, 'A principal'),
  };
}
