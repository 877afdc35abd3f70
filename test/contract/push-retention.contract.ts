import { forgetWebhooks } from '../../src/push/delivery/persistence/forget-webhooks.js';
import { expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import { deliveryOf, inHand, type PushStores } from '../support/push-stores.js';

const TABLES = ['push_webhooks', 'push_delivery_streams', 'push_deliveries', 'push_attempts'];
const NOW = new Date(1000);
const LEASE = new Date(60_000);
const CURSOR = { state: 3, unfinished: [] };

/** What webhooks promise when tasks are deleted. */
export function pushRetentionContract(open: () => Promise<PushStores>): void {
  const forget = (stores: PushStores, ...taskIds: string[]): Promise<readonly string[]> =>
    stores.database.write((tx) => forgetWebhooks(tx, taskIds));

  /** A task whose only delivery ended so. */
  async function told(stores: PushStores, state: 'delivered' | 'dead' | 'retrying') {
    const taskId = await stores.freshStream();
    const stream = await stores.claimOne(NOW);
    const reached = { nextSeq: 3, cursor: CURSOR, deliveries: [deliveryOf(2)] };
    const step = inHand(await stores.streams.advance(stream, reached, NOW, LEASE));
    const delivery = (await stores.streams.firstOpen(step.id))!;
    const attempt = {
      number: 1,
      at: NOW,
      durationMs: 1,
      isRounded: false,
      status: 200,
      error: null,
      response: '',
    };
    const result =
      state === 'delivered'
        ? { state }
        : state === 'dead'
          ? { state, reason: 'HTTP 500', effect: 'none' as const }
          : { state, at: LEASE, reason: 'HTTP 500' };
    await stores.streams.recordAttempt(step, { delivery, attempt, result }, NOW, LEASE);
    return taskId;
  }

  async function counts(stores: PushStores): Promise<number[]> {
    return Promise.all(
      TABLES.map(async (table) => (await stores.database.read(`SELECT * FROM ${table}`)).length),
    );
  }

  it('go with their task once everything is told, dead letters too', async () => {
    const stores = await open();
    const gone = [await told(stores, 'delivered'), await told(stores, 'dead')];
    const other = await told(stores, 'delivered');
    expect(await counts(stores)).toEqual([3, 3, 3, 3]);
    expect(await forget(stores, ...gone, 'without webhooks')).toEqual([]);
    expect(await counts(stores)).toEqual([1, 1, 1, 1]);
    expect(await stores.row(other)).toBeDefined();
  });

  it('keep a task that has something left to tell', async () => {
    const stores = await open();
    const retrying = await told(stores, 'retrying');
    const done = await told(stores, 'delivered');
    const due = await stores.freshStream();
    expect([...(await forget(stores, retrying, due, done))].sort()).toEqual([retrying, due].sort());
    expect(await counts(stores)).toEqual([2, 2, 1, 1]);
  });

  it('keep a delivery that is sent again in the very moment it is pruned', async () => {
    const stores = await open();
    const { database } = stores;
    const taskId = await told(stores, 'delivered');
    const [delivery] = await stores.deliveries.list({ taskId }, EVERYTHING, 1, null);
    const { id, streamId } = delivery!;
    let pruned: Promise<number> | undefined;
    await database.write(function* (tx) {
      yield* tx.run('UPDATE push_delivery_streams SET open = 1, due_at = 1 WHERE id = ?', [
        streamId,
      ]);
      yield* tx.run(`UPDATE push_deliveries SET state = 'pending', updated_at = ? WHERE id = ?`, [
        LEASE.getTime(),
        id,
      ]);
      pruned ??= stores.cleanup.prune(LEASE, 10);
      // Time for the other to come as far as this row.
      if (database.dialect === 'postgres') yield* tx.all('SELECT pg_sleep(0.3)');
    });
    await pruned;
    const stream = await stores.claimOne(LEASE);
    expect(await stores.streams.firstOpen(stream.id, stream.epoch)).toMatchObject({ id });
  });

  it('look only at what was made before that time, however much is kept', async () => {
    const stores = await open();
    const taskId = await told(stores, 'delivered');
    const late = 'ffffffff-ffff-7000-8000-000000000000';
    await stores.database.write((tx) => tx.run('UPDATE push_deliveries SET id = ?', [late]));
    await stores.cleanup.prune(LEASE, 10);
    const kept = await stores.deliveries.list({ taskId }, EVERYTHING, 1, null);
    expect(kept.map(({ id }) => id)).toEqual([late]);
  });

  it('leave no stream behind that counts a delivery nobody finds', async () => {
    const stores = await open();
    const taskId = await told(stores, 'retrying');
    await stores.database.write((tx) => tx.run('DELETE FROM push_deliveries'));
    const stream = await stores.claimOne(LEASE);
    expect(stream.open).toBe(1);
    const after = new Date(LEASE.getTime() + 60_000);
    expect(await stores.streams.recount({ ...stream, epoch: 0 }, LEASE, after)).toBe('lost');
    expect(await stores.streams.recount(stream, LEASE, after)).toBe('idle');
    expect(await stores.row(taskId)).toMatchObject({ open: 0, due_at: null, lease_until: null });
  });

  it('leave a stream to its owner who still works on it when the lease is over', async () => {
    const stores = await open();
    await stores.freshStream();
    const stream = await stores.claimOne(NOW);
    const again = (except: string[]) =>
      stores.streams.claim('w1', LEASE, 30_000, { free: 1, perEndpoint: 10 }, except);
    expect(await again([stream.id])).toEqual([]);
    expect(await again(['another'])).toHaveLength(1);
  });
}
