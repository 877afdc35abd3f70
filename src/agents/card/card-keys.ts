import { invalidField } from '../../common/hub-error.js';
import type { CardKeys, PublicKey } from '../agent.js';
import { isObject } from './card-fields.js';
import { isUrl } from '../../common/is-url.js';

/** Members of a JWK that are public and say what a signature is verified with (RFC 7518 §6). */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use', 'exp'] as const;
/** Members of a private or a secret key. */
const PRIVATE_MEMBERS = ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];

/** Keys of one set that are looked at. */
const MAX_KEYS = 100;
const MAX_URL = 2048;

/** What verifies by a key of which kind; symmetric algorithms and `none` are not among them. */
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

/**
 * Keys to be pinned, as an operator wrote them: a JWK Set or `{"jwksUrl": …}`. Throws HubError
 * INVALID_PARAMS naming the member below `field`; a private key is refused, never kept.
 */
export function readCardKeys(field: string, written: unknown): CardKeys | null {
  if (written === null || written === undefined) return null;
  if (!isObject(written)) throw invalidField(field, 'must be {"keys": […]} or {"jwksUrl": "…"}');
  const { keys, jwksUrl, ...others } = written;
  const [stranger] = Object.keys(others);
  if (stranger !== undefined) throw invalidField(`${field}.${stranger}`, 'is not known');
  if ((keys === undefined) === (jwksUrl === undefined)) {
    throw invalidField(field, 'must have either keys or jwksUrl');
  }
  if (keys === undefined) return { jwksUrl: readUrl(`${field}.jwksUrl`, jwksUrl) };
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_KEYS) {
    throw invalidField(`${field}.keys`, `must be an array of 1 to ${MAX_KEYS} JSON Web Keys`);
  }
  return { keys: keys.map((key: unknown, index) => readKey(`${field}.keys[${index}]`, key)) };
}

/** The public keys of a JWK Set that somebody serves; what is no key is left out. */
export function keysOfSet(set: unknown): PublicKey[] {
  const keys = isObject(set) ? set['keys'] : undefined;
  if (!Array.isArray(keys)) throw new Error('it is not a JWK Set');
  return keys
    .slice(0, MAX_KEYS)
    .filter((key) => isObject(key) && typeof key['kty'] === 'string')
    .map(publicPart);
}

/** Of `keys`, those that may have made a signature of this algorithm and key id. */
export function candidates(
  keys: readonly PublicKey[],
  algorithm: string,
  keyId: string | null,
  now: Date,
): PublicKey[] {
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

function readKey(field: string, key: unknown): PublicKey {
  if (!isObject(key)) throw invalidField(field, 'must be a JSON Web Key');
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

function publicPart(key: PublicKey): PublicKey {
  const members = PUBLIC_MEMBERS.filter((name) => key[name] !== undefined);
  return Object.fromEntries(members.map((name) => [name, key[name]]));
}

function readUrl(field: string, value: unknown): string {
  const isHttp = typeof value === 'string' && /^https?:\/\//i.test(value) && isUrl(value);
  if (!isHttp || value.length > MAX_URL) throw invalidField(field, 'must be an http(s) URL');
  return value;
}
