import type { AuthenticationType } from '../../agent-authentication.js';
import { clientCredentials } from './client-credentials.js';
import type { AuthenticationScheme } from './scheme.js';

/** All ways. To add one, name it in `agent-authentication.ts`, write its file and list it here. */
export const AUTHENTICATION_SCHEMES: Readonly<Record<AuthenticationType, AuthenticationScheme>> = {
  'oauth2-client-credentials': clientCredentials,
};
