import type { Agent } from '../../agent.js';
import type { AuthenticationType } from '../../agent-authentication.js';
import { agentFor } from '../../endpoint/agent-for.js';
import { Locked } from '../../endpoint/sealed-json.js';
import { authorizationCode } from './authorization-code.js';
import { callerToken } from './caller-token.js';
import { withCertificate } from './certificate.js';
import { clientCredentials } from './client-credentials.js';
import { mtls } from './mtls.js';
import type { AuthenticationScheme } from './scheme.js';
import { tokenExchange } from './token-exchange.js';

/** All ways. To add one, name it in `agent-authentication.ts`, write its file and list it here. */
export const AUTHENTICATION_SCHEMES: Readonly<Record<AuthenticationType, AuthenticationScheme>> = {
  'oauth2-client-credentials': withCertificate(clientCredentials),
  'oauth2-authorization-code': withCertificate(authorizationCode),
  'token-exchange': withCertificate(tokenExchange),
  'caller-token': withCertificate(callerToken),
  mtls: withCertificate(mtls),
};

/** Whether an agent is called with the access token of a caller of this organization, or with one that it is exchanged for. */
export function needsCallersToken(agent: Agent, organization: string): boolean {
  return isOfCaller(agentFor(agent, organization));
}

/** Whether this is proven by the access token of the caller, or with one that it is exchanged for. */
export function isOfCaller({ authentication }: Pick<Agent, 'authentication'>): boolean {
  if (authentication === null || authentication instanceof Locked) return false;
  return AUTHENTICATION_SCHEMES[authentication.type].needsCallersToken?.(authentication) === true;
}
