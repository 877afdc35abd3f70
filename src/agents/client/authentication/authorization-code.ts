import { callerOf } from './callers-token.js';
import { bearerProof, CLIENT_MEMBERS } from './oauth-client.js';
import { server, serverFaults } from './rules.js';
import type { AuthenticationScheme } from './scheme.js';

/** An access token that the user in whose name the agent is called has consented to at its provider (RFC 6749 §4.1). */
export const authorizationCode: AuthenticationScheme = {
  members: {
    ...CLIENT_MEMBERS,
    authorizationUrl: { rule: server },
  },
  check: (given): Record<string, string> => ({
    ...serverFaults(given),
    ...((given.tokenUrl === undefined) !== (given.authorizationUrl === undefined) && {
      authorizationUrl: 'must be given beside tokenUrl, and not beside issuer',
    }),
  }),
  headers: ['authorization'],
  prove: async ({ agent, authentication, options, consents }) =>
    bearerProof(await consents.lend(agent, authentication, callerOf(options)), authentication),
};
