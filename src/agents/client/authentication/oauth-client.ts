import type { AgentAuthentication } from '../../agent-authentication.js';
import { printable, scope, server } from './rules.js';
import type { AgentProof, AuthenticationScheme } from './scheme.js';
import type { LentToken } from './token-servers.js';

/** How the hub is known as a client to a token server, and what it asks there for (RFC 6749 §2.3.1, RFC 8707). */
export const CLIENT_MEMBERS = {
  tokenUrl: { rule: server },
  issuer: { rule: server },
  clientId: { required: true, rule: printable },
  clientSecret: { required: true, rule: printable },
  clientAuthentication: {},
  scopes: { rule: scope },
  audience: { rule: printable },
  resource: { rule: server },
} as const satisfies AuthenticationScheme['members'];

/** A token that such a client has got, as an agent is shown it (RFC 6750 §2.1). */
export function bearerProof(
  { token, refused }: LentToken,
  { clientSecret = '' }: AgentAuthentication,
): AgentProof {
  const authorization = `Bearer ${token}`;
  return { headers: { authorization }, secrets: [token, authorization, clientSecret], refused };
}
