import { markDue } from '../../src/push/delivery/persistence/push-append.participant.js';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import type { Tx, Work } from '../../src/database/sql.js';
import { LOG_START } from '../../src/push/delivery/domain/delivery-plan.js';
import { deliveryOf, inHand } from '../support/push-stores.js';
import { LEASE, NOW, type SubscriptionStores } from '../support/subscription-stores.js';

/** How the works of webhooks keep out of each other's way where several run at once. */
export function pushLocksContract(open: () => Promise<SubscriptionStores>): void {
  let stores: SubscriptionStores;
  beforeEach(async () => {
    stores = await open();
  });

  /** Lets the others go on meanwhile; where works run one by one there are none. */
  function* rest(tx: Tx, seconds: number): Work<void> {
    if (tx.dialect === 'postgres') yield* tx.all('SELECT pg_sleep(?)', [seconds]);
  }

  function* hold(tx: Tx, streamId: string): Work<void> {
    yield* tx.run('UPDATE push_delivery_streams SET updated_at = updated_at WHERE id = ?', [
      streamId,
    ]);
  }

  async function streamIdOf(taskId: string): Promise<string> {
    return (await stores.row(taskId))!['id'] as string;
  }

  it('marks the streams of many tasks in the order in which everybody locks streams', async () => {
    const tasks = [await stores.freshStream(), await stores.freshStream()];
    const streams = [await streamIdOf(tasks[0]!), await streamIdOf(tasks[1]!)].sort();
    // Its row now lies behind the other's.
    await stores.database.write((tx) => hold(tx, streams[0]!));
    const marks = [...tasks]
      .reverse()
      .map((taskId) => ({ taskId, seq: 5, when: 'always' as const }));
    let runs = 0;
    const locker = stores.database.write(function* (tx) {
      runs += 1;
      yield* hold(tx, streams[0]!);
      yield* rest(tx, 0.4);
      yield* hold(tx, streams[1]!);
    });
    const marker = stores.database.write(function* (tx) {
      runs += 1;
      yield* rest(tx, 0.15);
      return yield* markDue(tx, marks, NOW);
    });
    await locker;
    expect(await marker).toBe(2);
    expect(runs).toBe(2);
  });

  it('brings streams in line with their subscription one lock piece to a transaction', async () => {
    const of = await stores.subscribe();
    for (let i = 0; i < 3; i += 1) await stores.join(of);
    const write = jest.spyOn(stores.database, 'write');
    await stores.subscriptionStreams.reconcile(of.id, null, 3, NOW);
    expect(write).toHaveBeenCalledTimes(2);
    write.mockRestore();
  });

  describe('dead letters sent again', () => {
    /** A webhook with dead letters of entries 1 to `count`; its stream. */
    async function dead(count: number): Promise<string> {
      const taskId = await stores.freshStream();
      const [stream] = await stores.claimAll();
      const deliveries = Array.from({ length: count }, (_, i) => deliveryOf(i + 1));
      const reached = { nextSeq: count + 1, cursor: LOG_START, deliveries };
      const { id } = inHand(await stores.streams.advance(stream!, reached, NOW, LEASE));
      await stores.database.write(function* (tx) {
        yield* tx.run("UPDATE push_deliveries SET state = 'dead' WHERE stream_id = ?", [id]);
        yield* tx.run(
          `UPDATE push_delivery_streams SET open = 0, due_at = NULL, lease_until = NULL WHERE task_id = ?`,
          [taskId],
        );
      });
      return id;
    }

    it('are all sent, whatever becomes of a webhook among them meanwhile', async () => {
      const given = await dead(1);
      await dead(100);
      const disabling = stores.database.write(function* (tx) {
        yield* tx.run('UPDATE push_delivery_streams SET active = 0 WHERE id = ?', [given]);
        yield* rest(tx, 0.4);
      });
      await stores.database.write((tx) => rest(tx, 0.15));
      const sent = stores.deliveries.redeliverDead({}, EVERYTHING, 1000, NOW);
      await disabling;
      expect(await sent).toEqual({ count: 100, last: null });
    });
  });
}
