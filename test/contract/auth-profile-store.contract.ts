import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AuthProfile } from '../../src/push/auth/auth-profile.js';
import type { AuthProfileStore } from '../../src/push/auth/auth-profile-store.js';
import { SqlAuthProfileStore } from '../../src/push/auth/persistence/sql-auth-profile.store.js';
import type { PushStores } from '../support/push-stores.js';

const NOW = new Date(1_000_000);

/** What every `AuthProfileStore` promises. */
export function authProfileStoreContract(open: () => Promise<PushStores>): void {
  let stores: PushStores;
  let profiles: AuthProfileStore;

  beforeEach(async () => {
    stores = await open();
    profiles = new SqlAuthProfileStore(stores.database);
  });

  function profile(changes: Partial<AuthProfile> = {}): AuthProfile {
    return {
      id: stores.ids.next(),
      organization: 'acme',
      name: 'receiver',
      scheme: 'oauth2',
      urls: ['https://hooks.example', '*.example.com'],
      automatic: true,
      parameters: { tokenUrl: 'https://login.example/token', clientId: 'hub' },
      sealedSecret: 'sealed',
      fingerprint: 'f1',
      secretSince: NOW,
      sealedPrevious: 'sealed-before',
      previousFingerprint: 'f0',
      previousUntil: new Date(2_000_000),
      version: 1,
      createdAt: NOW,
      updatedAt: NOW,
      ...changes,
    };
  }

  async function added(changes: Partial<AuthProfile> = {}): Promise<AuthProfile> {
    const made = profile(changes);
    await profiles.add(made);
    return made;
  }

  /** A webhook of this organization that names the profile `receiver`. */
  async function webhook(organization: string): Promise<void> {
    const taskId = await stores.addTask(2);
    const draft = stores.draft({ organization, authScheme: 'profile', authProfile: 'receiver' });
    await stores.webhooks.set(taskId, draft, { now: NOW, repeated: 'leave' });
  }

  describe('AuthProfileStore', () => {
    it('gives back all that was stored', async () => {
      const made = await added();
      expect(await profiles.get(made.id, 'everybody')).toEqual(made);
      const bare = await added({
        organization: null,
        automatic: false,
        sealedSecret: null,
        fingerprint: null,
        secretSince: null,
        sealedPrevious: null,
        previousFingerprint: null,
        previousUntil: null,
      });
      expect(await profiles.get(bare.id, 'everybody')).toEqual(bare);
      expect(await profiles.all()).toEqual([made, bare]);
    });

    it('refuses a second of the same name in one organization only', async () => {
      await added();
      await expect(added()).rejects.toMatchObject({ reason: 'CONFLICT' });
      await added({ organization: 'globex' });
      await added({ organization: null });
      await expect(added({ organization: null })).rejects.toMatchObject({ reason: 'CONFLICT' });
      expect(await profiles.all()).toHaveLength(3);
    });

    it('adds one of two with the same name made at once', async () => {
      const results = await Promise.allSettled([added(), added()]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });

    it("shows an organization its own and everybody's, newest first, in pages", async () => {
      const own = await added();
      const every = await added({ organization: null });
      const foreign = await added({ organization: 'globex' });
      const acme = { organization: 'acme' };
      const first = await profiles.list(acme, 1);
      expect(first.items).toEqual([every]);
      const last = await profiles.list(acme, 1, first.nextCursor!);
      expect(last).toEqual({ items: [own], nextCursor: null });
      expect((await profiles.list('everybody', 10)).items).toEqual([foreign, every, own]);
      expect(await profiles.get(foreign.id, acme)).toBeUndefined();
      expect(await profiles.get(every.id, acme)).toEqual(every);
    });

    it('raises version and revision with every change', async () => {
      const { id } = await added();
      const before = await profiles.revision();
      const changed = await profiles.update(id, (present) => ({ ...present, automatic: false }));
      expect(changed).toMatchObject({ automatic: false, version: 2 });
      expect(await profiles.get(id, 'everybody')).toEqual(changed);
      expect(await profiles.revision()).toBeGreaterThan(before);
      expect(await profiles.update('unknown', (present) => present)).toBeUndefined();
    });

    it('mixes no two changes made at once', async () => {
      const { id } = await added({ urls: [] });
      const add = (url: string) =>
        profiles.update(id, (present) => ({ ...present, urls: [...present.urls, url] }));
      await Promise.all(['a', 'b', 'c'].map(add));
      const { urls, version } = (await profiles.get(id, 'everybody'))!;
      expect([...urls].sort()).toEqual(['a', 'b', 'c']);
      expect(version).toBe(4);
    });

    it('keeps one that webhooks name, unless forced', async () => {
      const { id } = await added();
      await webhook('acme');
      await webhook('acme');
      await webhook('globex');
      const revision = await profiles.revision();
      expect(await profiles.remove(id, false)).toEqual({ removed: false, uses: 2 });
      expect(await profiles.revision()).toBe(revision);
      expect(await profiles.remove(id, true)).toEqual({ removed: true, uses: 2 });
      expect(await profiles.revision()).toBeGreaterThan(revision);
      expect(await profiles.remove(id, true)).toBeUndefined();
    });

    it("does not count webhooks of an organization that has its own for everybody's", async () => {
      await added({ organization: 'acme' });
      const { id } = await added({ organization: null });
      await webhook('acme');
      expect(await profiles.remove(id, false)).toEqual({ removed: true, uses: 0 });
      const again = await added({ organization: null });
      await webhook('globex');
      expect(await profiles.remove(again.id, false)).toEqual({ removed: false, uses: 1 });
    });
  });
}
