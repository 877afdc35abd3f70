import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import type { TaskWebhookFilter } from '../../src/push/webhooks/webhook-store.js';
import type { Subscription } from '../../src/push/registration/webhook.js';
import { NOW, type SubscriptionStores } from '../support/subscription-stores.js';

/** What lists of webhooks promise of those that subscriptions have made. */
export function subscriptionWebhooksContract(open: () => Promise<SubscriptionStores>): void {
  let stores: SubscriptionStores;
  let of: Subscription;
  let mine: string;
  let theirs: string;
  beforeEach(async () => {
    stores = await open();
    of = await stores.subscribe();
    theirs = await stores.join(of);
    mine = await stores.freshStream({ url: 'https://mine.example/' });
  });

  /** The tasks of the webhooks that fit; each is shown as it was asked for. */
  async function tasks(filter: TaskWebhookFilter): Promise<string[]> {
    const found = await stores.webhooks.search(filter, EVERYTHING, 10, null);
    for (const webhook of found) expect(webhook).toMatchObject(filter);
    return found.map(({ taskId }) => taskId).sort();
  }

  const change = (changes: Partial<Subscription>): Promise<unknown> =>
    stores.webhooks.update(of.id, EVERYTHING, () => changes, NOW);

  const set = (taskId: string, state: string): Promise<unknown> =>
    stores.database.write((tx) =>
      tx.run('UPDATE push_delivery_streams SET state = ? WHERE task_id = ?', [state, taskId]),
    );

  describe('the webhooks of a subscription', () => {
    it('are found by the state they are shown with', async () => {
      const both = [mine, theirs].sort();
      expect(await tasks({ state: 'active' })).toEqual(both);
      await change({ state: 'paused' });
      expect(await tasks({ state: 'paused' })).toEqual([theirs]);
      expect(await tasks({ state: 'active' })).toEqual([mine]);
      await change({ state: 'disabled' });
      expect(await tasks({ state: 'disabled' })).toEqual([theirs]);
      await change({ state: 'failing' });
      expect(await tasks({ state: 'failing' })).toEqual([theirs]);
      await change({ state: 'active' });
      expect(await tasks({ state: 'active' })).toEqual(both);
    });

    it('are shown with what became of their own task, unless the subscription rests', async () => {
      await set(theirs, 'failing');
      expect(await tasks({ state: 'failing' })).toEqual([theirs]);
      await set(theirs, 'disabled');
      expect(await tasks({ state: 'disabled' })).toEqual([theirs]);
      expect(await tasks({ state: 'active' })).toEqual([mine]);
      await change({ state: 'paused' });
      expect(await tasks({ state: 'paused' })).toEqual([theirs]);
      expect(await tasks({ state: 'disabled' })).toEqual([]);
    });

    it('are the newest of all subscriptions that are in a state, in pages', async () => {
      const other = await stores.subscribe();
      const paused = await stores.subscribe();
      const failing: string[] = [];
      for (const each of [of, other, paused, of, other]) {
        const task = await stores.join(each);
        await stores.join(each);
        await set(task, 'failing');
        if (each !== paused) failing.push(task);
      }
      await stores.webhooks.update(paused.id, EVERYTHING, () => ({ state: 'paused' }), NOW);
      const seen: string[] = [];
      for (let cursor: string | null = null; ;) {
        const page = await stores.webhooks.search({ state: 'failing' }, EVERYTHING, 2, cursor);
        seen.push(...page.map(({ taskId }) => taskId));
        cursor = page.at(-1)?.streamId ?? null;
        if (page.length < 2) break;
      }
      expect(seen).toEqual(failing.reverse());
      expect(await tasks({ state: 'paused' })).toHaveLength(2);
      expect(await tasks({ state: 'failing', taskId: seen[0]! })).toEqual([seen[0]]);
      await change({ state: 'failing' });
      expect(await tasks({ state: 'active' })).not.toContain(theirs);
    });

    it('are listed among the others, newest first and in pages', async () => {
      const more = [await stores.join(of), await stores.freshStream(), await stores.join(of)];
      const other = await stores.join(await stores.subscribe());
      const wanted = [other, ...more.reverse(), mine, theirs];
      const seen: string[] = [];
      for (let cursor: string | null = null; ;) {
        const page = await stores.webhooks.search({}, EVERYTHING, 2, cursor);
        seen.push(...page.map(({ taskId }) => taskId));
        cursor = page.at(-1)?.streamId ?? null;
        if (page.length < 2) break;
      }
      expect(seen).toEqual(wanted);
      const [first] = await stores.webhooks.search({ taskId: other }, EVERYTHING, 2, null);
      expect(await stores.webhooks.find(first!.streamId, EVERYTHING)).toEqual(first);
      expect(await tasks({ subscriptionId: of.id })).toHaveLength(3);
    });

    it('are found where they are told now', async () => {
      const moved = { url: 'https://new.example/b', endpoint: 'acme https://new.example:443' };
      await change(moved);
      expect(await tasks({ url: moved.url })).toEqual([theirs]);
      expect(await tasks({ endpoint: moved.endpoint })).toEqual([theirs]);
      expect(await tasks({ url: of.url })).toEqual([]);
      expect(await tasks({ endpoint: of.endpoint })).toEqual([]);
      expect(await tasks({ url: 'https://mine.example/' })).toEqual([mine]);
    });
  });
}
