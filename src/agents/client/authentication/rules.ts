import { isUrl } from '../../../common/is-url.js';
import type { AuthenticationParameters } from '../../agent-authentication.js';
import type { Rule } from './scheme.js';

export const printable: Rule = (value) =>
  /^[\x20-\x7e]+$/.test(value) ? undefined : 'must be printable ASCII';

/** The address of a server: without what is not sent to it, and without a secret in it. */
export const server: Rule = (value) => {
  if (!isUrl(value)) return 'must be an absolute URL';
  const { username, password, hash } = new URL(value);
  return username + password + hash === '' && !value.includes('#')
    ? undefined
    : 'must have no user, password or fragment';
};

export const scope: Rule = (value) =>
  /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value) ? undefined : 'must be a scope (RFC 6749 §3.3)';

/** What is wrong with how the token server is named, by the member. */
export function serverFaults({
  tokenUrl,
  issuer,
}: AuthenticationParameters): Record<string, string> {
  return (tokenUrl === undefined) === (issuer === undefined)
    ? { tokenUrl: 'must be given, or issuer, and not both' }
    : {};
}
