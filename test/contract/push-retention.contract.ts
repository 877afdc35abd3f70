import { expect, it } from '@jest/globals';
import { deliveryOf, inHand, type PushStores } from '../support/push-stores.js';

const TABLES = ['push_configs', 'push_lanes', 'push_deliveries', 'push_attempts'];
const NOW = new Date(1000);
const LEASE = new Date(60_000);
const CURSOR = { state: 3, unfinished: [] };

/** What webhooks promise when tasks are deleted. */
export function pushRetentionContract(open: () => Promise<PushStores>): void {
  const forget = (stores: PushStores, ...taskIds: string[]): Promise<readonly string[]> =>
    stores.database.write((tx) => stores.lanes.forgetTasks(tx, taskIds));

  /** A task whose only delivery ended so. */
  async function told(stores: PushStores, state: 'delivered' | 'dead' | 'retrying') {
    const taskId = await stores.freshLane();
    const lane = await stores.claimOne(NOW);
    const reached = { nextSeq: 3, cursor: CURSOR, deliveries: [deliveryOf(2)] };
    const step = inHand(await stores.lanes.reach(lane, reached, NOW, LEASE));
    const delivery = (await stores.lanes.firstOpen(step.id))!;
    const attempt = { number: 1, at: NOW, durationMs: 1, status: 200, error: null, response: '' };
    const result =
      state === 'delivered'
        ? { state }
        : state === 'dead'
          ? { state, reason: 'HTTP 500', consequence: 'none' as const }
          : { state, at: LEASE, reason: 'HTTP 500' };
    await stores.lanes.settle(step, { delivery, attempt, result }, NOW, LEASE);
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
    const due = await stores.freshLane();
    expect([...(await forget(stores, retrying, due, done))].sort()).toEqual([retrying, due].sort());
    expect(await counts(stores)).toEqual([2, 2, 1, 1]);
  });
}
