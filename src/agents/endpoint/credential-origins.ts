import type { Agent, AgentEndpoint } from '../agent.js';
import { bindingOf } from '../binding/bindings.js';

/** What is known of an agent's credentials; without origins they are new, and go wherever it is called. */
export type GivenCredentials = Partial<
  Pick<Agent, 'credentials' | 'authentication' | 'credentialOrigins'>
>;

/** Whether an agent is called with anything that could get lost. */
export function hasCredentials({
  credentials = {},
  authentication = null,
}: GivenCredentials): boolean {
  return authentication !== null || Object.keys(credentials).length > 0;
}

/**
 * The servers (scheme, host and port) that a call of this interface may go to. A gRPC address without a
 * scheme has two: it is called with TLS or without.
 */
export function originsOf({ protocolBinding, url }: AgentEndpoint): string[] {
  return bindingOf(protocolBinding)
    .urls(url)
    .map((one) => new URL(one).origin);
}

/** Whether the interface may be called with the credentials, or there are none that could get lost. */
export function isGivenFor(endpoint: AgentEndpoint, given: GivenCredentials): boolean {
  const { credentialOrigins } = given;
  if (credentialOrigins === undefined || !hasCredentials(given)) return true;
  const origins = originsOf(endpoint);
  return origins.length > 0 && origins.every((one) => credentialOrigins.includes(one));
}
