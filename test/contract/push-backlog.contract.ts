import { markDue } from '../../src/push/delivery/persistence/push-append.participant.js';
import { forgetWebhooks } from '../../src/push/delivery/persistence/forget-webhooks.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING, type Visibility } from '../../src/auth/index.js';
import { SqlReceiverStore } from '../../src/push/receivers/persistence/sql-receiver.store.js';
import { REJECTED, REPLAYED } from '../../src/push/delivery/domain/dead-causes.js';
import { LOG_START } from '../../src/push/delivery/domain/delivery-plan.js';
import type { Delivery } from '../../src/push/delivery/delivery.js';
import type { DeliveryStream } from '../../src/push/delivery/delivery-stream-store.js';
import type { DeliveryFilter } from '../../src/push/records/delivery-store.js';
import type { TaskWebhook } from '../../src/push/registration/webhook.js';
import { type PushStores, deliveryOf, inHand } from '../support/push-stores.js';

const NOW = new Date(1_000_000);
const LEASE = new Date(NOW.getTime() + 30_000);
const ALICE = { kind: 'principal', principalId: 'alice', organization: 'acme' } as const;
const DEAD = { state: 'dead' as const, reason: 'HTTP 422', effect: 'none' as const };

function later(ms: number): Date {
  return new Date(NOW.getTime() + ms);
}

/** What is promised of dead letters and of what waits for paused webhooks. */
export function pushBacklogContract(open: () => Promise<PushStores>): void {
  let stores: PushStores;
  beforeEach(async () => {
    stores = await open();
  });

  /** A webhook of a new task with a dead letter for each of these entries. */
  async function deadLetters(
    changes: Parameters<PushStores['freshStream']>[0],
    ...seqs: number[]
  ): Promise<TaskWebhook> {
    await stores.freshStream(changes);
    const claimed = await stores.claimOne(NOW);
    const reached = {
      nextSeq: 9,
      cursor: LOG_START,
      deliveries: seqs.map((seq) => deliveryOf(seq)),
    };
    await refuse(inHand(await stores.streams.advance(claimed, reached, NOW, LEASE)), seqs.length);
    return claimed.webhook;
  }

  /** The receiver refuses the next deliveries of a claimed stream. */
  async function refuse(
    claimed: DeliveryStream,
    times: number,
    result = DEAD,
    at = NOW,
  ): Promise<void> {
    let stream = claimed;
    for (let left = times; left > 0; left--) {
      const delivery = (await stores.streams.firstOpen(stream.id))!;
      const number = delivery.attempts + 1;
      const attempt = {
        number,
        at,
        durationMs: 1,
        isRounded: false,
        status: 422,
        error: null,
        response: '',
      };
      const step = await stores.streams.recordAttempt(
        stream,
        { delivery, attempt, result },
        at,
        new Date(at.getTime() + 30_000),
      );
      if (left > 1) stream = inHand(step);
    }
  }

  const letters = (filter: DeliveryFilter = {}): Promise<Delivery[]> =>
    stores.deliveries.list({ ...filter, state: 'dead' }, EVERYTHING, 100, null);

  const redeliver = (filter: DeliveryFilter, limit = 100, after: string | null = null) =>
    stores.deliveries.redeliverDead(filter, EVERYTHING, limit, NOW, after);

  describe('dead letters', () => {
    it('are found by webhook, endpoint, organization and time', async () => {
      const a = await deadLetters({ configId: 'a' }, 1);
      const b = await deadLetters({ configId: 'b', url: 'https://other.example/x' }, 1);
      const only = async (filter: DeliveryFilter) =>
        (await letters(filter)).map(({ streamId }) => streamId);
      expect(await only({})).toEqual([b.streamId, a.streamId]);
      expect(await only({ configId: 'a' })).toEqual([a.streamId]);
      expect(await only({ configId: b.streamId })).toEqual([b.streamId]);
      expect(await only({ endpoint: 'acme https://other.example' })).toEqual([b.streamId]);
      expect(await only({ organization: 'acme', until: NOW })).toEqual([]);
      expect(await only({ since: NOW, until: later(1) })).toEqual([b.streamId, a.streamId]);
    });

    it('are counted, up to a limit, for whoever may see them', async () => {
      await deadLetters({ configId: 'a' }, 1, 2, 3);
      await deadLetters({ principalId: 'bob', url: 'https://other.example/x' }, 1);
      const count = (filter: DeliveryFilter, most = 9, visibility: Visibility = EVERYTHING) =>
        stores.deliveries.countDead(filter, visibility, most);
      expect(await count({})).toEqual({ count: 4, isLeast: false });
      expect(await count({}, 4)).toEqual({ count: 4, isLeast: false });
      expect(await count({}, 3)).toEqual({ count: 3, isLeast: true });
      expect(await count({ configId: 'a' })).toEqual({ count: 3, isLeast: false });
      expect(await count({ until: NOW })).toEqual({ count: 0, isLeast: false });
      expect(await count({}, 9, ALICE)).toEqual({ count: 3, isLeast: false });
      expect(await count({}, 2, ALICE)).toEqual({ count: 2, isLeast: true });
      const others = { kind: 'organization', organization: 'zeta' } as const;
      expect(await count({}, 9, others)).toEqual({ count: 0, isLeast: false });
      await redeliver({ configId: 'a' });
      expect(await count({})).toEqual({ count: 1, isLeast: false });
    });

    it('are counted by receiver, with why and when, for whoever may see them', async () => {
      await deadLetters({ configId: 'a' }, 1, 2, 3);
      await deadLetters({ principalId: 'bob', url: 'https://other.example/x' }, 1);
      const lost = (most = 9, visibility: Visibility = EVERYTHING, filter: DeliveryFilter = {}) =>
        stores.deliveries.lost(filter, visibility, most);
      const one = { firstAt: NOW, lastAt: NOW };
      const most = {
        ...{ ...one, count: 3, own: 3, rejected: 0, reasons: [{ reason: 'HTTP 422', count: 3 }] },
        endpoint: expect.stringMatching(/^acme /),
      };
      const other = {
        ...{ ...one, count: 1, own: 1, rejected: 0, reasons: [{ reason: 'HTTP 422', count: 1 }] },
        endpoint: 'acme https://other.example',
      };
      expect(await lost()).toEqual({ receivers: [most, other], total: 4, isLeast: false });
      // A receiver's losses are seen with the receiver; the dead letters are whose they are.
      const notOwn = { ...other, own: 0 };
      expect(await lost(9, ALICE)).toEqual({
        receivers: [most, notOwn],
        total: 4,
        isLeast: false,
      });
      const [ofBob] = await letters({ endpoint: other.endpoint });
      expect(await lost(9, ALICE, { taskId: ofBob!.taskId })).toEqual({
        receivers: [],
        total: 0,
        isLeast: false,
      });
      expect(await lost(9, ALICE, { configId: 'a' })).toMatchObject({ receivers: [most] });
      expect(await lost(4)).toMatchObject({ total: 4, isLeast: false });
      expect(await lost(3)).toMatchObject({ total: 3, isLeast: true });
      const nothing = { receivers: [], total: 0, isLeast: false };
      const others = { kind: 'organization', organization: 'zeta' } as const;
      expect(await lost(9, others)).toEqual(nothing);
      expect(await lost(9, EVERYTHING, { since: later(1) })).toEqual(nothing);
      await redeliver({ configId: 'a' });
      expect(await lost()).toEqual({ receivers: [other], total: 1, isLeast: false });
    });

    it('are lost unless the owner of the webhook ended them, and rejected only by the receiver', async () => {
      const lost = (most = 9) => stores.deliveries.lost({}, EVERYTHING, most);
      const url = 'https://gone.example/x';
      const taskId = await stores.freshStream({ configId: 'gone', url });
      const { streamId } = (await stores.webhooks.ofTask(taskId, 'gone'))!;
      await stores.drop(streamId, EVERYTHING, NOW);
      expect(await letters({ endpoint: 'acme https://gone.example' })).not.toEqual([]);
      expect(await lost()).toEqual({ receivers: [], total: 0, isLeast: false });
      await deadLetters({ configId: 'a' }, 1, 2);
      await redeliver({ configId: 'a' }, 1);
      const reason = `HTTP 422: ${REJECTED}`;
      await refuse(await stores.claimOne(NOW), 1, { ...DEAD, reason });
      const { receivers, total } = await lost();
      expect(receivers).toMatchObject([{ count: 2, rejected: 1 }]);
      expect(total).toBe(2);
      expect(receivers[0]!.reasons).toContainEqual({ reason, count: 1 });
      expect(await lost(2)).toMatchObject({ total: 2, isLeast: false });
    });

    it('are not crowded out by newer ones that the owner of a webhook ended', async () => {
      await deadLetters({ configId: 'a' }, 1, 2);
      for (const configId of ['b', 'c', 'd']) {
        const taskId = await stores.freshStream({ configId, url: 'https://gone.example/x' });
        const { streamId } = (await stores.webhooks.ofTask(taskId, configId))!;
        await stores.drop(streamId, EVERYTHING, later(5));
      }
      expect(await letters()).toHaveLength(5);
      for (const visibility of [EVERYTHING, ALICE]) {
        const found = await stores.deliveries.lost({}, visibility, 2);
        expect(found).toMatchObject({ receivers: [{ count: 2 }], total: 2, isLeast: false });
      }
      expect(await stores.deliveries.lost({}, EVERYTHING, 1)).toMatchObject({ isLeast: true });
      for (const organization of [null, 'acme']) {
        expect(await stores.deliveries.backlog(organization, 2)).toMatchObject({ deadLetters: 2 });
      }
      expect((await stores.deliveries.countDead({}, EVERYTHING, 9)).count).toBe(5);
    });

    it('are lost at the time they were given up, however long ago they were made', async () => {
      await deadLetters({ configId: 'old' }, 1);
      await deadLetters({ configId: 'again', url: 'https://other.example/x' }, 1);
      const hour = 3_600_000;
      await redeliver({});
      for (const after of [28 * hour, 700 * hour]) {
        await refuse(await stores.claimOne(later(after)), 1, DEAD, later(after));
      }
      const lost = async (since: number, until: number) => {
        const times = { since: later(since), until: later(until) };
        return (await stores.deliveries.lost(times, EVERYTHING, 9)).receivers;
      };
      const [first] = await lost(4 * hour, 28 * hour + 1);
      expect(first).toMatchObject({ firstAt: later(28 * hour), lastAt: later(28 * hour) });
      expect(await lost(28 * hour + 1, 700 * hour)).toEqual([]);
      expect(await lost(0, 28 * hour)).toEqual([]);
      expect(await lost(676 * hour, 701 * hour)).toMatchObject([{ count: 1 }]);
      const of = { endpoint: first!.endpoint, since: later(4 * hour) };
      expect(await stores.deliveries.lost(of, EVERYTHING, 9)).toMatchObject({ total: 1 });
    });

    it('that a replay sends again are not sent by both', async () => {
      await deadLetters({}, 1, 2);
      await stores.database.write((tx) =>
        tx.run('UPDATE push_deliveries SET reason = ? WHERE seq = 2', [REPLAYED]),
      );
      expect(await redeliver({})).toEqual({ count: 1, last: null });
      expect((await letters()).map(({ seq, reason }) => [seq, reason])).toEqual([[2, REPLAYED]]);
      const [replayed] = await letters();
      expect(await redeliver({ ids: [replayed!.id] })).toEqual({ count: 0, last: null });
      expect(await stores.deliveries.redeliver(replayed!.id, EVERYTHING, NOW)).toMatchObject({
        state: 'pending',
      });
    });

    it('are sent again in their order, as many as asked for, the oldest first', async () => {
      const webhook = await deadLetters({}, 1, 2, 3);
      expect(await redeliver({}, 2)).toEqual({ count: 2, last: expect.any(String) });
      const stream = await stores.claimOne(NOW);
      expect(stream).toMatchObject({ open: 2, gapSeq: 1 });
      expect(await stores.streams.firstOpen(stream.id)).toMatchObject({
        seq: 1,
        redelivered: true,
      });
      expect(await redeliver({ configId: webhook.streamId })).toEqual({ count: 1, last: null });
      expect(await redeliver({})).toEqual({ count: 0, last: null });
      expect(await letters()).toEqual([]);
    });

    it('that are given up again are behind those that go on after them', async () => {
      await deadLetters({}, 1, 2, 3);
      const ids = (await letters()).map(({ id }) => id).toSorted();
      const taken: string[] = [];
      let after: string | null = null;
      do {
        const { count, last } = await redeliver({}, 1, after);
        expect(count).toBe(taken.length < ids.length ? 1 : 0);
        if (count === 1) {
          const stream = await stores.claimOne(NOW);
          taken.push((await stores.streams.firstOpen(stream.id))!.id);
          await refuse(stream, 1);
        }
        after = last;
      } while (after !== null);
      expect(taken).toEqual(ids);
      expect(await letters()).toHaveLength(3);
    });

    it('are purged behind those that came before', async () => {
      await deadLetters({}, 1, 2, 3);
      const [first] = (await letters()).map(({ id }) => id).toSorted();
      const purge = (limit: number) => stores.deliveries.purgeDead({}, EVERYTHING, limit, first);
      expect(await purge(1)).toEqual({ count: 1, last: expect.any(String) });
      expect(await purge(100)).toEqual({ count: 1, last: null });
      expect((await letters()).map(({ id }) => id)).toEqual([first]);
    });

    it('are sent again only by those who may see them', async () => {
      await deadLetters({ principalId: 'bob' }, 1);
      const mine = await stores.deliveries.redeliverDead({}, ALICE, 100, NOW);
      expect(mine).toEqual({ count: 0, last: null });
      expect(await letters()).toHaveLength(1);
    });

    it('of webhooks that are gone are passed over', async () => {
      const gone = await deadLetters({}, 1);
      await deadLetters({ url: 'https://other.example/x' }, 1);
      await stores.drop(gone.streamId, EVERYTHING, NOW);
      expect(await redeliver({})).toEqual({ count: 1, last: null });
      expect((await letters()).map(({ streamId }) => streamId)).toEqual([gone.streamId]);
    });

    it('are purged with their attempts, only those that may be seen', async () => {
      const webhook = await deadLetters({}, 1, 2);
      await deadLetters({ principalId: 'bob', url: 'https://other.example/x' }, 1);
      const [newest] = await letters({ configId: webhook.streamId });
      const purge = (filter: DeliveryFilter) => stores.deliveries.purgeDead(filter, ALICE, 100);
      expect(await purge({ ids: [newest!.id] })).toEqual({ count: 1, last: null });
      expect(await stores.deliveries.attempts(newest!.id)).toEqual([]);
      expect(await purge({})).toEqual({ count: 1, last: null });
      expect((await letters()).map(({ principalId }) => principalId)).toEqual(['bob']);
    });

    it('are counted without tests of webhooks that failed, everywhere alike', async () => {
      const webhook = await deadLetters({}, 1);
      await stores.webhooks.recordTest(webhook, {
        id: 'failed',
        seq: 0,
        webhookId: 'test.1',
        delivered: false,
        attempt: {
          number: 1,
          at: NOW,
          durationMs: 1,
          isRounded: false,
          status: 500,
          error: null,
          response: '',
        },
        reason: 'HTTP 500',
      });
      expect((await letters()).map(({ kind }) => kind).sort()).toEqual(['event', 'test']);
      expect((await stores.deliveries.backlog(null, 10)).deadLetters).toBe(1);
      expect((await stores.deliveries.countDead({}, EVERYTHING, 10)).count).toBe(1);
      expect((await stores.streams.load()).deadLetters).toBe(1);
    });

    it('go after their time', async () => {
      await deadLetters({}, 1, 2);
      expect(await stores.retention.pruneDead(NOW, 10)).toBe(0);
      expect(await stores.retention.pruneDead(later(1), 1)).toBe(1);
      expect(await stores.retention.pruneDead(later(1), 10)).toBe(1);
      expect(await stores.database.read('SELECT * FROM push_attempts')).toEqual([]);
    });
  });

  describe('the backlog of a paused webhook', () => {
    /** A paused webhook that has entry 1 in hand and 2 to 4 in the log, one of them young. */
    async function paused(): Promise<TaskWebhook> {
      const taskId = await stores.freshStream();
      const stream = await stores.claimOne(NOW);
      const reached = { nextSeq: 2, cursor: LOG_START, deliveries: [deliveryOf(1)] };
      await stores.streams.advance(stream, reached, NOW, LEASE);
      await stores.streams.release(stream, NOW);
      await stores.pause(stream.webhook.streamId, EVERYTHING, NOW);
      for (const [seq, at] of [
        [2, 0],
        [3, 0],
        [4, 5000],
      ] as const) {
        await stores.database.write((tx) =>
          tx.run('INSERT INTO task_events (task_id, seq, kind, at, body) VALUES (?, ?, ?, ?, ?)', [
            taskId,
            seq,
            'status',
            later(at).getTime(),
            '{}',
          ]),
        );
      }
      await stores.database.write((tx) => markDue(tx, [{ taskId, seq: 4, when: 'always' }], NOW));
      return stream.webhook;
    }

    it('keeps the task', async () => {
      const { taskId } = await paused();
      const forget = () => stores.database.write((tx) => forgetWebhooks(tx, [taskId]));
      expect(await forget()).toEqual([taskId]);
      await stores.retention.expireBacklog(later(9000), NOW, '');
      expect(await forget()).toEqual([]);
    });

    it('ends as dead letters when it is too old, and the rest is told with a gap', async () => {
      const webhook = await paused();
      expect(await stores.retention.expireBacklog(NOW, NOW, '')).toEqual({
        streams: 0,
        next: null,
      });
      expect(await stores.retention.expireBacklog(later(1), later(9000), '')).toEqual({
        streams: 1,
        next: null,
      });
      expect(await stores.retention.expireBacklog(later(1), later(9000), '')).toEqual({
        streams: 0,
        next: null,
      });
      const found = await letters();
      expect(found.map(({ kind, seq, number }) => [kind, seq, number])).toEqual([
        ['snapshot', 3, 2],
        ['event', 1, 1],
      ]);
      expect(found[0]!.reason).toContain('entries 2 to 3');
      await stores.resume(webhook.streamId, EVERYTHING, NOW);
      expect(await stores.claimOne(NOW)).toMatchObject({ nextSeq: 4, open: 0, gapSeq: 1 });
    });

    it('is as young as the moment in which a dead letter was put back', async () => {
      const { streamId, taskId } = await deadLetters({}, 1);
      const [letter] = await letters();
      await stores.pause(streamId, EVERYTHING, NOW);
      await stores.deliveries.redeliver(letter!.id, EVERYTHING, later(8000));
      expect(await stores.retention.expireBacklog(later(7000), later(9000), '')).toEqual({
        streams: 0,
        next: null,
      });
      expect(await stores.row(taskId)).toMatchObject({ open: 1 });
      expect(await stores.retention.expireBacklog(later(8001), later(9000), '')).toEqual({
        streams: 1,
        next: null,
      });
    });

    it('of a webhook that is told is nobody’s business here', async () => {
      const webhook = await paused();
      await stores.resume(webhook.streamId, EVERYTHING, NOW);
      expect(await stores.retention.expireBacklog(later(9000), NOW, '')).toEqual({
        streams: 0,
        next: null,
      });
    });
  });

  describe('what waits for a receiver that has to agree first', () => {
    const REQUIRED = {
      mode: 'required',
      receiver: { requestsPerMinute: 9, bytesPerMinute: 9 },
      principal: { requestsPerMinute: 9, bytesPerMinute: 9 },
      receiversPerPrincipal: 9,
    } as const;

    /** A webhook of a task with entries 1 to 3, of which the first is a delivery; held since `NOW`. */
    async function held(changes: Parameters<PushStores['freshStream']>[0] = {}) {
      await stores.freshStream(changes);
      const claimed = await stores.claimOne(NOW);
      const reached = { nextSeq: 2, cursor: LOG_START, deliveries: [deliveryOf(1)] };
      const stream = inHand(await stores.streams.advance(claimed, reached, NOW, LEASE));
      const { taskId, endpoint, principalId } = stream.webhook;
      for (const seq of [1, 2, 3]) {
        await stores.database.write((tx) =>
          tx.run('INSERT INTO task_events (task_id, seq, kind, at, body) VALUES (?, ?, ?, ?, ?)', [
            taskId,
            seq,
            'status',
            later(seq === 3 ? 8000 : 0).getTime(),
            '{}',
          ]),
        );
      }
      await stores.database.write((tx) => markDue(tx, [{ taskId, seq: 3, when: 'always' }], NOW));
      const receivers = new SqlReceiverStore(stores.database);
      await receivers.admit({ endpoint, principalId }, 1, REQUIRED, NOW, false);
      await stores.streams.postpone({ ...stream, dueSince: NOW }, later(1000), NOW);
      return { ...stream.webhook, receivers };
    }

    async function expire(before: Date, now = later(9000)): Promise<number> {
      let streams = 0;
      for (let after: string | null = ''; after !== null;) {
        const piece = await stores.retention.expireHeld(before, now, after);
        streams += piece.streams;
        after = piece.next;
      }
      return streams;
    }

    it('ends as dead letters when it is too old; what is younger waits on', async () => {
      const { taskId } = await held();
      await held({ url: 'https://other.example/x' });
      expect(await expire(NOW)).toBe(0);
      expect(await expire(later(1))).toBe(2);
      expect(await expire(later(1))).toBe(0);
      const found = await stores.deliveries.list({ taskId }, EVERYTHING, 10, null);
      expect(found.map(({ kind, seq, state }) => [kind, seq, state])).toEqual([
        ['snapshot', 2, 'dead'],
        ['event', 1, 'dead'],
      ]);
      expect(found[1]!.reason).toBe('the receiver has not agreed to be called for too long');
      expect(await stores.row(taskId)).toMatchObject({ open: 0, active: 1 });
      const forget = () => stores.database.write((tx) => forgetWebhooks(tx, [taskId]));
      expect(await forget()).toEqual([taskId]);
      expect(await expire(later(8001))).toBe(2);
      expect(await stores.row(taskId)).toMatchObject({ due_at: null });
      expect(await forget()).toEqual([]);
    });

    it('waits on where its receiver has agreed, was not held of late, or is being sent to', async () => {
      const { endpoint, receivers } = await held();
      expect(await expire(later(9000), later(4_000_000))).toBe(0);
      const [claimed] = await stores.streams.claim('w1', later(2000), 30_000, {
        free: 9,
        perEndpoint: 9,
      });
      expect(claimed).toBeDefined();
      expect(await expire(later(9000))).toBe(0);
      await stores.streams.postpone(claimed!, later(3000), later(2000));
      await receivers.verify(endpoint, later(2000));
      expect(await expire(later(9000))).toBe(0);
    });
  });
}
