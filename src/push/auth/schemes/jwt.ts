import { invalidField } from '../../../common/hub-error.js';
import { carryBearer } from './bearer.js';
import type { Proving, Scheme } from './scheme.js';

/** A token that the hub signs with its own keys (RFC 7519). */
export const jwt = {
  name: 'jwt',
  client: {
    label: 'JWT',
    aliases: ['jwt'],
    read: (credentials, _names, field) => {
      if (credentials !== undefined) {
        const instead = 'which the hub signs itself; a token of your own goes with Bearer';
        throw invalidField(field, `must be left out for JWT, ${instead}`);
      }
      return { scheme: 'jwt', credentials: null, profile: null };
    },
    prove: byHubToken,
  },
  profile: { parameters: {}, secret: null, prove: byHubToken },
} as const satisfies Scheme;

async function byHubToken(proving: Proving): Promise<void> {
  carryBearer(proving, await proving.hubToken());
}
