import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import { TaskState } from '../../src/protocol/a2a.js';
import { NOW, type SubscriptionStores } from '../support/subscription-stores.js';

const LATER = new Date(NOW.getTime() + 60_000);
const OF_ACME = { kind: 'organization', organization: 'acme' } as const;
const OF_BOB = { kind: 'principal', principalId: 'bob', organization: 'acme' } as const;

/** What every `WebhookStore` promises. */
export function subscriptionStoreContract(open: () => Promise<SubscriptionStores>): void {
  let stores: SubscriptionStores;
  beforeEach(async () => {
    stores = await open();
  });

  describe('WebhookStore', () => {
    it('gives back all that was stored, and raises its revision with each change', async () => {
      const before = await stores.subscriptions.revision();
      const filter = { agents: ['a'], tags: ['t'], states: [TaskState.TASK_STATE_COMPLETED] };
      const wanted = stores.wanted({ name: 'Ledger', filter, sealedSigningKeys: 'plain:whsec_x' });
      const made = await stores.subscriptions.create(wanted, 1, NOW);
      expect(made).toEqual({
        ...wanted,
        taskId: null,
        configId: null,
        setBy: null,
        state: 'active',
        stateReason: null,
        createdAt: NOW,
        updatedAt: NOW,
      });
      expect(await stores.subscriptions.get(made.id, EVERYTHING)).toEqual(made);
      expect(await stores.subscriptions.all()).toEqual([made]);
      const created = await stores.subscriptions.revision();
      expect(created).toBeGreaterThan(before);
      await stores.webhooks.update(made.id, EVERYTHING, () => ({ name: null }), LATER);
      expect(await stores.subscriptions.revision()).toBeGreaterThan(created);
    });

    it('shows nobody what is not theirs, and changes nothing of it', async () => {
      const { id } = await stores.subscribe();
      for (const stranger of [OF_BOB, { ...OF_ACME, organization: 'evil' }]) {
        expect(await stores.subscriptions.get(id, stranger)).toBeUndefined();
        expect(await stores.subscriptions.list({}, stranger, 10, null)).toEqual([]);
        expect(
          await stores.webhooks.update(id, stranger, () => ({ name: 'x' }), NOW),
        ).toBeUndefined();
        expect(await stores.webhooks.remove(id, stranger, () => undefined, NOW)).toBe(false);
      }
      expect(await stores.subscriptions.get(id, OF_ACME)).toMatchObject({ id, name: null });
    });

    it('lists by age in pages, by organization and state', async () => {
      const [one, two] = [await stores.subscribe(), await stores.subscribe()];
      const other = await stores.subscribe({ organization: 'evil' });
      await stores.webhooks.update(two.id, EVERYTHING, () => ({ state: 'paused' }), NOW);
      const ids = async (
        ...args: Parameters<typeof stores.subscriptions.list>
      ): Promise<string[]> => (await stores.subscriptions.list(...args)).map(({ id }) => id);
      expect(await ids({}, EVERYTHING, 2, null)).toEqual([one.id, two.id]);
      expect(await ids({}, EVERYTHING, 2, two.id)).toEqual([other.id]);
      expect(await ids({ state: 'paused' }, OF_ACME, 9, null)).toEqual([two.id]);
      expect(await ids({ organization: 'evil' }, EVERYTHING, 9, null)).toEqual([other.id]);
      const endpoint = 'acme https://elsewhere.example:443';
      const elsewhere = await stores.subscribe({ endpoint });
      expect(await ids({ endpoint }, EVERYTHING, 9, null)).toEqual([elsewhere.id]);
      expect(await ids({ endpoint }, OF_BOB, 9, null)).toEqual([]);
    });

    it('refuses an id that is taken, and more than an organization may have', async () => {
      const { id } = await stores.subscribe();
      await expect(stores.subscribe({ id })).rejects.toMatchObject({ reason: 'CONFLICT' });
      await expect(stores.subscriptions.create(stores.wanted(), 1, NOW)).rejects.toMatchObject({
        reason: 'INVALID_PARAMS',
        violations: [{ field: 'organization' }],
      });
      await stores.subscriptions.create(stores.wanted({ organization: 'evil' }), 1, NOW);
      await stores.subscriptions.create(
        stores.wanted({ id: 'declared', source: 'config' }),
        1,
        NOW,
      );
    });

    it('changes nothing when the decision is to refuse', async () => {
      const { id } = await stores.subscribe();
      const refuse = (): never => {
        throw new Error('no');
      };
      await expect(stores.webhooks.update(id, EVERYTHING, refuse, NOW)).rejects.toThrow('no');
      await expect(stores.webhooks.remove(id, EVERYTHING, refuse, NOW)).rejects.toThrow('no');
      expect(await stores.subscriptions.get(id, EVERYTHING)).toBeDefined();
    });
  });
}
