import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DeliveryStream } from '../../src/push/delivery/delivery-stream-store.js';
import type { OwnPermits } from '../../src/push/delivery/domain/stream-choice.js';
import type { PushStores } from '../support/push-stores.js';

const NOW = 10_000_000;
const LEASE_MS = 30_000;
const PER_ENDPOINT = 10;

/** Streams that are leased to wait for a permit: more than may be sent, never more sent than may be. */
export function prefetchContract(open: () => Promise<PushStores>): void {
  let stores: PushStores;
  beforeEach(async () => {
    stores = await open();
  });

  const claim = (
    owner: string,
    own: OwnPermits | undefined,
    free = 100,
  ): Promise<DeliveryStream[]> => {
    const caps = { free, perEndpoint: PER_ENDPOINT, total: 200, ...(own && { own }) };
    return stores.streams.claim(owner, new Date(NOW), LEASE_MS, caps);
  };

  /** A process that sends so many of the endpoint's streams, and may lease so many more. */
  const having = (permits: number, prefetch: number): OwnPermits => ({
    at: () => permits,
    prefetchOf: () => prefetch,
    prefetchLeft: 2000,
  });

  const proven = (endpoint: string, columns = '10, 1, NULL'): Promise<unknown> =>
    stores.database.write((tx) =>
      tx.run(
        `INSERT INTO push_endpoints (endpoint, organization, state, failures, probes, enqueues,
           created_at, updated_at, concurrency, last_success_at, probe_at)
         VALUES (?, 'acme', 'healthy', 0, 0, 0, 0, 0, ${columns})`,
        [endpoint],
      ),
    );

  async function backlog(endpoint: string, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      await stores.freshStream({ endpoint }, new Date(NOW - 1000 + i));
    }
  }

  const dueTimes = (streams: readonly DeliveryStream[]): number[] =>
    streams.map(({ dueSince }) => dueSince!.getTime() - NOW + 1000);
  const split = (streams: readonly DeliveryStream[]): [number, number] => {
    const waiting = streams.filter(({ isPrefetched }) => isPrefetched).length;
    return [streams.length - waiting, waiting];
  };

  describe('prefetching', () => {
    it('leases a bounded number of streams ahead, however many endpoints answer', async () => {
      for (const name of ['a', 'b', 'c', 'd']) {
        await proven(`acme ${name}`);
        await backlog(`acme ${name}`, 70);
      }
      let ahead = 0;
      for (let claims = 0; claims < 4; claims++) {
        const [, waiting] = split(await claim('w', having(0, 64)));
        expect(waiting).toBeLessThanOrEqual(128);
        ahead += waiting;
      }
      expect(ahead).toBeGreaterThan(0);
    });

    it('leases the next streams of an endpoint that answers, longest due first', async () => {
      await proven('acme a');
      await backlog('acme a', 20);
      const first = await claim('w', having(0, 5));
      expect(split(first)).toEqual([10, 5]);
      expect(dueTimes(first)).toEqual(Array.from({ length: 15 }, (_, i) => i));
      expect(first.slice(10).every(({ isPrefetched }) => isPrefetched)).toBe(true);
      // All permits are in use, yet more may wait for them.
      expect(split(await claim('w', having(10, 2)))).toEqual([0, 2]);
      // Three of the permits ended.
      expect(split(await claim('w', having(7, 0)))).toEqual([3, 0]);
    });

    it('goes on with the queue of the endpoint', async () => {
      await proven('acme a');
      await backlog('acme a', 90);
      // More than one claim looks at: what is left is queued.
      expect(split(await claim('w', having(0, 4), 10))).toEqual([10, 4]);
      const next = await claim('w', having(10, 6), 10);
      expect(split(next)).toEqual([0, 6]);
      expect(dueTimes(next)).toEqual([14, 15, 16, 17, 18, 19]);
    });

    it('counts as sending for every other process', async () => {
      await proven('acme a');
      await backlog('acme a', 30);
      expect(split(await claim('w', having(0, 5), 4))).toEqual([4, 5]);
      expect(split(await claim('other', having(0, 5)))).toEqual([1, 5]);
      expect(await claim('third', having(0, 5))).toEqual([]);
      // Of the ten, the other one has leased six.
      expect(split(await claim('w', having(4, 0)))).toEqual([0, 0]);
      expect(split(await claim('w', having(2, 0)))).toEqual([2, 0]);
    });

    it('is none where nothing of the endpoint is sent', async () => {
      await proven('acme a');
      await backlog('acme a', 3);
      await claim('w', undefined);
      await backlog('acme a', 20);
      await stores.database.write((tx) =>
        tx.run(`UPDATE push_delivery_streams SET owner = 'other' WHERE owner = 'w'`),
      );
      expect(split(await claim('w', having(0, 5), 0))).toEqual([0, 0]);
    });

    it.each([
      ['never answered', '10, NULL, NULL'],
      ['may not have all permits yet', '4, 1, NULL'],
      ['has an open breaker', `10, 1, ${NOW - 1}`],
    ])('is none of an endpoint that %s', async (_, columns) => {
      await proven('acme a', columns);
      await backlog('acme a', 20);
      const [, waiting] = split(await claim('w', having(0, 5)));
      expect(waiting).toBe(0);
    });
  });
}
