import { invalidField } from '../hub-error.js';
import { isRecord } from '../is-record.js';

/** A public JSON Web Key (RFC 7517): its members that say what a signature is verified with. */
export type PublicJwk = Readonly<Record<string, unknown>>;

/** Members of a JWK that are public and say what a signature is verified with (RFC 7518 §6). */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use', 'exp'] as const;
/** Members of a private or a secret key. */
const PRIVATE_MEMBERS = ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];

/** The most keys of one set that are read. */
export const MAX_KEYS = 100;
/** The kind of key that each algorithm needs; symmetric algorithms and `none` are not among them. */
const ALGORITHMS: Readonly<Record<string, { readonly kty: string; readonly crv?: string }>> = {
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  ES512: { kty: 'EC', crv: 'P-521' },
  RS256: { kty: 'RSA' },
  RS384: { kty: 'RSA' },
  RS512: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  PS384: { kty: 'RSA' },
  PS512: { kty: 'RSA' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  Ed25519: { kty: 'OKP', crv: 'Ed25519' },
};

/** Whether the hub verifies signatures of this algorithm. */
export function isAllowedAlgorithm(algorithm: string): boolean {
  return Object.hasOwn(ALGORITHMS, algorithm);
}

/** The public keys of a JWK Set as it is served; members that are no keys are left out. Throws when it is no JWK Set. */
export function keysOfSet(set: unknown): PublicJwk[] {
  const keys = isRecord(set) ? set['keys'] : undefined;
  if (!Array.isArray(keys)) throw new Error('it is not a JWK Set');
  return keys
    .slice(0, MAX_KEYS)
    .filter((key) => isRecord(key) && typeof key['kty'] === 'string')
    .map(publicPart);
}

/** Of `keys`, those that may have made a signature of this algorithm and key id. */
export function candidates(
  keys: readonly PublicJwk[],
  algorithm: string,
  keyId: string | null,
  now: Date,
): PublicJwk[] {
  const wanted = ALGORITHMS[algorithm];
  return keys.filter((key) => {
    if (wanted === undefined || key['kty'] !== wanted.kty) return false;
    if (wanted.crv !== undefined && key['crv'] !== wanted.crv) return false;
    if (key['alg'] !== undefined && key['alg'] !== algorithm) return false;
    if (key['use'] !== undefined && key['use'] !== 'sig') return false;
    if (typeof key['exp'] === 'number' && key['exp'] * 1000 <= now.getTime()) return false;
    return keyId === null || key['kid'] === undefined || key['kid'] === keyId;
  });
}

/** One public key as an operator wrote it. Throws HubError INVALID_PARAMS naming `field`; a private key is refused. */
export function readPublicJwk(field: string, key: unknown): PublicJwk {
  if (!isRecord(key)) throw invalidField(field, 'must be a JSON Web Key');
  const secret = PRIVATE_MEMBERS.find((name) => key[name] !== undefined);
  if (secret !== undefined || key['kty'] === 'oct') {
    throw invalidField(field, 'must be a public key; this one is private or secret');
  }
  const kinds = Object.values(ALGORITHMS);
  const isKnown = kinds.some(({ kty, crv }) => kty === key['kty'] && (!crv || crv === key['crv']));
  if (!isKnown)
    throw invalidField(field, 'must be an EC (P-256, P-384, P-521), RSA or Ed25519 key');
  return publicPart(key);
}

function publicPart(key: PublicJwk): PublicJwk {
  const members = PUBLIC_MEMBERS.filter((name) => key[name] !== undefined);
  return Object.fromEntries(members.map((name) => [name, key[name]]));
}
