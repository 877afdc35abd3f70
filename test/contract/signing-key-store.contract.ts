import { beforeEach, expect, it } from '@jest/globals';
import type { SigningKey } from '../../src/signing/signing-key.js';
import type { SigningKeyStore } from '../../src/signing/signing-key-store.js';

/** What every {@link SigningKeyStore} does; `open` gives a fresh, empty one. */
export function signingKeyStoreContract(
  open: () => Promise<{ store: SigningKeyStore; sign: (last: number) => void }>,
): void {
  let store: SigningKeyStore;
  /** Says which is the last that was signed. */
  let sign: (last: number) => void;

  beforeEach(async () => {
    ({ store, sign } = await open());
  });

  it('is empty at first', async () => {
    expect(await store.all()).toEqual([]);
  });

  it('gives back what was added, by generation', async () => {
    const keys = [keyOf(1), keyOf(2, { signsFrom: new Date(9_000_000_000_000) }), keyOf(3)];
    for (const key of [keys[1]!, keys[2]!, keys[0]!]) expect(await store.add(key, 1)).toBe(true);
    expect(await store.all()).toEqual(keys);
  });

  it('keeps the first key of a generation and changes nothing for a second', async () => {
    await store.add(keyOf(1), 1);
    await store.add(keyOf(2), 1);
    expect(await store.add(keyOf(2, { publicKey: publicKey('late') }), 2)).toBe(false);
    expect(await store.all()).toEqual([keyOf(1), keyOf(2)]);
  });

  it('lets exactly one of many at once make a generation', async () => {
    const all = Array.from({ length: 8 }, (_, i) => keyOf(1, { publicKey: publicKey(`k${i}`) }));
    const added = await Promise.all(all.map((key) => store.add(key, 1)));
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await store.all()).toEqual([all[added.indexOf(true)]]);
  });

  it('forgets the private parts of the keys before the one that signs', async () => {
    await store.add(keyOf(1), 1);
    await store.add(keyOf(2), 1);
    await store.add(keyOf(3), 2);
    const kept = (await store.all()).map(({ sealedPrivateKey }) => sealedPrivateKey);
    expect(kept).toEqual([null, 'sealed-2', 'sealed-3']);
  });

  it('revokes a key with its private part, and keeps the first time and place in the order', async () => {
    await store.add(keyOf(1), 1);
    await store.add(keyOf(2), 1);
    sign(7);
    expect(await store.revoke('key-1', new Date(5000))).toBe(true);
    sign(8);
    expect(await store.revoke('key-1', new Date(9000))).toBe(true);
    expect(await store.all()).toEqual([
      keyOf(1, { revokedAt: new Date(5000), revokedAfter: 7, sealedPrivateKey: null }),
      keyOf(2),
    ]);
  });

  it('says so when there is no key to revoke', async () => {
    expect(await store.revoke('none', new Date(5000))).toBe(false);
  });
}

export function keyOf(generation: number, members: Partial<SigningKey> = {}): SigningKey {
  return {
    generation,
    publicKey: publicKey(`key-${generation}`),
    sealedPrivateKey: `sealed-${generation}`,
    createdAt: new Date(1_763_700_000_123),
    signsFrom: new Date(1_763_700_000_456),
    revokedAt: null,
    revokedAfter: null,
    ...members,
  };
}

function publicKey(kid: string): SigningKey['publicKey'] {
  return { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid, alg: 'ES256', use: 'sig' };
}
