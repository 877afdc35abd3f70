import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiKey, ApiKeyStore } from '../../src/auth/index.js';

const NOW = new Date(10_000);

/** What every {@link ApiKeyStore} does; `open` gives a fresh, empty one. */
export function apiKeyStoreContract(open: () => Promise<ApiKeyStore>): void {
  let store: ApiKeyStore;

  beforeEach(async () => {
    store = await open();
  });

  describe('add and find', () => {
    it('gives back what was added', async () => {
      const key = keyOf({ id: 'k1', scopes: ['a2a', 'tasks:organization'] });
      await store.add(key);
      expect(await store.find('k1')).toEqual(key);
    });

    it('finds nothing under an unknown id', async () => {
      expect(await store.find('none')).toBeUndefined();
    });

    // The driver's error may come from outside Jest's sandbox, where it is no `Error` of ours.
    it('refuses an id that is taken and leaves the first key alone', async () => {
      await store.add(keyOf({ id: 'k1', name: 'first' }));
      await expect(store.add(keyOf({ id: 'k1', name: 'second' }))).rejects.toBeDefined();
      expect((await store.find('k1'))?.name).toBe('first');
    });

    it('makes the principal with its first key and keeps its organization', async () => {
      expect(await store.organizationOf('alice')).toBeUndefined();
      await store.add(keyOf({ id: 'k1', principalId: 'alice', organization: 'acme' }));
      await store.add(keyOf({ id: 'k2', principalId: 'alice', organization: 'other' }));
      expect(await store.organizationOf('alice')).toBe('acme');
      expect((await store.find('k2'))?.organization).toBe('acme');
    });

    it('makes no principal that has to be there, in the organization of the key', async () => {
      const acme = { principalId: 'alice', organization: 'acme' };
      const missing = { reason: 'INVALID_PARAMS' };
      await expect(store.add(keyOf({ id: 'k1', ...acme }), 'known')).rejects.toMatchObject(missing);
      expect(await store.organizationOf('alice')).toBeUndefined();
      await store.add(keyOf({ id: 'k2', ...acme }));
      await store.add(keyOf({ id: 'k3', ...acme }), 'known');
      const other = keyOf({ id: 'k4', ...acme, organization: 'other' });
      await expect(store.add(other, 'known')).rejects.toMatchObject(missing);
      expect(await store.find('k4')).toBeUndefined();
      expect(await store.find('k3')).toMatchObject(acme);
    });
  });

  describe('replace', () => {
    const at = (ms: number): Date => new Date(NOW.getTime() + ms);
    const next = (id: string, members: Partial<ApiKey> = {}): ApiKey =>
      keyOf({ id, createdAt: at(0), ...members });

    it('adds a key, and the other one ends after the overlap', async () => {
      await store.add(keyOf({ id: 'k1' }));
      expect(await store.replace('k1', next('k2'), at(500))).toBe(true);
      expect((await store.find('k1'))?.expiresAt).toEqual(at(500));
      expect((await store.find('k2'))?.expiresAt).toBeNull();
    });

    it('puts the end of a key off no more, while another is in its place', async () => {
      await store.add(keyOf({ id: 'k1' }));
      await store.replace('k1', next('k2'), at(500));
      for (const expiresAt of [null, at(501)]) {
        await expect(store.change('k1', { expiresAt }, at(1))).rejects.toMatchObject({
          reason: 'CONFLICT',
          message: expect.stringContaining('k2 is in its place'),
        });
      }
      expect((await store.find('k1'))?.expiresAt).toEqual(at(500));
      expect(await store.change('k1', { name: 'old', expiresAt: at(400) }, at(1))).toBe(true);
      expect(await store.change('k2', { expiresAt: at(900) }, at(1))).toBe(true);
      await store.revoke('k2', at(2));
      expect(await store.change('k1', { expiresAt: null }, at(3))).toBe(true);
    });

    it('ends as it was rotated also where the key in its place was rotated', async () => {
      await store.add(keyOf({ id: 'k1' }));
      await store.replace('k1', next('k2'), at(500));
      await store.replace('k2', next('k3', { createdAt: at(1) }), at(2));
      const isReplaced = {
        reason: 'CONFLICT',
        message: expect.stringContaining('k3 is in its place'),
      };
      const change = store.change('k1', { expiresAt: null }, at(3));
      await expect(change).rejects.toMatchObject(isReplaced);
      const again = store.replace('k1', next('k4', { createdAt: at(3) }), at(400));
      await expect(again).rejects.toMatchObject(isReplaced);
    });

    it('puts one key in the place of another, until that is revoked', async () => {
      await store.add(keyOf({ id: 'k1' }));
      await store.replace('k1', next('k2'), at(500));
      expect((await store.find('k1'))?.replacedBy).toBe('k2');
      const again = store.replace('k1', next('k3'), at(500));
      await expect(again).rejects.toMatchObject({
        reason: 'CONFLICT',
        message: expect.stringContaining('was rotated already: k2 is in its place'),
      });
      expect(await store.find('k3')).toBeUndefined();
      await store.revoke('k2', at(1));
      expect(await store.replace('k1', next('k3', { createdAt: at(2) }), at(500))).toBe(true);
      expect((await store.find('k1'))?.replacedBy).toBe('k3');
      const many = await Promise.allSettled(
        ['k4', 'k5', 'k6'].map((id) =>
          store.replace('k3', next(id, { createdAt: at(3) }), at(500)),
        ),
      );
      expect(many.map(({ status }) => status).sort()).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
      ]);
    });

    it('leaves an end that is sooner', async () => {
      await store.add(keyOf({ id: 'k1', expiresAt: at(100) }));
      expect(await store.replace('k1', next('k2'), at(500))).toBe(true);
      expect((await store.find('k1'))?.expiresAt).toEqual(at(100));
    });

    it('adds nothing for a key that is not there, is revoked or has expired', async () => {
      await store.add(keyOf({ id: 'k1' }));
      await store.revoke('k1', at(-1));
      await store.add(keyOf({ id: 'k2', expiresAt: at(0) }));
      for (const id of ['none', 'k1', 'k2']) {
        expect(await store.replace(id, next('new'), at(500))).toBe(false);
      }
      expect(await store.find('new')).toBeUndefined();
    });
  });

  describe('change', () => {
    it('changes what is given, and nothing else', async () => {
      await store.add(keyOf({ id: 'k1', expiresAt: new Date(9000) }));
      const bounds = { allowedNetworks: ['10.0.0.0/8'], allowedOrigins: ['https://app.example'] };
      expect(await store.change('k1', { name: 'new', ...bounds }, new Date(2000))).toBe(true);
      expect(await store.find('k1')).toMatchObject({
        name: 'new',
        expiresAt: new Date(9000),
        ...bounds,
      });
      expect(await store.change('k1', { expiresAt: null }, new Date(2000))).toBe(true);
      expect(await store.find('k1')).toMatchObject({
        name: 'new',
        expiresAt: null,
        ...bounds,
      });
    });

    it('changes none that is not there, is revoked or has expired', async () => {
      await store.add(keyOf({ id: 'revoked' }));
      await store.revoke('revoked', new Date(1500));
      await store.add(keyOf({ id: 'expired', expiresAt: new Date(2000) }));
      for (const id of ['none', 'revoked', 'expired']) {
        expect(await store.change(id, { name: 'new' }, new Date(2000))).toBe(false);
      }
      expect(await store.find('expired')).toMatchObject({ name: keyOf({}).name });
    });
  });

  describe('list', () => {
    it('pages through all keys, the highest id first', async () => {
      for (const id of ['k1', 'k3', 'k2', 'k5', 'k4']) await store.add(keyOf({ id }));
      const first = await store.list({ organization: null }, 2);
      const second = await store.list({ organization: null }, 2, first.nextCursor!);
      const third = await store.list({ organization: null }, 2, second.nextCursor!);
      const ids = [first, second, third].map((page) => page.items.map((key) => key.id));
      expect(ids).toEqual([['k5', 'k4'], ['k3', 'k2'], ['k1']]);
      expect(third.nextCursor).toBeNull();
    });

    it('has no next page when the last one is full', async () => {
      for (const id of ['k1', 'k2']) await store.add(keyOf({ id }));
      expect((await store.list({ organization: null }, 2)).nextCursor).toBeNull();
    });

    it('is of one organization where that is asked for', async () => {
      for (const [id, organization] of Object.entries({ k1: 'acme', k2: 'umbrella', k3: 'acme' })) {
        await store.add(keyOf({ id, principalId: `of-${organization}`, organization }));
      }
      const first = await store.list({ organization: 'acme' }, 1);
      const second = await store.list({ organization: 'acme' }, 1, first.nextCursor!);
      expect([first, second].map(({ items }) => items.map(({ id }) => id))).toEqual([
        ['k3'],
        ['k1'],
      ]);
      expect(second.nextCursor).toBeNull();
      expect((await store.list({ organization: 'none' }, 5)).items).toEqual([]);
    });

    it('is of one principal where that is asked for', async () => {
      await store.add(keyOf({ id: 'k1', principalId: 'alice' }));
      await store.add(keyOf({ id: 'k2', principalId: 'bob' }));
      const { items } = await store.list({ organization: null, principal: 'bob' }, 5);
      expect(items.map(({ id }) => id)).toEqual(['k2']);
      const elsewhere = { organization: 'elsewhere', principal: 'bob' };
      expect((await store.list(elsewhere, 5)).items).toEqual([]);
    });

    it('is empty at first', async () => {
      expect(await store.list({ organization: null }, 10)).toEqual({ items: [], nextCursor: null });
    });
  });

  describe('revoke', () => {
    it('marks the key and keeps the time of the first revocation', async () => {
      await store.add(keyOf({ id: 'k1' }));
      expect(await store.revoke('k1', new Date(5000))).toBe(true);
      expect(await store.revoke('k1', new Date(9000))).toBe(true);
      expect((await store.find('k1'))?.revokedAt).toEqual(new Date(5000));
    });

    it('says so when there is no such key', async () => {
      expect(await store.revoke('none', new Date(5000))).toBe(false);
    });
  });

  describe('adminKeySince', () => {
    it('is when the oldest key with scope admin that is not revoked was made', async () => {
      await store.add(keyOf({ id: 'k1', scopes: ['a2a'] }));
      expect(await store.adminKeySince(NOW)).toBeUndefined();
      await store.add(keyOf({ id: 'k2', scopes: ['a2a', 'admin'], createdAt: new Date(4000) }));
      await store.add(keyOf({ id: 'k3', scopes: ['admin'], createdAt: new Date(3000) }));
      expect(await store.adminKeySince(NOW)).toEqual(new Date(3000));
      await store.revoke('k3', new Date(5000));
      expect(await store.adminKeySince(NOW)).toEqual(new Date(4000));
      await store.revoke('k2', new Date(5000));
      expect(await store.adminKeySince(NOW)).toBeUndefined();
    });

    it('knows no key that has expired', async () => {
      await store.add(keyOf({ id: 'k1', scopes: ['admin'], expiresAt: NOW }));
      expect(await store.adminKeySince(new Date(NOW.getTime() - 1))).toBeDefined();
      expect(await store.adminKeySince(NOW)).toBeUndefined();
    });
  });

  describe('hasSeveralOrganizations', () => {
    it('counts those with a key that is valid, operators aside', async () => {
      const of = (id: string, organization: string, scopes: ApiKey['scopes'] = ['a2a']) =>
        store.add(keyOf({ id, principalId: `of-${id}`, organization, scopes }));
      await of('k1', 'acme');
      await of('k2', 'acme');
      await of('k3', 'umbrella', ['admin']);
      expect(await store.hasSeveralOrganizations()).toBe(false);
      await of('k4', 'umbrella');
      expect(await store.hasSeveralOrganizations()).toBe(true);
      await store.revoke('k4', NOW);
      expect(await store.hasSeveralOrganizations()).toBe(false);
    });
  });

  describe('markUsed', () => {
    it('keeps the newest use of each key', async () => {
      for (const id of ['k1', 'k2', 'k3']) await store.add(keyOf({ id }));
      await store.markUsed(
        new Map([
          ['k2', new Date(2000)],
          ['k1', new Date(1000)],
          ['none', new Date(1000)],
        ]),
      );
      await store.markUsed(
        new Map([
          ['k1', new Date(3000)],
          ['k2', new Date(1000)],
        ]),
      );
      const uses = await Promise.all(['k1', 'k2', 'k3'].map((id) => store.find(id)));
      expect(uses.map((key) => key?.lastUsedAt)).toEqual([new Date(3000), new Date(2000), null]);
    });
  });

  describe('a key that has expired', () => {
    it('is found with its time, and told as expired or not by nobody but the reader', async () => {
      const key = keyOf({ id: 'k1', expiresAt: new Date(5000) });
      await store.add(key);
      expect(await store.findPresented('k1')).toEqual({ key, fault: null });
      await store.revoke('k1', new Date(3000));
      expect(await store.findPresented('k1')).toMatchObject({
        key: { id: 'k1' },
        fault: 'revoked-key',
      });
      expect(await store.findPresented('none')).toBeUndefined();
    });
  });

  describe('names', () => {
    it('are those of the keys that there are', async () => {
      await store.add(keyOf({ id: 'k1', name: 'one' }));
      await store.add(keyOf({ id: 'k2', name: 'two' }));
      await store.revoke('k2', new Date(5000));
      expect(await store.names(['k2', 'k1', 'none'])).toEqual(
        new Map([
          ['k1', 'one'],
          ['k2', 'two'],
        ]),
      );
      expect(await store.names([])).toEqual(new Map());
    });
  });
}

function keyOf(members: Partial<ApiKey>): ApiKey {
  return {
    id: 'k',
    principalId: 'p',
    organization: 'acme',
    name: 'a name: ü, 漢字',
    scopes: ['a2a'],
    hash: 'ab'.repeat(32),
    createdAt: new Date(1_763_700_000_123),
    revokedAt: null,
    expiresAt: null,
    lastUsedAt: null,
    allowedNetworks: [],
    allowedOrigins: [],
    replacedBy: null,
    groups: [],
    ...members,
  };
}
