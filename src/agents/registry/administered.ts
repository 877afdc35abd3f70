import { hasScope, type Principal } from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
import type { Agent } from '../agent.js';

/**
 * The only organization whose agents a caller administers; null: it administers all agents. An agent that one organization
 * alone may use is that organization's.
 */
export function organizationOfAgents(caller: Principal): string | null {
  return hasScope(caller, 'agents') ? null : caller.organization;
}

/** Whether a caller administers an agent. */
export function administers(
  caller: Principal,
  { organizations }: Pick<Agent, 'organizations'>,
): boolean {
  const only = organizationOfAgents(caller);
  return only === null || (organizations?.length === 1 && organizations[0] === only);
}

/** The organizations that a caller may give an agent; throws PERMISSION_DENIED for more than its own. */
export function refuseOthers(
  caller: Principal,
  organizations: readonly string[] | null | undefined,
): void {
  if (organizations === undefined || administers(caller, { organizations })) return;
  throw new HubError(
    'PERMISSION_DENIED',
    `organizations may only be ["${caller.organization}"]: an agent for others needs a key or token with the scope agents.`,
    { metadata: { scope: 'agents' }, refusal: { scope: 'agents' } },
  );
}
