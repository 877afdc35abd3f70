import { refuseUnprintable } from '../domain/header-values.js';
import { withoutSpaces } from './rules.js';
import { type Proving, type Scheme, carry } from './scheme.js';

/** Carries a token in `Authorization`. */
export function carryBearer(proving: Proving, token: string): void {
  carry(proving, { authorization: `Bearer ${token}` }, [token, `Bearer ${token}`]);
}

/** RFC 6750. */
export const bearer = {
  name: 'bearer',
  client: {
    label: 'Bearer',
    aliases: ['bearer'],
    read: (credentials, _names, field) => {
      // Without credentials it is a token that the hub signs.
      if (credentials === undefined) return { scheme: 'jwt', credentials: null, profile: null };
      refuseUnprintable(credentials, field);
      return { scheme: 'bearer', credentials, profile: null };
    },
    prove: (proving) => carryBearer(proving, proving.credentials()),
  },
  profile: {
    parameters: {},
    secret: { label: 'token', rule: withoutSpaces },
    prove: (proving) => carryBearer(proving, proving.secret),
  },
} as const satisfies Scheme;
