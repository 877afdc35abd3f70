import type { Principal } from '../../auth/index.js';
import { HubError, invalidField } from '../../common/hub-error.js';
import type { Agent } from '../agent.js';
import { WRONG_ID } from '../card/agent-id.js';
import { isOfCaller } from '../client/authentication/schemes.js';
import { organizationOfAgents } from '../registry/administered.js';

export function unreadYet(id: string): HubError {
  return new HubError('CONFLICT', `${id} is declared, and read with the next try by itself.`);
}

export function wrongId(): HubError {
  return invalidField('id', WRONG_ID);
}

export function taken(id: string): HubError {
  return new HubError('CONFLICT', `There is an agent with the id ${id}.`);
}

export function refused(oldWire: string): string {
  return `is of an agent that the hub cannot speak to. ${oldWire}`;
}

/** A change would store what could not be read. */
export function refuseUnusable({ cardTrouble }: Agent): void {
  if (cardTrouble?.kind !== 'unusable') return;
  const advice = 'Refresh it, or delete it and register it again.';
  throw new HubError('CONFLICT', `${cardTrouble.reason} ${advice}`);
}

export function refuseDeclared(agent: Agent): void {
  if (agent.source !== 'config') return;
  throw new HubError('CONFLICT', `${agent.id} is declared in the configuration; change it there.`);
}

export function notFound(id: string): never {
  throw new HubError('NOT_FOUND', `There is no agent ${id}.`);
}

/** Who administers the agents of one organization gets no access tokens of callers by them. Throws PERMISSION_DENIED. */
export function refuseCallersToken(
  caller: Principal,
  authentication: Agent['authentication'],
): void {
  if (organizationOfAgents(caller) === null || !isOfCaller({ authentication })) return;
  throw new HubError(
    'PERMISSION_DENIED',
    'authentication with the access tokens of callers needs a key or token with the scope agents.',
    { metadata: { scope: 'agents' }, refusal: { scope: 'agents' } },
  );
}
