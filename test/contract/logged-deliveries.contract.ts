import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import { TaskState } from '../../src/protocol/a2a.js';
import type { Delivery } from '../../src/push/delivery/delivery.js';
import type { LaneCursor } from '../../src/push/delivery/domain/delivery-plan.js';
import type {
  Lane,
  Settlement,
  StepResult,
} from '../../src/push/delivery/delivery-stream-store.js';
import { loggedDelivery } from '../../src/push/delivery/logged-delivery.js';
import { type PushStores, deliveryOf, inHand } from '../support/push-stores.js';

const NOW = new Date(1_000_000);
const LEASE = new Date(NOW.getTime() + 30_000);
const RETRY = new Date(NOW.getTime() + 5000);
const CURSOR: LaneCursor = { state: TaskState.TASK_STATE_WORKING, unfinished: [] };
const DELIVERED = { state: 'delivered' } as const;
const RETRYING = { state: 'retrying', at: RETRY, reason: 'HTTP 503' } as const;

/** What every `LaneStore` promises of deliveries that are tried before they are stored. */
export function loggedDeliveriesContract(open: () => Promise<PushStores>): void {
  let stores: PushStores;
  beforeEach(async () => {
    stores = await open();
  });

  /** A claimed lane with this many log entries before it. */
  async function claimed(entries: number): Promise<Lane> {
    const taskId = await stores.freshLane({ configId: 'c' });
    await stores.database.write((tx) =>
      stores.lanes.markDue(tx, [{ taskId, seq: entries, when: 'always' }], NOW),
    );
    return stores.claimOne(NOW);
  }

  /** The attempt for the entry at the lane's place, as it is recorded. */
  function attemptOf(lane: Lane, result: Settlement['result'], status = 200): Settlement {
    const seq = lane.nextSeq;
    const deliveries = [deliveryOf(seq)];
    const reached = { nextSeq: seq + 1, cursor: CURSOR, deliveries, asLogged: true };
    const delivery = loggedDelivery(lane, reached, stores.ids.next(), NOW)!;
    const error = status < 300 ? null : 'status';
    const attempt = { number: 1, at: NOW, durationMs: 7, status, error, response: 'ok' };
    return { delivery, reached, attempt, result };
  }

  const settle = (lane: Lane, settlement: Settlement): Promise<StepResult> =>
    stores.lanes.settle(lane, settlement, NOW, LEASE);

  const all = async (): Promise<Delivery[]> =>
    (await stores.deliveries.list({}, EVERYTHING, 100, null)).reverse();

  describe('a delivery that was tried before it was stored', () => {
    it('is stored delivered, with its attempt and without its bytes, and the lane goes on', async () => {
      const lane = await claimed(4);
      const next = inHand(await settle(lane, attemptOf(lane, DELIVERED)));
      expect(next).toMatchObject({ nextSeq: 2, open: 0, lastNumber: 1, cursor: CURSOR });
      const [delivery] = await all();
      expect(delivery).toMatchObject({
        state: 'delivered',
        number: 1,
        seq: 1,
        webhookId: 'cfg.1',
        attempts: 1,
        tries: 1,
        lastStatus: 200,
      });
      expect(await stores.deliveries.attempts(delivery!.id)).toMatchObject([
        { number: 1, at: NOW, durationMs: 7, status: 200, response: 'ok' },
      ]);
      const [row] = await stores.database.read<{ body: string | null }>(
        'SELECT body FROM push_deliveries',
      );
      expect(row?.body).toBeNull();
    });

    it('lets the lane rest when it was the last', async () => {
      const lane = await claimed(2);
      const next = inHand(await settle(lane, attemptOf(lane, DELIVERED)));
      expect(await settle(next, attemptOf(next, DELIVERED))).toBe('rests');
      expect((await all()).map(({ number, seq }) => [number, seq])).toEqual([
        [1, 1],
        [2, 2],
      ]);
      expect(await stores.lanes.nextDueAt(LEASE)).toBeNull();
    });

    it('waits for its next try with the bytes that were sent', async () => {
      const lane = await claimed(4);
      expect(await settle(lane, attemptOf(lane, RETRYING, 503))).toBe('rests');
      expect(await stores.lanes.nextDueAt(NOW)).toEqual(RETRY);
      const again = await stores.claimOne(RETRY);
      expect(again).toMatchObject({ open: 1, nextSeq: 2, lastNumber: 1 });
      expect(await stores.lanes.firstOpen(again.id, again.epoch)).toMatchObject({
        number: 1,
        webhookId: 'cfg.1',
        body: '{"seq":1}',
        contentType: 'application/a2a+json',
        attempts: 1,
        tries: 1,
        nextAttemptAt: RETRY,
        reason: 'HTTP 503',
      });
    });

    it('keeps its bytes as a dead letter, and leaves a gap', async () => {
      const lane = await claimed(4);
      const dead = { state: 'dead', reason: 'no', consequence: 'none' } as const;
      const next = inHand(await settle(lane, attemptOf(lane, dead, 422)));
      expect(next).toMatchObject({ gapSeq: 1, open: 0, nextSeq: 2 });
      const [letter] = await all();
      expect(letter).toMatchObject({ state: 'dead', reason: 'no', rejections: 1 });
      await stores.deliveries.redeliver(letter!.id, EVERYTHING, NOW);
      expect(await stores.lanes.firstOpen(lane.id)).toMatchObject({ body: '{"seq":1}' });
    });

    it('ends its webhook with 410', async () => {
      const lane = await claimed(4);
      const gone = { state: 'dead', reason: 'HTTP 410', consequence: 'disabled' } as const;
      expect(await settle(lane, attemptOf(lane, gone, 410))).toBe('rests');
      expect(await stores.webhooks.ofTask(lane.webhook.taskId, 'c')).toMatchObject({
        state: 'disabled',
      });
      expect((await all()).map(({ state, reason }) => [state, reason])).toEqual([
        ['dead', 'HTTP 410'],
        ['dead', expect.stringMatching(/^the webhook is disabled.*entries 2 to 4/)],
      ]);
    });

    it('is recorded once, also when the answer of the commit was lost', async () => {
      for (const [result, status] of [
        [DELIVERED, 200],
        [RETRYING, 503],
      ] as const) {
        const lane = await claimed(4);
        const settlement = attemptOf(lane, result, status);
        await settle(lane, settlement);
        expect(await settle(lane, settlement)).toBe('lost');
      }
      expect((await all()).map(({ attempts }) => attempts)).toEqual([1, 1]);
    });

    it('is found in the log again, the same, by whoever takes the lane of one that is gone', async () => {
      const lane = await claimed(4);
      const sent = attemptOf(lane, DELIVERED);
      const taken = await stores.claimOne(LEASE, 'w2');
      expect(attemptOf(taken, DELIVERED).delivery).toEqual({
        ...sent.delivery,
        id: expect.any(String),
      });
      expect(await settle(lane, sent)).toBe('lost');
      expect(await all()).toEqual([]);
      inHand(await settle(taken, attemptOf(taken, DELIVERED)));
      expect(await all()).toHaveLength(1);
    });

    it('is recorded when its webhook was paused meanwhile; then the lane rests', async () => {
      const lane = await claimed(4);
      const webhook = (await stores.webhooks.ofTask(lane.webhook.taskId, 'c'))!;
      expect(await stores.lanes.holds(lane)).toBe(true);
      await stores.pause(webhook.uid, EVERYTHING, NOW);
      expect(await stores.lanes.holds(lane)).toBe(false);
      expect(await settle(lane, attemptOf(lane, DELIVERED))).toBe('rests');
      expect((await all()).map(({ state }) => state)).toEqual(['delivered']);
    });

    it('is not recorded under a webhook that was replaced meanwhile', async () => {
      const lane = await claimed(4);
      const draft = stores.draft({ configId: 'c', fingerprint: 'another' });
      await stores.webhooks.set(lane.webhook.taskId, draft, { now: NOW, repeated: 'leave' });
      expect(await stores.lanes.holds(lane)).toBe(false);
      expect(await settle(lane, attemptOf(lane, DELIVERED))).toBe('lost');
      expect(await stores.claimOne(NOW)).toMatchObject({ nextSeq: 1, lastNumber: 0 });
    });

    it('keeps its number from others when the lane is moved back while it is under way', async () => {
      let lane = await claimed(4);
      lane = inHand(await settle(lane, attemptOf(lane, DELIVERED)));
      const second = attemptOf(lane, DELIVERED);
      await stores.webhooks.replay(lane.webhook.uid, EVERYTHING, { sequence: 1 }, NOW);
      expect(await settle(lane, second)).toBe('lost');
      const again = await stores.claimOne(NOW);
      expect(again.nextSeq).toBe(1);
      expect(attemptOf(again, DELIVERED).delivery.number).toBe(second.delivery.number + 1);
    });

    it('lets a redelivery go before what follows in the log', async () => {
      let lane = await claimed(4);
      lane = inHand(await settle(lane, attemptOf(lane, DELIVERED)));
      const [first] = await all();
      await stores.deliveries.redeliver(first!.id, EVERYTHING, NOW);
      lane = inHand(await settle(lane, attemptOf(lane, DELIVERED)));
      expect(lane).toMatchObject({ open: 1, nextSeq: 3 });
      expect(await stores.lanes.firstOpen(lane.id)).toMatchObject({ id: first!.id });
    });
  });
}
