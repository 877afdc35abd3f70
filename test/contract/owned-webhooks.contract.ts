import { HUB_AUTHORITY } from '../../src/auth/authority.js';
import { markDue } from '../../src/push/delivery/persistence/push-append.participant.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING, PrincipalHolds } from '../../src/auth/index.js';
import { SqlApiKeyStore } from '../../src/auth/persistence/sql-api-key.store.js';
import type { Scope } from '../../src/common/scope.js';
import { SqlDeliveryStreamStore } from '../../src/push/delivery/persistence/sql-delivery-stream.store.js';
import { SqlOwnedWebhookStore } from '../../src/push/owners/persistence/sql-owned-webhook.store.js';
import { ENDPOINT_RULES, KEYLESS_GRACE_MS, inHand } from '../support/push-stores.js';
import { NOW, type SubscriptionStores } from '../support/subscription-stores.js';

const LATER = new Date(NOW.getTime() + KEYLESS_GRACE_MS);

/** What every `OwnedWebhookStore` promises, and what a claim makes of how principals stand. */
export function ownedWebhooksContract(open: () => Promise<SubscriptionStores>): void {
  let stores: SubscriptionStores;
  let owned: SqlOwnedWebhookStore;
  let keys: SqlApiKeyStore;

  beforeEach(async () => {
    stores = await open();
    owned = new SqlOwnedWebhookStore(stores.database, stores.principals);
    keys = new SqlApiKeyStore(stores.database);
    await addKey('alice', ['a2a', 'tasks:organization']);
  });

  const addKey = (principalId: string, scopes: Scope[], organization = 'acme'): Promise<void> =>
    keys.add({
      id: `key-of-${principalId}`,
      principalId,
      organization,
      name: 'a key',
      scopes,
      hash: 'ab'.repeat(32),
      createdAt: NOW,
      revokedAt: null,
      expiresAt: null,
      lastUsedAt: null,
      allowedNetworks: [],
      allowedOrigins: [],
      replacedBy: null,
      groups: [],
    });
  const disable = (id = 'alice'): Promise<boolean> =>
    stores.principals.disable(id, NOW, HUB_AUTHORITY);
  const claimed = async (now = NOW): Promise<string[]> =>
    (await stores.claimAll(now)).map(({ webhook }) => webhook.taskId).sort();
  const resumeAll = async (id = 'alice'): Promise<void> => {
    let cursor: string | null = null;
    do cursor = await owned.resume(id, cursor, 2, NOW);
    while (cursor !== null);
  };

  describe('what belongs to a principal that is disabled', () => {
    it('is not claimed, and is once it has been enabled and resumed', async () => {
      const of = await stores.subscribe();
      const mine = [await stores.join(of), await stores.freshStream(), await stores.freshStream()];
      const others = await stores.freshStream({ principalId: 'bob' });
      await disable();
      expect(await claimed()).toEqual([others]);
      expect(await stores.streams.nextDueAt(NOW)).toBeNull();
      const queued = { active: 2, due_at: null, owner: null, lease_until: null };
      for (const task of mine) expect(await stores.row(task)).toMatchObject(queued);
      await stores.principals.enable('alice', HUB_AUTHORITY);
      expect(await claimed()).toEqual([]);
      await resumeAll();
      expect(await claimed()).toEqual([...mine].sort());
    });

    it('stays where it is when the principal is not there any more', async () => {
      const of = await stores.subscribe();
      const tasks = [await stores.join(of), await stores.freshStream()];
      tasks.push(await stores.freshStream({ principalId: 'bob', setBy: 'alice' }));
      const declared = await stores.subscribe({ source: 'config', principalId: 'config' });
      const ofDeclared = await stores.join(declared);
      await stores.database.write((tx) => tx.run('DELETE FROM principals'));
      const holds = new PrincipalHolds(stores.principals, { keylessGraceMs: KEYLESS_GRACE_MS });
      const { database, ids, news } = stores;
      const streams = new SqlDeliveryStreamStore(database, ids, ENDPOINT_RULES, news, holds);
      const claimed = await streams.claim('w1', NOW, 30_000, { free: 50, perEndpoint: 100 });
      expect(claimed.map(({ webhook }) => webhook.taskId)).toEqual([ofDeclared]);
      for (const task of tasks) {
        expect(await stores.row(task)).toMatchObject({ active: 2, due_at: null });
      }
    });

    it('stays where it is when a principal of its id is of another organization', async () => {
      const onOthers = await stores.freshStream({ principalId: 'bob', setBy: 'carol' });
      await addKey('carol', ['a2a', 'tasks:organization'], 'other');
      expect(await claimed()).toEqual([]);
      expect(await stores.row(onOthers)).toMatchObject({ active: 2, due_at: null });
    });

    it('hears of what happens meanwhile', async () => {
      const task = await stores.freshStream();
      await disable();
      await claimed();
      const mark = { taskId: task, seq: 9, when: 'always' } as const;
      await stores.database.write((tx) => markDue(tx, [mark], NOW));
      expect(await claimed()).toEqual([]);
      expect(await stores.row(task)).toMatchObject({ head_seq: 9, due_at: null });
    });

    it('sends nothing more of what is in hand', async () => {
      const of = await stores.subscribe();
      await stores.join(of);
      await stores.freshStream();
      const bobs = await stores.freshStream({ principalId: 'bob' });
      const streams = await stores.claimAll();
      await disable();
      await owned.halt('alice', NOW);
      for (const stream of streams) {
        expect(await stores.streams.isClaimed(stream)).toBe(stream.webhook.taskId === bobs);
      }
      const reached = await stores.reachOne(
        streams.find((stream) => stream.webhook.taskId === bobs)!,
      );
      expect(inHand(reached).open).toBe(1);
    });

    it('is what it has set on tasks of others, and not what others have on its own', async () => {
      const onOthers = await stores.freshStream({ principalId: 'bob', setBy: 'alice' });
      const ofOthers = await stores.freshStream({ setBy: 'bob' });
      await disable();
      expect(await claimed()).toEqual([ofOthers]);
      await stores.principals.enable('alice', HUB_AUTHORITY);
      await resumeAll();
      expect(await claimed()).toEqual([onOthers]);
      await addKey('carol', ['tasks:organization']);
      expect(await owned.handOver('alice', 'carol', NOW)).toEqual({
        subscriptions: 0,
        webhooks: 1,
      });
      const rows = await stores.database.read<{ principal_id: string; set_by: string }>(
        'SELECT principal_id, set_by FROM push_webhooks ORDER BY set_by DESC',
      );
      expect(rows.map((row) => [row.principal_id, row.set_by])).toEqual([
        ['bob', 'carol'],
        ['alice', 'bob'],
      ]);
    });

    it('stays paused where it was paused by hand', async () => {
      const [one, two] = [await stores.freshStream(), await stores.freshStream()];
      const of = await stores.subscribe();
      const third = await stores.join(of);
      const uidOf = async (taskId: string): Promise<string> =>
        (await stores.webhooks.search({ taskId }, EVERYTHING, 1, null))[0]!.streamId;
      await stores.pause(await uidOf(one), EVERYTHING, NOW);
      await disable();
      await claimed();
      // By hand as well, while it is held back.
      await stores.pause(await uidOf(two), EVERYTHING, NOW);
      await stores.webhooks.update(of.id, EVERYTHING, () => ({ state: 'paused' }), NOW);
      await stores.reconcileAll();
      await stores.principals.enable('alice', HUB_AUTHORITY);
      await resumeAll();
      expect(await claimed()).toEqual([]);
      for (const task of [one, two]) {
        await stores.resume(await uidOf(task), EVERYTHING, NOW);
      }
      await stores.webhooks.update(of.id, EVERYTHING, () => ({ state: 'active' }), NOW);
      await stores.reconcileAll();
      expect(await claimed()).toEqual([one, two, third].sort());
    });
  });

  describe('a subscription of a principal without a valid key', () => {
    it('is held after the grace; webhooks of single tasks are not', async () => {
      const standing = await stores.join(await stores.subscribe());
      const single = await stores.freshStream();
      await keys.revoke('key-of-alice', NOW);
      const shortly = new Date(LATER.getTime() - 1);
      expect(await claimed(shortly)).toEqual([standing, single].sort());
      expect(await claimed(new Date(LATER.getTime() + 60_000))).toEqual([single]);
    });

    it('is held, too, when no key is left that could ask for it', async () => {
      const wide = await stores.join(await stores.subscribe());
      const own = await stores.join(await stores.subscribe({ scope: 'own' }));
      await keys.revoke('key-of-alice', NOW);
      await keys.add({
        ...(await keys.find('key-of-alice'))!,
        id: 'k2',
        scopes: ['a2a'],
        revokedAt: null,
        expiresAt: null,
        lastUsedAt: null,
        allowedNetworks: [],
        allowedOrigins: [],
        replacedBy: null,
        groups: [],
      });
      expect(await claimed(LATER)).toEqual([own]);
      expect(await stores.row(wide)).toMatchObject({ active: 2 });
    });

    it('that nobody’s key has made goes on', async () => {
      const task = await stores.join(await stores.subscribe({ principalId: 'config' }));
      expect(await claimed(LATER)).toEqual([task]);
    });
  });

  describe('a hand-over', () => {
    it('gives all of it, with what was held back, and raises the revision', async () => {
      await addKey('bob', ['tasks:organization']);
      const of = await stores.subscribe();
      const mine = [await stores.join(of), await stores.freshStream()];
      await disable();
      expect(await claimed()).toEqual([]);
      const before = await stores.subscriptions.revision();
      const handed = await owned.handOver('alice', 'bob', NOW);
      expect(handed).toEqual({ subscriptions: 1, webhooks: 1 });
      expect(await stores.subscriptions.revision()).toBeGreaterThan(before);
      await resumeAll('bob');
      const streams = await stores.claimAll();
      expect(streams.map(({ webhook }) => webhook.taskId).sort()).toEqual([...mine].sort());
      expect(streams.map(({ webhook }) => webhook.principalId)).toEqual(['bob', 'bob']);
      expect(await stores.subscriptions.get(of.id, EVERYTHING)).toMatchObject({
        principalId: 'bob',
      });
      expect(await owned.handOver('alice', 'bob', NOW)).toEqual({ subscriptions: 0, webhooks: 0 });
    });

    it('moves nothing to one who may not have it', async () => {
      await stores.freshStream();
      const of = await stores.subscribe();
      await addKey('narrow', ['a2a']);
      await addKey('stranger', ['tasks:organization'], 'other');
      await addKey('gone', ['tasks:organization']);
      await keys.revoke('key-of-gone', NOW);
      await addKey('off', ['tasks:organization']);
      await disable('off');
      for (const to of ['narrow', 'stranger', 'gone', 'off', 'nobody']) {
        await expect(owned.handOver('alice', to, NOW)).rejects.toMatchObject({
          reason: 'CONFLICT',
        });
      }
      expect(await stores.subscriptions.get(of.id, EVERYTHING)).toMatchObject({
        principalId: 'alice',
      });
    });

    it('of a subscription to own tasks goes to one who sees only its own while no task is told by it', async () => {
      await addKey('narrow', ['a2a']);
      const of = await stores.subscribe({ scope: 'own' });
      await stores.join(of);
      await expect(owned.handOver('alice', 'narrow', NOW)).rejects.toThrow('only its own tasks');
      await stores.webhooks.remove(of.id, EVERYTHING, () => undefined, NOW);
      await stores.subscribe({ scope: 'own' });
      expect(await owned.handOver('alice', 'narrow', NOW)).toMatchObject({ subscriptions: 1 });
    });

    it('of another organization’s tasks needs an operator', async () => {
      await stores.subscribe({ organization: 'other' });
      await addKey('bob', ['tasks:organization']);
      await addKey('carol', ['admin']);
      await expect(owned.handOver('alice', 'bob', NOW)).rejects.toThrow('scope push:all');
      expect(await owned.handOver('alice', 'carol', NOW)).toMatchObject({ subscriptions: 1 });
    });

    it('of what was set on a task of another organization needs an operator', async () => {
      await stores.freshStream({ organization: 'other', principalId: 'eve', setBy: 'alice' });
      await addKey('bob', ['tasks:organization']);
      await addKey('carol', ['admin']);
      await expect(owned.handOver('alice', 'bob', NOW)).rejects.toThrow('scope push:all');
      expect(await owned.handOver('alice', 'carol', NOW)).toMatchObject({ webhooks: 1 });
    });
  });
}
