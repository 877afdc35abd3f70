import { printable, scope, server, serverFaults } from './rules.js';
import type { AuthenticationScheme } from './scheme.js';

/** An access token of a token server: client credentials (RFC 6749 §4.4, RFC 8707). */
export const clientCredentials: AuthenticationScheme = {
  members: {
    tokenUrl: { rule: server },
    issuer: { rule: server },
    clientId: { required: true, rule: printable },
    clientSecret: { required: true, rule: printable },
    clientAuthentication: {},
    scopes: { rule: scope },
    audience: { rule: printable },
    resource: { rule: server },
  },
  check: serverFaults,
  headers: ['authorization'],
  prove: async ({ authentication, tokens }) => {
    const { token, refused } = await tokens.clientCredentials(authentication);
    const authorization = `Bearer ${token}`;
    const { clientSecret = '' } = authentication;
    return { headers: { authorization }, secrets: [token, authorization, clientSecret], refused };
  },
};
