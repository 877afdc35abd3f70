import { isUrl } from '../../../common/is-url.js';
import type { AuthenticationScheme, Rule } from './scheme.js';

const printable: Rule = (value) =>
  /^[\x20-\x7e]+$/.test(value) ? undefined : 'must be printable ASCII';

/** The address of a server: without what is not sent to it, and without a secret in it. */
const server: Rule = (value) => {
  if (!isUrl(value)) return 'must be an absolute URL';
  const { username, password, hash } = new URL(value);
  return username + password + hash === '' && !value.includes('#')
    ? undefined
    : 'must have no user, password or fragment';
};

const scope: Rule = (value) =>
  /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value) ? undefined : 'must be a scope (RFC 6749 §3.3)';

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
  check: ({ tokenUrl, issuer }): Record<string, string> =>
    (tokenUrl === undefined) === (issuer === undefined)
      ? { tokenUrl: 'must be given, or issuer, and not both' }
      : {},
  headers: ['authorization'],
  prove: async ({ authentication, tokens }) => {
    const { token, refused } = await tokens.clientCredentials(authentication);
    const authorization = `Bearer ${token}`;
    const { clientSecret = '' } = authentication;
    return { headers: { authorization }, secrets: [token, authorization, clientSecret], refused };
  },
};
