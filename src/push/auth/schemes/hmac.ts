import { refuseUnprintable } from '../domain/header-values.js';
import { hmacSecretOf, keysFault, oneKeyFault, splitKeys } from '../domain/standard-webhooks.js';
import { refuseBadKeys } from '../domain/signing-keys.js';
import { required } from './rules.js';
import type { Scheme } from './scheme.js';

/** HMAC-SHA256 as Standard Webhooks has it (`whsec_…`). */
export const hmac = {
  name: 'hmac',
  client: {
    label: 'HMAC',
    aliases: ['hmac'],
    read: (given, names, field) => {
      const credentials = required(given, names, field);
      refuseUnprintable(credentials, field);
      refuseBadKeys(credentials, 'hmac', field);
      return { scheme: 'hmac', credentials, profile: null };
    },
    prove: ({ making, credentials }) => void making.keys.push(...splitKeys(credentials())),
  },
  profile: {
    parameters: {},
    secret: {
      label: 'whsec_…',
      rule: (secret) => oneKeyFault(secret) ?? keysFault(secret, 'hmac'),
      make: hmacSecretOf,
      isShared: true,
      overlaps: true,
    },
    prove: ({ making, secret, previousSecrets }) =>
      void making.keys.push(secret, ...previousSecrets()),
  },
} as const satisfies Scheme;
