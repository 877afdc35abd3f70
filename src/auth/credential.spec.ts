import { describe, expect, it } from '@jest/globals';
import { SystemIdSource } from '../common/ids.js';
import { hashOf, keyIdOf, newKey, presented, refuseSeveral, sameHash } from './credential.js';

describe('presented', () => {
  it.each([
    [{ authorization: 'Bearer abc' }, { value: 'abc', isBearer: true }],
    [{ authorization: 'bearer  abc ' }, { value: 'abc', isBearer: true }],
    [{ 'x-api-key': 'abc' }, { value: 'abc', isBearer: false }],
    [
      { authorization: 'Bearer abc', 'x-api-key': 'other' },
      { value: 'abc', isBearer: true },
    ],
    [
      { authorization: 'Basic dXNlcg==', 'x-api-key': 'abc' },
      { value: 'abc', isBearer: false },
    ],
    [{ authorization: ['Bearer abc', 'Bearer other'] }, { value: 'abc', isBearer: true }],
    [{ authorization: 'Basic dXNlcg==' }, undefined],
    [{ authorization: 'Bearer' }, undefined],
    [{ authorization: 'Bearer a b' }, undefined],
    [{ 'x-api-key': '' }, undefined],
    [{}, undefined],
  ])('of %j is %j', (headers, found) => {
    expect(presented(headers)).toEqual(found);
  });
});

describe('refuseSeveral', () => {
  it.each([
    [{}],
    [{ authorization: 'Bearer a' }, ['Authorization', 'Bearer a', 'Host', 'x']],
    [{ 'x-api-key': 'a' }, ['X-Api-Key', 'a']],
    [{ authorization: ['Bearer a'] }],
    [{ authorization: 'Bearer a', 'x-api-key': 'a' }],
    [{ authorization: 'Bearer a', 'x-api-key': '' }],
    [{ authorization: '', 'x-api-key': 'a' }],
    // Of a proxy in front of the hub, which passes it on.
    [{ authorization: 'Basic dXNlcg==', 'x-api-key': 'a' }],
  ])('takes %j', (headers, raw: string[] = []) => {
    expect(() => refuseSeveral(headers, raw)).not.toThrow();
  });

  it.each([
    [{ authorization: 'Bearer a' }, ['authorization', 'Bearer a', 'Authorization', 'Bearer a']],
    [{ 'x-api-key': 'a, b' }, ['X-API-Key', 'a', 'x-api-key', 'b']],
    [{ authorization: ['Bearer a', 'Bearer b'] }],
    [{ 'x-api-key': ['a', 'b'] }],
    [{ authorization: 'Bearer a', 'x-api-key': 'b' }],
    [{ authorization: 'Bearer a, Bearer b', 'x-api-key': 'a' }],
    [{ authorization: 'a', 'x-api-key': 'b' }],
    [{ authorization: 'DPoP a', 'x-api-key': 'b' }],
  ])('refuses %j', (headers, raw: string[] = []) => {
    expect(() => refuseSeveral(headers, raw)).toThrow(
      expect.objectContaining({
        reason: 'INVALID_REQUEST',
        refusal: { cause: 'several-credentials' },
      }),
    );
  });
});

describe('newKey', () => {
  it('carries its id and differs every time', () => {
    const ids = new SystemIdSource();
    const [one, two] = [newKey(ids), newKey(ids)];
    expect(one.key).toMatch(/^hub_[0-9a-f]{32}_[\w-]{43}$/);
    expect(keyIdOf(one.key)).toBe(one.id);
    expect(one.key).not.toBe(two.key);
  });
});

describe('keyIdOf', () => {
  it.each(['', 'hub_', 'hub_abc', 'hub_abc_', 'hub_ABC_x', 'xhub_abc_x'])('refuses %j', (key) => {
    expect(keyIdOf(key)).toBeUndefined();
  });
});

describe('sameHash', () => {
  it('is true for the same key only', () => {
    expect(sameHash(hashOf('a'), hashOf('a'))).toBe(true);
    expect(sameHash(hashOf('a'), hashOf('b'))).toBe(false);
    expect(sameHash(hashOf('a'), hashOf('a').slice(1))).toBe(false);
  });
});
