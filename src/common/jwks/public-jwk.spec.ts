import { describe, expect, it } from '@jest/globals';
import { candidates, keysOfSet } from './public-jwk.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const key = (members: object) => ({
  kty: 'EC',
  crv: 'P-256',
  x: 'x',
  y: 'y',
  kid: 'k',
  ...members,
});

describe('candidates', () => {
  it.each<[string, object, string, string | null, boolean]>([
    ['the key of this id', {}, 'ES256', 'k', true],
    ['any key for a signature that names none', {}, 'ES256', null, true],
    ['a key without an id', { kid: undefined }, 'ES256', 'k', true],
    ['another id', { kid: 'other' }, 'ES256', 'k', false],
    ['another curve', {}, 'ES384', 'k', false],
    ['another kind of key', {}, 'RS256', 'k', false],
    ['an algorithm that is not allowed', {}, 'HS256', 'k', false],
    ['the name of a member of objects', {}, 'constructor', 'k', false],
    ['a key of another algorithm', { alg: 'ES384' }, 'ES256', 'k', false],
    ['a key for encryption', { use: 'enc' }, 'ES256', 'k', false],
    ['a key that has expired', { exp: NOW.getTime() / 1000 }, 'ES256', 'k', false],
    ['a key that has not', { exp: NOW.getTime() / 1000 + 1 }, 'ES256', 'k', true],
  ])('take %s: %j', (_name, members, algorithm, keyId, taken) => {
    expect(candidates([key(members)], algorithm, keyId, NOW)).toHaveLength(taken ? 1 : 0);
  });
});

describe('keysOfSet', () => {
  it('takes the public part of what are keys', () => {
    const set = { keys: [key({ d: 'secret', x5c: ['…'] }), null, 'x', { kid: 'no kind' }] };
    expect(keysOfSet(set)).toEqual([key({})]);
    for (const none of [null, [], {}, { keys: {} }]) expect(() => keysOfSet(none)).toThrow();
  });
});
