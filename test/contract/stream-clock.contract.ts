import { beforeEach, describe, expect, it } from '@jest/globals';
import { LOG_START } from '../../src/push/delivery/domain/delivery-plan.js';
import type { DeliveryStream } from '../../src/push/delivery/delivery-stream-store.js';
import { type PushStores, deliveryOf, inHand } from '../support/push-stores.js';

const NOW = 10_000_000;
const LEASE_MS = 30_000;
const DAY = 86_400_000;
const WAITS = { longestWaitMs: 60_000, leaseMs: LEASE_MS };

/** That no clock leaves a stream or an endpoint behind, and none ends what is at work. */
export function streamClockContract(open: () => Promise<PushStores>): void {
  let stores: PushStores;
  beforeEach(async () => {
    stores = await open();
  });

  const claim = (owner: string, free: number, now = NOW): Promise<DeliveryStream[]> =>
    stores.streams.claim(owner, new Date(now), LEASE_MS, { free, perEndpoint: 10, total: 200 });

  describe('a clock that is set back', () => {
    const repair = (thorough: boolean, now = NOW): Promise<number> =>
      stores.cleanup.repairTimes(new Date(now), WAITS, thorough);

    it('leaves no new stream waiting for a time to come again', async () => {
      await stores.freshStream({ endpoint: 'a' }, new Date(NOW + 30_000));
      expect(await claim('w', 10)).toEqual([]);
      await repair(true);
      expect(await claim('w', 10)).toHaveLength(1);
    });

    it('leaves no stream waiting longer than any schedule says', async () => {
      await stores.freshStream({ endpoint: 'a' }, new Date(NOW + DAY));
      expect(await repair(false)).toBe(1);
      expect(await claim('w', 10)).toHaveLength(1);
    });

    it('keeps the wait of a stream that is to be tried later', async () => {
      const taskId = await stores.freshStream({ endpoint: 'a' }, new Date(NOW));
      const stream = await stores.claimOne(new Date(NOW));
      const reached = { nextSeq: 3, cursor: LOG_START, deliveries: [deliveryOf(1)] };
      const ready = inHand(
        await stores.streams.advance(stream, reached, new Date(NOW), new Date(NOW + LEASE_MS)),
      );
      const delivery = (await stores.streams.firstOpen(ready.id))!;
      const attempt = {
        number: 1,
        at: new Date(NOW),
        durationMs: 1,
        isRounded: false,
        status: 503,
        error: 'status',
        response: null,
      };
      const result = {
        state: 'retrying',
        at: new Date(NOW + 20_000),
        reason: 'HTTP 503',
      } as const;
      await stores.streams.recordAttempt(
        ready,
        { delivery, attempt, result },
        new Date(NOW),
        new Date(NOW),
      );
      await repair(true);
      expect(await stores.row(taskId)).toMatchObject({ due_at: NOW + 20_000 });
      await repair(true, NOW - DAY);
      expect(await stores.row(taskId)).toMatchObject({ due_at: NOW - DAY + 20_000 });
    });

    it.each([0, 1000, 20_000])('voids no claim by as much as %d ms', async (ms) => {
      const taskId = await stores.freshStream({ endpoint: 'a' }, new Date(NOW));
      const [stream] = await claim('w', 1);
      // Nothing of its first attempt is stored yet.
      const before = await stores.row(taskId);
      expect(before).toMatchObject({ open: 0, due_at: NOW + LEASE_MS });
      await repair(true, NOW - ms);
      expect(await stores.row(taskId)).toEqual(before);
      expect(await stores.streams.isClaimed(stream!)).toBe(true);
      expect(await claim('another', 1, NOW - ms)).toEqual([]);
    });

    it('voids no claim that is longer than every wait', async () => {
      const taskId = await stores.freshStream({ endpoint: 'a' }, new Date(NOW));
      await claim('w', 1);
      const before = await stores.row(taskId);
      const waits = { ...WAITS, longestWaitMs: 1000 };
      expect(await stores.cleanup.repairTimes(new Date(NOW), waits, false)).toBe(0);
      expect(await stores.row(taskId)).toEqual(before);
    });

    it.each([
      [20_000, []],
      [DAY, ['another trial']],
    ])('ends no trial by as much as %d ms', async (ms, expected) => {
      await stores.openEndpoint('acme dead', `${NOW}, NULL`);
      await stores.freshStream({ endpoint: 'acme dead' }, new Date(NOW));
      await stores.freshStream({ endpoint: 'acme dead' }, new Date(NOW));
      expect(await claim('w', 10)).toHaveLength(1);
      await stores.database.write((tx) =>
        tx.run('UPDATE push_endpoints SET updated_at = ?', [NOW]),
      );
      await repair(true, NOW - ms);
      const trials = await claim('another', 10, NOW - ms);
      expect(trials.map(() => 'another trial')).toEqual(expected);
    });

    it('ends leases that outlast every lease', async () => {
      await stores.freshStream({ endpoint: 'a' }, new Date(NOW));
      expect(await claim('dead', 1, NOW + DAY)).toHaveLength(1);
      await repair(false);
      expect(await claim('w', 1)).toHaveLength(1);
    });

    it('has an endpoint tried that was to wait until then', async () => {
      await stores.openEndpoint('acme dead', `${NOW + DAY}, NULL`);
      await stores.freshStream({ endpoint: 'acme dead' }, new Date(NOW));
      expect(await claim('w', 10)).toEqual([]);
      await repair(false);
      expect(await claim('w', 10)).toHaveLength(1);
    });
  });

  describe('an endpoint left alone by a clock that was ahead', () => {
    it('is judged by the probes that follow', async () => {
      await stores.openEndpoint('acme dead', `${NOW + 86_400_000}, NULL`);
      await stores.database.write((tx) =>
        tx.run(
          `UPDATE push_endpoints SET opened_at = ?, failing_since = ?, updated_at = ?`,
          Array<number>(3).fill(NOW + 86_400_000),
        ),
      );
      await stores.freshStream({ endpoint: 'acme dead' }, new Date(NOW));
      await stores.cleanup.repairTimes(new Date(NOW), WAITS, true);
      const [stream] = await claim('w', 1);
      const reached = { nextSeq: 3, cursor: LOG_START, deliveries: [deliveryOf(1)] };
      const until = new Date(NOW + LEASE_MS);
      const ready = inHand(await stores.streams.advance(stream!, reached, new Date(NOW), until));
      const delivery = (await stores.streams.firstOpen(ready.id))!;
      const rest = {
        number: 1,
        at: new Date(NOW),
        durationMs: 1,
        isRounded: false,
        error: null,
        response: null,
      };
      const attemptRecord = {
        delivery,
        attempt: { ...rest, status: 200 },
        outcome: { kind: 'delivered', begunAt: NOW },
        result: { state: 'delivered' },
      } as const;
      await stores.streams.recordAttempt(ready, attemptRecord, new Date(NOW), until);
      const [row] = await stores.database.read('SELECT probe_at, opened_at FROM push_endpoints');
      expect(row).toEqual({ probe_at: null, opened_at: null });
    });
  });
}
