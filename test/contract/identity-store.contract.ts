import { HUB_AUTHORITY } from '../../src/auth/authority.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiKeyStore, PrincipalStore } from '../../src/auth/index.js';
import type { IdentityStore, SignIn } from '../../src/auth/identity-store.js';

export interface IdentityStores {
  readonly identities: IdentityStore;
  readonly principals: PrincipalStore;
  readonly keys: ApiKeyStore;
}

const MINUTE = 60_000;

/** What every {@link IdentityStore} does, with the stores of principals and keys beside it. */
export function identityStoreContract(open: () => Promise<IdentityStores>): void {
  let identities: IdentityStore;
  let principals: PrincipalStore;
  let keys: ApiKeyStore;

  beforeEach(async () => {
    ({ identities, principals, keys } = await open());
  });

  const caller = (members: Partial<SignIn> = {}): SignIn => ({
    issuer: 'https://login.example',
    subject: 'alice',
    organization: 'acme',
    scopes: ['a2a'],
    at: new Date(1000),
    until: new Date(10_000_000),
    ...members,
  });
  const lacks = async (id: string): Promise<unknown[]> => {
    const status = (await principals.statuses([id])).get(id);
    return [status?.keylessSince, status?.narrowSince, status?.plainSince];
  };

  describe('signIn', () => {
    it('makes one principal for each issuer, organization and subject', async () => {
      let added = 0;
      identities.onAdded(() => (added += 1));
      const alice = await identities.signIn(caller());
      expect(await identities.signIn(caller())).toMatchObject({ ...alice });
      const others = await Promise.all([
        identities.signIn(caller({ subject: 'bob' })),
        identities.signIn(caller({ issuer: 'https://other.example' })),
        identities.signIn(caller({ organization: 'umbrella' })),
      ]);
      const ids = [alice, ...others].map(({ principalId }) => principalId);
      expect(new Set(ids).size).toBe(4);
      expect(added).toBe(4);
      expect(await principals.get(alice.principalId)).toMatchObject({
        organization: 'acme',
        createdAt: new Date(1000),
        validKeys: 0,
        identity: {
          issuer: 'https://login.example',
          subject: 'alice',
          lastSeenAt: new Date(1000),
        },
      });
    });

    it('makes one, however many come first at once', async () => {
      const found = await Promise.all(
        Array.from({ length: 10 }, () => identities.signIn(caller())),
      );
      expect(new Set(found.map(({ principalId }) => principalId)).size).toBe(1);
      expect((await principals.list({}, 10)).items).toHaveLength(1);
    });

    it('tells of a principal that is disabled, and leaves it so', async () => {
      const { principalId } = await identities.signIn(caller());
      await principals.disable(principalId, new Date(2000), HUB_AUTHORITY);
      const at = new Date(MINUTE * 5);
      expect(await identities.signIn(caller({ at }))).toMatchObject({ disabled: 'principal' });
      const { identity } = (await principals.get(principalId))!;
      expect(identity!.lastSeenAt).toEqual(new Date(1000));
      await principals.enable(principalId, HUB_AUTHORITY);
      expect(await identities.signIn(caller({ at }))).toMatchObject({ disabled: null });
    });

    it('notes about once a minute that it is used', async () => {
      const { principalId } = await identities.signIn(caller());
      const seen = async (): Promise<number> =>
        (await principals.get(principalId))!.identity!.lastSeenAt.getTime();
      await identities.signIn(caller({ at: new Date(MINUTE) }));
      expect(await seen()).toBe(1000);
      await identities.signIn(caller({ at: new Date(1000 + MINUTE) }));
      expect(await seen()).toBe(1000 + MINUTE);
    });

    it('keeps what the principal may ask for by its last token', async () => {
      const { principalId } = await identities.signIn(caller());
      expect(await lacks(principalId)).toEqual([null, 1000, 1000]);
      await identities.signIn(caller({ scopes: ['admin'], at: new Date(2000) }));
      expect(await lacks(principalId)).toEqual([null, null, null]);
      expect((await principals.unreconciled()).map(({ id }) => id)).toEqual([principalId]);
      const later = { scopes: ['tasks:organization'] as const, at: new Date(2000 + MINUTE) };
      await identities.signIn(caller(later));
      expect(await lacks(principalId)).toEqual([null, null, 2000 + MINUTE]);
    });

    it('takes tokens of different scopes that are used in turns together', async () => {
      const { principalId } = await identities.signIn(caller({ scopes: ['admin'] }));
      for (let at = 2000; at < MINUTE; at += 10_000) {
        await identities.signIn(caller({ scopes: ['a2a'], at: new Date(at) }));
        await identities.signIn(caller({ scopes: ['push'], at: new Date(at + 1) }));
      }
      expect(await lacks(principalId)).toEqual([null, null, null]);
      expect(await principals.unreconciled()).toEqual([]);
    });
  });

  describe('a sign-in that is long ago', () => {
    it('counts as over, once, until the next one', async () => {
      const { principalId } = await identities.signIn(caller({ until: new Date(5000) }));
      const lost: unknown[] = [];
      await identities.noteExpired(new Date(4999), (each) => lost.push(each));
      expect(await lacks(principalId)).toEqual([null, 1000, 1000]);
      await identities.noteExpired(new Date(6000), (each) => lost.push(each));
      await identities.noteExpired(new Date(7000), (each) => lost.push(each));
      expect(lost).toEqual([{ principal: principalId, since: new Date(5000) }]);
      expect(await lacks(principalId)).toEqual([5000, 1000, 1000]);
      await identities.signIn(caller({ at: new Date(8000) }));
      expect(await lacks(principalId)).toEqual([null, 1000, 1000]);
    });

    it('counts again when a clock that was ahead is right again', async () => {
      const { principalId } = await identities.signIn(caller({ until: new Date(200_000) }));
      await identities.noteExpired(new Date(300_000));
      expect((await lacks(principalId))[0]).toBe(200_000);
      await identities.noteExpired(new Date(100_000));
      expect((await lacks(principalId))[0]).toBeNull();
    });

    it('is noted once of each, however many there are and whoever notes them', async () => {
      const many = Array.from({ length: 230 }, (_, n) => `caller-${n}`);
      await Promise.all(
        many.map((subject, n) =>
          identities.signIn(caller({ subject, until: new Date(5000 + (n >> 7)) })),
        ),
      );
      await identities.signIn(caller({ subject: 'later', until: new Date(6001) }));
      const lost: string[] = [];
      const note = () =>
        identities.noteExpired(new Date(6000), ({ principal }) => lost.push(principal));
      await Promise.all([note(), note()]);
      expect([lost.length, new Set(lost).size]).toEqual([many.length, many.length]);
    });

    it('leaves a principal that has a key with nothing lacking', async () => {
      const { principalId } = await identities.signIn(caller({ until: new Date(5000) }));
      await keys.add({
        id: 'k1',
        principalId,
        organization: 'acme',
        name: 'a key',
        scopes: ['admin'],
        hash: 'ab'.repeat(32),
        createdAt: new Date(1000),
        revokedAt: null,
        expiresAt: null,
        lastUsedAt: null,
        allowedNetworks: [],
        allowedOrigins: [],
        replacedBy: null,
        groups: [],
      });
      const lost: unknown[] = [];
      await identities.noteExpired(new Date(6000), (each) => lost.push(each));
      expect([lost, await lacks(principalId)]).toEqual([[], [null, null, null]]);
    });
  });

  it('counts among the valid credentials and the organizations of callers', async () => {
    const { id, principalId } = await identities.signIn(caller());
    expect([...(await principals.validCredentials([id, 'none'])).keys()].sort()).toEqual([id]);
    await principals.disable(principalId, new Date(2000), HUB_AUTHORITY);
    expect([...(await principals.validCredentials([id])).keys()].sort()).toEqual([]);
    expect(await keys.hasSeveralOrganizations()).toBe(false);
    await identities.signIn(caller({ organization: 'umbrella' }));
    expect(await keys.hasSeveralOrganizations()).toBe(true);
  });

  it('finds a principal by its subject', async () => {
    const { principalId } = await identities.signIn(caller());
    await identities.signIn(caller({ subject: 'bob' }));
    const { items } = await principals.list({ subject: 'alice' }, 10);
    expect(items.map(({ id }) => id)).toEqual([principalId]);
    expect((await principals.list({ subject: 'nobody\u0000' }, 10)).items).toEqual([]);
  });
}
