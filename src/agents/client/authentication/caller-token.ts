import { callersToken } from './callers-token.js';
import type { AuthenticationScheme } from './scheme.js';

/** The access token that the caller came with, as it is. Never an API key of the hub. */
export const callerToken: AuthenticationScheme = {
  members: { issuers: { required: true } },
  headers: ['authorization'],
  needsCallersToken: () => true,
  prove: async ({ authentication, options }) => {
    const value = (await callersToken(authentication, options)).reveal();
    const authorization = `Bearer ${value}`;
    return { headers: { authorization }, secrets: [value, authorization] };
  },
};
