import type { Agent } from '../agent.js';
import { callableEndpoints } from './choose-endpoint.js';

/** By agent object, which the registry makes anew with every change; then by organization. */
const made = new WeakMap<Agent, Map<string, Agent>>();

/**
 * The agent as it is called for an organization: with the credentials that it has of its own, else with those of the agent. The same
 * object as long as the agent is the same. Where its own are for none of the servers, the endpoint stays, and no call is made there.
 */
export function agentFor(agent: Agent, organization: string | undefined): Agent {
  const { organizationCredentials } = agent;
  if (organizationCredentials === undefined || organization === undefined) return agent;
  const own = organizationCredentials.get(organization);
  if (own === undefined) return agent;
  let copies = made.get(agent);
  if (copies === undefined) made.set(agent, (copies = new Map<string, Agent>()));
  let copy = copies.get(organization);
  if (copy === undefined) {
    const { credentials, authentication, credentialOrigins } = own;
    const called = { ...agent, credentials, authentication, credentialOrigins };
    const [best = agent.endpoint] =
      agent.endpointOverride === null ? callableEndpoints(agent.card, called) : [];
    copy = { ...called, endpoint: best, calledFor: organization };
    copies.set(organization, copy);
  }
  return copy;
}
