import { isUrl } from '../../../common/is-url.js';
import { carryBearer } from './bearer.js';
import { printable, withoutSpaces } from './rules.js';
import type { Scheme } from './scheme.js';

/** An access token of a token server: client credentials (RFC 6749 §4.4, RFC 8707). */
export const oauth2 = {
  name: 'oauth2',
  profile: {
    parameters: {
      tokenUrl: { required: true },
      clientId: { required: true, rule: printable },
      clientAuthentication: {},
      scope: { rule: printable },
      audience: { rule: printable },
      resource: {
        rule: (value) =>
          withoutSpaces(value) === undefined && isUrl(value) && !value.includes('#')
            ? undefined
            : 'must be an absolute URL without a fragment',
      },
    },
    secret: { label: 'client secret', rule: printable },
    prove: async (proving) => {
      const { token, refused } = await proving.accessToken();
      carryBearer(proving, token);
      proving.making.secrets.push(proving.secret);
      proving.making.refused = refused;
    },
  },
} as const satisfies Scheme;
