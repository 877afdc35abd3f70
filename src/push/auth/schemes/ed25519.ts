import { ed25519KeyOf, keysFault, oneKeyFault, publicKeyOf } from '../domain/standard-webhooks.js';
import type { Scheme } from './scheme.js';

/** Signatures of Standard Webhooks by a private key that stays in the hub (`whsk_…`). */
export const ed25519 = {
  name: 'ed25519',
  profile: {
    parameters: {},
    secret: {
      label: 'whsk_…',
      rule: (secret) => oneKeyFault(secret) ?? keysFault(secret, 'ed25519'),
      make: ed25519KeyOf,
      publicKey: publicKeyOf,
      overlaps: true,
    },
    prove: ({ making, secret, previousSecrets }) =>
      void making.keys.push(secret, ...previousSecrets()),
  },
} as const satisfies Scheme;
