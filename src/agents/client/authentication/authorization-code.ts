import { NoCallerToken } from './no-caller-token.js';
import { printable, scope, server, serverFaults } from './rules.js';
import type { AuthenticationScheme } from './scheme.js';

/** An access token that the user in whose name the agent is called has consented to at its provider (RFC 6749 §4.1). */
export const authorizationCode: AuthenticationScheme = {
  members: {
    issuer: { rule: server },
    authorizationUrl: { rule: server },
    tokenUrl: { rule: server },
    clientId: { required: true, rule: printable },
    clientSecret: { required: true, rule: printable },
    clientAuthentication: {},
    scopes: { rule: scope },
    audience: { rule: printable },
    resource: { rule: server },
  },
  check: (given): Record<string, string> => ({
    ...serverFaults(given),
    ...((given.tokenUrl === undefined) !== (given.authorizationUrl === undefined) && {
      authorizationUrl: 'must be given beside tokenUrl, and not beside issuer',
    }),
  }),
  headers: ['authorization'],
  prove: async ({ agent, authentication, options: { caller }, consents }) => {
    if (caller === undefined) {
      throw new NoCallerToken(
        'was not called: it is called for a caller, and this call is for none',
      );
    }
    const { token, refused } = await consents.lend(agent, authentication, caller);
    const authorization = `Bearer ${token}`;
    const { clientSecret = '' } = authentication;
    return { headers: { authorization }, secrets: [token, authorization, clientSecret], refused };
  },
};
