import { HUB_AUTHORITY } from '../../src/auth/authority.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PrincipalNames } from '../../src/audit/index.js';
import type { Caller } from '../../src/auth/principal-store.js';
import type { Tx, Work } from '../../src/database/sql.js';
import type { ApiKey, ApiKeyStore, PrincipalStore } from '../../src/auth/index.js';

export interface PrincipalStores {
  readonly principals: PrincipalStore;
  readonly keys: ApiKeyStore;
  readonly names: PrincipalNames;
  readonly write: <T>(work: (tx: Tx) => Work<T>) => Promise<T>;
  /** Makes so many principals `filled-…`, as fast as it can. */
  readonly fill: (count: number) => Promise<unknown>;
}

/** What every {@link PrincipalStore} does, with the store of keys and the names beside it. */
export function principalStoreContract(open: () => Promise<PrincipalStores>): void {
  let principals: PrincipalStore;
  let keys: ApiKeyStore;
  let names: PrincipalNames;
  let write: PrincipalStores['write'];
  let fill: PrincipalStores['fill'];

  beforeEach(async () => {
    ({ principals, keys, names, write, fill } = await open());
  });

  const keyOf = (id: string, members: Partial<ApiKey> = {}): ApiKey => ({
    id,
    principalId: 'alice',
    organization: 'acme',
    name: 'a key',
    scopes: ['a2a'],
    hash: 'ab'.repeat(32),
    createdAt: new Date(1000),
    revokedAt: null,
    expiresAt: null,
    lastUsedAt: null,
    allowedNetworks: [],
    allowedOrigins: [],
    replacedBy: null,
    groups: [],
    ...members,
  });
  const add = (id: string, members?: Partial<ApiKey>): Promise<void> =>
    keys.add(keyOf(id, members));
  const lacks = async (id = 'alice'): Promise<unknown[]> => {
    const status = (await principals.statuses([id])).get(id);
    return [status?.keylessSince, status?.narrowSince, status?.plainSince];
  };
  const unreconciled = async (): Promise<string[]> =>
    (await principals.unreconciled()).map(({ id }) => id);

  it('is found by a group of just that name', async () => {
    const groups = {
      books: ['a', 'books'],
      other: ['Books'],
      quoted: ['y"books', '%_x'],
      none: [],
    };
    for (const [id, of] of Object.entries(groups)) {
      const principal = { id, organization: 'acme', displayName: null, groups: of };
      await principals.create({ ...principal, createdAt: new Date(1000) }, false);
    }
    const inGroup = async (group: string): Promise<string[]> =>
      (await principals.list({ group }, 10)).items.map(({ id }) => id);
    expect(await inGroup('books')).toEqual(['books']);
    expect(await inGroup('Books')).toEqual(['other']);
    expect(await inGroup('y"books')).toEqual(['quoted']);
    expect(await inGroup('%_x')).toEqual(['quoted']);
    expect(await inGroup('_')).toEqual([]);
  });

  describe('a caller', () => {
    const isPresent = (changes: Partial<Caller> = {}): Promise<boolean> => {
      const caller = { id: 'alice', organization: 'acme', keyId: 'k1', ...changes };
      return write((tx) => principals.isPresentIn(tx, caller));
    };

    beforeEach(() => add('k1'));

    it('is there with its key, in its organization', async () => {
      expect(await isPresent()).toBe(true);
      expect(await isPresent({ id: 'bob' })).toBe(false);
      expect(await isPresent({ organization: 'other' })).toBe(false);
      expect(await isPresent({ keyId: 'k2' })).toBe(false);
      expect(await isPresent({ identityId: 'i1' })).toBe(false);
      await add('k2', { principalId: 'bob' });
      expect(await isPresent({ keyId: 'k2' })).toBe(false);
      await add('k3');
      await keys.revoke('k1', new Date(2000));
      expect([await isPresent(), await isPresent({ keyId: 'k3' })]).toEqual([false, true]);
    });

    it('is not while its principal is disabled', async () => {
      await principals.disable('alice', new Date(2000), HUB_AUTHORITY);
      expect(await isPresent()).toBe(false);
      await principals.enable('alice', HUB_AUTHORITY);
      expect(await isPresent()).toBe(true);
    });

    it('is one that the configuration lets in, without a key', async () => {
      await principals.setBuiltIn('admin', 'default', true, new Date(1000));
      const caller = { id: 'admin', organization: 'default' };
      expect(await write((tx) => principals.isPresentIn(tx, caller))).toBe(true);
    });
  });

  describe('a search by text', () => {
    const found = async (text: string): Promise<string[]> =>
      (await principals.list({ text }, 10)).items.map(({ id }) => id);

    it('finds a part of the id, the name, or the name of the oldest valid key', async () => {
      await add('k1', { principalId: 'alice', name: 'Night_job 100%' });
      await principals.change('alice', { displayName: 'Élodie Martin' }, HUB_AUTHORITY);
      await add('k2', { principalId: 'bob-smith', name: 'Night-job' });
      expect(await found('SMI')).toEqual(['bob-smith']);
      expect(await found('Élodie')).toEqual(['alice']);
      expect(await found('e mART')).toEqual(['alice']);
      expect(await found('night')).toEqual(['bob-smith', 'alice']);
      expect(await found('t_j')).toEqual(['alice']);
      expect(await found('100%')).toEqual(['alice']);
      expect(await found('!')).toEqual([]);
      await keys.revoke('k1', new Date(2000));
      expect(await found('100%')).toEqual([]);
    });

    it('looks at so many at a time, and goes on behind them', async () => {
      await add('k0', { principalId: 'a-first' });
      await fill(2_004);
      const pages: string[][] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page = await principals.list({ text: '-first' }, 10, cursor);
        pages.push(page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect(pages).toEqual([[], ['a-first']]);
      const { items, nextCursor } = await principals.list({ text: 'filled' }, 3);
      expect(items).toHaveLength(3);
      const seen = new Set(items.map(({ id }) => id));
      const { items: others } = await principals.list({ text: 'filled' }, 3, nextCursor!);
      for (const { id } of others) expect(seen.has(id)).toBe(false);
    });

    it('has first who is called so, then whose name begins so, on whatever page', async () => {
      for (const [id, displayName] of [
        ['p1', 'Bulk person 3'],
        ['p2', 'bulk person 30'],
        ['p3', 'A bulk person 3'],
        ['p4', 'Bulk person 31'],
        ['p5', 'another bulk person 3'],
        ['p6', 'somebody else'],
      ] as const) {
        await add(`k-${id}`, { principalId: id });
        await principals.change(id, { displayName }, HUB_AUTHORITY);
      }
      for (const limit of [1, 2, 5]) {
        const ids: string[] = [];
        let cursor: string | null | undefined;
        while (cursor !== null) {
          const page = await principals.list({ text: 'BULK person 3' }, limit, cursor);
          ids.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
        }
        expect(ids).toEqual(['p1', 'p4', 'p2', 'p5', 'p3']);
      }
      // What is no place of a search is one of the list.
      for (const odd of ['\nx\ny', 'p4', '\n\n', '[]']) {
        expect((await principals.list({ text: 'bulk' }, 5, odd)).items.length).toBeLessThan(6);
      }
    });
  });

  describe('what a principal lacks', () => {
    it('is what its valid keys do not give, since the last one that did is gone', async () => {
      await add('k1', { scopes: ['a2a', 'admin'] });
      await add('k2', { scopes: ['a2a', 'tasks:organization'] });
      await add('k3');
      expect(await lacks()).toEqual([null, null, null]);
      await keys.revoke('k1', new Date(2000));
      expect(await lacks()).toEqual([null, null, 2000]);
      await keys.revoke('k2', new Date(3000));
      expect(await lacks()).toEqual([null, 3000, 2000]);
      await keys.revoke('k3', new Date(4000));
      expect(await lacks()).toEqual([4000, 3000, 2000]);
      // A key that was revoked already changes nothing.
      await keys.revoke('k3', new Date(5000));
      expect(await lacks()).toEqual([4000, 3000, 2000]);
      expect(await unreconciled()).toEqual([]);
      await add('k4', { scopes: ['tasks:organization'] });
      expect(await lacks()).toEqual([null, null, 2000]);
      expect(await principals.get('alice')).toMatchObject({ validKeys: 1, holdsA2a: false });
      expect(await unreconciled()).toEqual(['alice']);
    });

    it('is nothing for one that the configuration lets in, until it does not', async () => {
      await principals.setBuiltIn('admin', 'default', true, new Date(1000));
      expect(await lacks('admin')).toEqual([null, null, null]);
      await add('k1', { principalId: 'admin', scopes: ['admin'] });
      await keys.revoke('k1', new Date(2000));
      expect(await lacks('admin')).toEqual([null, null, null]);
      expect(await principals.get('admin')).toMatchObject({
        builtIn: true,
        validKeys: 0,
        holdsA2a: true,
      });
      await principals.setBuiltIn('admin', 'default', false, new Date(3000));
      expect(await lacks('admin')).toEqual([3000, 3000, 3000]);
      await principals.setBuiltIn('nobody', 'default', false, new Date(3000));
      expect(await principals.get('nobody')).toBeUndefined();
    });

    it('is noted right when two last keys are revoked at once', async () => {
      await add('k1');
      await add('k2');
      await Promise.all(['k1', 'k2'].map((id) => keys.revoke(id, new Date(2000))));
      expect((await lacks())[0]).toBe(2000);
      expect(await principals.get('alice')).toMatchObject({ validKeys: 0 });
    });

    it('is lacking from the time on when the last key has expired', async () => {
      await add('k1', { expiresAt: new Date(2000) });
      await add('k2', { expiresAt: new Date(3000), scopes: ['admin'] });
      const before = await principals.revision();
      await keys.noteExpired(new Date(1999));
      expect(await principals.validCredentials(['k1', 'k2'])).toEqual(
        new Map([
          ['k1', new Date(2000)],
          ['k2', new Date(3000)],
        ]),
      );
      await keys.noteExpired(new Date(2500));
      expect(await lacks()).toEqual([null, null, null]);
      expect([...(await principals.validCredentials(['k1', 'k2'])).keys()].sort()).toEqual(['k2']);
      expect(await principals.revision()).toBeGreaterThan(before);
      const lost: unknown[] = [];
      const note = () => keys.noteExpired(new Date(9000), (keyless) => lost.push(keyless));
      await Promise.all([note(), note()]);
      expect(lost).toEqual([{ principal: 'alice', since: new Date(3000) }]);
      expect(await lacks()).toEqual([3000, 3000, 3000]);
      expect(await principals.get('alice')).toMatchObject({ validKeys: 0 });
      await add('k3');
      expect((await lacks())[0]).toBeNull();
    });

    it('is back when a clock that was ahead is right again', async () => {
      await add('k1', { expiresAt: new Date(200_000) });
      await keys.noteExpired(new Date(300_000));
      expect((await lacks())[0]).toBe(200_000);
      // Another process is a little behind.
      await keys.noteExpired(new Date(199_000));
      expect((await lacks())[0]).toBe(200_000);
      const before = await principals.revision();
      await Promise.all([1, 2].map(() => keys.noteExpired(new Date(100_000))));
      expect((await lacks())[0]).toBeNull();
      expect([...(await principals.validCredentials(['k1'])).keys()]).toEqual(['k1']);
      expect(await principals.revision()).toBeGreaterThan(before);
      expect((await principals.unreconciled()).map(({ id }) => id)).toContain('alice');
      expect(await keys.change('k1', { name: 'other' }, new Date(100_000))).toBe(true);
    });

    it('is told of, too, when a key will end sooner than it would have', async () => {
      await add('k1');
      const before = await principals.revision();
      await keys.replace('k1', keyOf('k2', { createdAt: new Date(1500) }), new Date(2000));
      expect(await principals.revision()).toBeGreaterThan(before);
      const valid = await principals.validCredentials(['k1', 'k2']);
      expect([valid.get('k1'), valid.get('k2')]).toEqual([new Date(2000), null]);
    });

    it('is looked for by time', async () => {
      await add('k1');
      await keys.revoke('k1', new Date(2000));
      const between = (from: number, until: number): Promise<readonly string[]> =>
        principals.keylessBetween(new Date(from), new Date(until));
      expect(await between(1999, 2000)).toEqual(['alice']);
      expect(await between(2000, 9000)).toEqual([]);
      expect(await between(0, 1999)).toEqual([]);
    });
  });

  describe('the name of a principal', () => {
    const [made, other] = [
      '0199f1c2-8d11-7b52-9c3e-4a5b6c7d8e9f',
      '0199f1c2-8d11-7b52-9c3e-4a5b6c7d8ea0',
    ];
    const namesOf = async (...ids: string[]) => Object.fromEntries(await names.of(ids));

    it('is its display name, else that of its oldest valid key where its id says nothing', async () => {
      await add('k1', { principalId: made, name: 'billing' });
      await add('k2', { principalId: made, name: 'a further one' });
      await add('k3', { principalId: 'alice', name: 'of alice' });
      await add('k4', { principalId: other, name: 'gone' });
      await keys.revoke('k4', new Date(2000));
      const all = [made, 'alice', other, 'unknown', made, "x'; --"];
      expect(await namesOf(...all)).toEqual({ [made]: 'billing' });
      expect((await principals.get(made))?.name).toBe('billing');
      expect((await principals.get('alice'))?.name).toBeNull();
      await keys.revoke('k1', new Date(2000));
      expect(await namesOf(made)).toEqual({ [made]: 'a further one' });
      await principals.change(made, { displayName: 'Billing service' }, HUB_AUTHORITY);
      await principals.change('alice', { displayName: 'Alice' }, HUB_AUTHORITY);
      expect(await namesOf(...all)).toEqual({ [made]: 'Billing service', alice: 'Alice' });
      expect(await namesOf()).toEqual({});
    });
  });

  describe('a principal that is disabled', () => {
    it('has no valid key and gets none, until it is enabled', async () => {
      await add('k1', { scopes: ['admin'] });
      await add('k2', { principalId: 'bob' });
      const before = await principals.revision();
      expect(await principals.disable('alice', new Date(5000), HUB_AUTHORITY)).toBe(true);
      expect(await principals.revision()).toBeGreaterThan(before);
      expect(await keys.findPresented('k1')).toMatchObject({ fault: 'disabled-principal' });
      expect(await keys.find('k1')).toMatchObject({ revokedAt: null });
      expect([...(await principals.validCredentials(['k1', 'k2', 'none'])).keys()].sort()).toEqual([
        'k2',
      ]);
      expect(await keys.adminKeySince(new Date(9000))).toBeUndefined();
      await expect(add('k3')).rejects.toMatchObject({ reason: 'CONFLICT' });
      expect(await keys.find('k3')).toBeUndefined();
      expect(await unreconciled()).toEqual(['alice']);
      expect(await principals.enable('alice', HUB_AUTHORITY)).toBe(true);
      expect(await keys.findPresented('k1')).toMatchObject({ key: { id: 'k1' }, fault: null });
      expect(await keys.adminKeySince(new Date(9000))).toBeDefined();
      await add('k3');
    });

    it('keeps the time of the first call; an unknown one is told', async () => {
      await add('k1');
      await principals.disable('alice', new Date(5000), HUB_AUTHORITY);
      await principals.disable('alice', new Date(6000), HUB_AUTHORITY);
      expect(await principals.get('alice')).toMatchObject({ disabledAt: new Date(5000) });
      expect(await principals.disable('nobody', new Date(5000), HUB_AUTHORITY)).toBe(false);
      expect(await principals.enable('nobody', HUB_AUTHORITY)).toBe(false);
    });

    it('is unreconciled until the very change has been followed', async () => {
      await add('k1');
      await principals.disable('alice', new Date(5000), HUB_AUTHORITY);
      const [first] = await principals.unreconciled();
      await principals.enable('alice', HUB_AUTHORITY);
      await principals.reconciled(first!);
      const [second] = await principals.unreconciled();
      expect(second).toMatchObject({ id: 'alice' });
      await principals.reconciled(second!);
      expect(await unreconciled()).toEqual([]);
      await principals.markUnreconciled('alice');
      expect(await unreconciled()).toEqual(['alice']);
    });
  });

  describe('the revision', () => {
    it('is raised by what ends keys, and not by what makes them', async () => {
      await add('k1');
      const first = await principals.revision();
      await add('k2');
      expect(await principals.revision()).toBe(first);
      await keys.revoke('k1', new Date(2000));
      expect(await principals.revision()).toBeGreaterThan(first);
    });
  });

  describe('list', () => {
    it('pages through those of an organization and a state, the highest id first', async () => {
      for (const id of ['p1', 'p2', 'p3', 'p4']) {
        await add(`k-${id}`, { principalId: id, organization: id === 'p4' ? 'other' : 'acme' });
      }
      await principals.disable('p1', new Date(5000), HUB_AUTHORITY);
      await keys.revoke('k-p2', new Date(5000));
      const first = await principals.list({ organization: 'acme' }, 2);
      const second = await principals.list({ organization: 'acme' }, 2, first.nextCursor!);
      const ids = [first, second].map(({ items }) => items.map(({ id }) => id));
      expect(ids).toEqual([['p3', 'p2'], ['p1']]);
      expect(second.nextCursor).toBeNull();
      const inState = async (state: 'active' | 'keyless' | 'disabled'): Promise<string[]> =>
        (await principals.list({ state }, 10)).items.map(({ id }) => id);
      expect(await inState('active')).toEqual(['p4', 'p3']);
      expect(await inState('keyless')).toEqual(['p2']);
      expect(await inState('disabled')).toEqual(['p1']);
    });
  });
}
