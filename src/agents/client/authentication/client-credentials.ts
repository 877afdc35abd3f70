import { bearerProof, CLIENT_MEMBERS } from './oauth-client.js';
import { serverFaults } from './rules.js';
import type { AuthenticationScheme } from './scheme.js';

/** An access token of a token server: client credentials (RFC 6749 §4.4, RFC 8707). */
export const clientCredentials: AuthenticationScheme = {
  members: CLIENT_MEMBERS,
  check: serverFaults,
  headers: ['authorization'],
  prove: async ({ authentication, tokens }) =>
    bearerProof(await tokens.clientCredentials(authentication), authentication),
};
