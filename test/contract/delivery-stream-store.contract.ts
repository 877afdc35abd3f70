import {
  type DueMark,
  markDue,
} from '../../src/push/delivery/persistence/push-append.participant.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING, type Visibility } from '../../src/auth/index.js';
import { TaskState } from '../../src/protocol/a2a.js';
import type { StreamCursor } from '../../src/push/delivery/domain/delivery-plan.js';
import type {
  DeliveryStream,
  AttemptRecord,
  StepResult,
} from '../../src/push/delivery/delivery-stream-store.js';
import { type PushStores, deliveryOf, inHand } from '../support/push-stores.js';

const NOW = new Date(1_000_000);
const LEASE = new Date(NOW.getTime() + 30_000);
const WORKING: StreamCursor = {
  state: TaskState.TASK_STATE_WORKING,
  unfinished: [{ id: 'a', delegationId: null }],
};

function later(ms: number): Date {
  return new Date(NOW.getTime() + ms);
}

/** What every `DeliveryStreamStore` and `DeliveryStore` promises. */
export function deliveryStreamStoreContract(open: () => Promise<PushStores>): void {
  let stores: PushStores;
  beforeEach(async () => {
    stores = await open();
  });

  const claim = (
    owner: string,
    now = NOW,
    free = 100,
    perEndpoint = 10,
  ): Promise<DeliveryStream[]> => stores.streams.claim(owner, now, 30_000, { free, perEndpoint });

  const mark = (taskId: string, seq: number, when: DueMark['when'] = 'always'): Promise<number> =>
    stores.database.write((tx) => markDue(tx, [{ taskId, seq, when }], NOW));

  const rest = (stream: DeliveryStream, nextSeq: number): Promise<StepResult> =>
    stores.streams.advance(stream, { nextSeq, cursor: WORKING, deliveries: [] }, NOW, LEASE);

  /** A claimed stream with these log entries ready to be sent. */
  async function ready(...seqs: number[]): Promise<DeliveryStream> {
    await stores.freshStream({ configId: 'c' });
    const stream = await stores.claimOne(NOW);
    const deliveries = seqs.map((seq) => deliveryOf(seq));
    const nextSeq = Math.max(3, ...seqs.map((seq) => seq + 1));
    return inHand(
      await stores.streams.advance(stream, { nextSeq, cursor: WORKING, deliveries }, NOW, LEASE),
    );
  }

  async function record(
    stream: DeliveryStream,
    result: AttemptRecord['result'],
    status = 200,
  ): Promise<StepResult> {
    const delivery = (await stores.streams.firstOpen(stream.id))!;
    const attempt = {
      number: delivery.attempts + 1,
      at: NOW,
      durationMs: 12,
      isRounded: status === 503,
      status,
      error: status < 300 ? null : 'status',
      response: 'answer \u0000 \uD800',
    };
    return stores.streams.recordAttempt(stream, { delivery, attempt, result }, NOW, LEASE);
  }

  const all = async (visibility: Visibility = EVERYTHING) =>
    (await stores.deliveries.list({}, visibility, 100, null)).reverse();

  describe('DeliveryStreamStore', () => {
    it('gives each due stream to one claimer', async () => {
      for (let i = 0; i < 20; i++) await stores.freshStream({ endpoint: `e${i}` });
      const got = await Promise.all([
        claim('a', NOW, 20),
        claim('b', NOW, 20),
        claim('c', NOW, 20),
      ]);
      const ids = got.flat().map((stream) => stream.id);
      for (let i = 0; i < 5 && ids.length < 20; i++) {
        ids.push(...(await claim('d')).map((stream) => stream.id));
      }
      expect(new Set(ids).size).toBe(20);
      expect(ids).toHaveLength(20);
      expect(await claim('e')).toEqual([]);
    });

    it('lets anyone retake an expired lease, and refuses the one who had it', async () => {
      await stores.freshStream();
      const [lost] = await claim('dead');
      expect(await claim('b', later(29_999))).toEqual([]);
      const [taken] = await claim('b', later(30_000));
      expect(taken!.epoch).toBeGreaterThan(lost!.epoch);
      expect(await rest(lost!, 3)).toBe('lost');
      await stores.streams.release(lost!, NOW);
      expect(await claim('c', later(30_001))).toEqual([]);
      expect(await rest(taken!, 3)).toBe('idle');
    });

    it('ends the leases of others, but not its own', async () => {
      await stores.freshStream({ endpoint: 'e1' });
      const [other] = await claim('dead');
      await stores.freshStream({ endpoint: 'e2' });
      const [own] = await claim('me');
      expect(await stores.streams.releaseOthers('me')).toBe(1);
      expect((await claim('me')).map((stream) => stream.id)).toEqual([other!.id]);
      expect(await rest(own!, 3)).toBe('idle');
      expect(await rest(other!, 3)).toBe('lost');
    });

    it('keeps to the cap per endpoint over all claimers', async () => {
      for (let i = 0; i < 5; i++) await stores.freshStream({ endpoint: 'slow' });
      await stores.freshStream({ endpoint: 'other' });
      expect(await claim('a', NOW, 100, 2)).toHaveLength(3);
      expect(await claim('b', NOW, 100, 2)).toEqual([]);
      expect(await claim('b', NOW, 100, 3)).toHaveLength(1);
    });

    it('claims a stream of a free endpoint behind many of a busy one', async () => {
      for (let i = 0; i < 12; i++) await stores.freshStream({ endpoint: 'slow' });
      await stores.freshStream({ endpoint: 'other' }, later(1));
      await claim('a', later(1), 1, 1);
      const [stream] = await claim('b', later(1), 1, 1);
      expect(stream?.webhook.endpoint).toBe('other');
    });

    it('gives places that free one by one to the organization that holds less', async () => {
      for (let i = 0; i < 30; i++) {
        await stores.freshStream({ organization: 'big', endpoint: `big ${i}` });
      }
      for (const name of ['small', 'tiny']) {
        await stores.freshStream({ organization: name, endpoint: name }, NOW);
      }
      const order: string[] = [];
      for (let i = 0; i < 5; i++) {
        order.push(...(await claim('a', NOW, 1)).map((stream) => stream.webhook.organization));
      }
      expect(order.slice(0, 3).sort()).toEqual(['big', 'small', 'tiny']);
      expect(order.slice(3)).toEqual(['big', 'big']);
    });

    it('serves a single place to organizations in turn, whatever the backlog', async () => {
      for (let i = 0; i < 30; i++)
        await stores.freshStream({ organization: 'big', endpoint: 'big' });
      for (let i = 0; i < 2; i++) {
        await stores.freshStream({ organization: 'small', endpoint: 'small' }, NOW);
      }
      const order: string[] = [];
      for (let i = 0; i < 5; i++) {
        const [stream] = await claim('a', NOW, 1, 1);
        order.push(stream!.webhook.organization);
        expect(await rest(stream!, 3)).toBe('idle');
      }
      expect(order.filter((each) => each === 'small')).toHaveLength(2);
      expect(order.slice(0, 4)).not.toEqual(['big', 'big', 'big', 'big']);
      expect(new Set(order.slice(0, 2)).size).toBe(2);
    });

    it('looks past an organization that has nothing it may send now', async () => {
      await stores.freshStream({ organization: 'a', endpoint: 'full' });
      await stores.freshStream({ organization: 'a', endpoint: 'full' });
      await stores.freshStream({ organization: 'b', endpoint: 'late' }, later(1));
      await stores.freshStream({ organization: 'c', endpoint: 'open' });
      await stores.freshStream({ organization: 'd', endpoint: 'open too' });
      const organizations = async () =>
        (await claim('a', NOW, 1, 1)).map((stream) => stream.webhook.organization);
      const got = [await organizations(), await organizations(), await organizations()];
      expect(got.flat().sort()).toEqual(['a', 'c', 'd']);
      expect(await organizations()).toEqual([]);
    });

    it('tells when the next stream is due', async () => {
      expect(await stores.streams.nextDueAt(NOW)).toBeNull();
      await stores.freshStream({}, later(500));
      expect(await stores.streams.nextDueAt(NOW)).toEqual(later(500));
      await claim('a', later(500));
      expect(await stores.streams.nextDueAt(later(500))).toBeNull();
    });

    it('makes streams of a task due, and no others', async () => {
      const taskId = await stores.freshStream();
      await rest(await stores.claimOne(NOW), 3);
      await mark('unknown', 3);
      expect(await stores.streams.nextDueAt(NOW)).toBeNull();
      expect(await mark(taskId, 3)).toBe(1);
      expect(await stores.streams.nextDueAt(NOW)).toEqual(NOW);
    });

    it('marks many tasks in one call', async () => {
      const tasks: string[] = [];
      for (let i = 0; i < 70; i++) tasks.push(await stores.freshStream({ endpoint: `e${i}` }));
      for (const stream of await claim('a')) await rest(stream, 3);
      const marks = tasks.map((taskId, i) => ({ taskId, seq: 3 + i, when: 'always' as const }));
      expect(await stores.database.write((tx) => markDue(tx, marks, NOW))).toBe(70);
      expect(await stores.row(tasks[69]!)).toMatchObject({ head_seq: 72 });
    });

    it('does not wake a resting stream for a state it knows', async () => {
      const taskId = await stores.freshStream();
      await rest(await stores.claimOne(NOW), 3);
      await mark(taskId, 3, TaskState.TASK_STATE_WORKING);
      expect(await stores.streams.nextDueAt(NOW)).toBeNull();
      await mark(taskId, 4, TaskState.TASK_STATE_SUBMITTED);
      expect(await stores.streams.nextDueAt(NOW)).toEqual(NOW);
    });

    it('does not rest when an event came while it was worked on', async () => {
      const taskId = await stores.freshStream();
      const stream = await stores.claimOne(NOW);
      await mark(taskId, 3, TaskState.TASK_STATE_WORKING);
      expect(inHand(await rest(stream, 3)).nextSeq).toBe(3);
      expect(await rest(stream, 4)).toBe('idle');
    });

    it('does not shorten the wait of a failing stream for a new event, which stays behind', async () => {
      const stream = await ready(1, 2);
      expect(
        await record(stream, { state: 'retrying', at: later(5000), reason: 'HTTP 503' }, 503),
      ).toBe('idle');
      await mark(stream.webhook.taskId, 9);
      expect(await stores.streams.nextDueAt(NOW)).toEqual(later(5000));
      const again = await stores.claimOne(later(5000));
      const first = { seq: 1, state: 'retrying', body: '{"seq":1}' };
      expect(await stores.streams.firstOpen(again.id)).toMatchObject(first);
    });

    it('numbers deliveries per webhook and keeps their bytes until they are delivered', async () => {
      let stream = await ready(1, 2);
      expect(await stores.streams.firstOpen(stream.id)).toMatchObject({
        number: 1,
        seq: 1,
        body: '{"seq":1}',
        state: 'pending',
      });
      stream = inHand(await record(stream, { state: 'delivered' }));
      expect(stream.open).toBe(1);
      expect(await stores.streams.firstOpen(stream.id)).toMatchObject({ number: 2, seq: 2 });
      expect(await record(stream, { state: 'delivered' })).toBe('idle');
      const [first] = await stores.database.read<{ body: string | null }>(
        'SELECT body FROM push_deliveries WHERE number = 1',
      );
      expect(first?.body).toBeNull();
      expect((await all()).map((each) => each.state)).toEqual(['delivered', 'delivered']);
    });

    it('remembers where it was in the log', async () => {
      await ready(1);
      const again = (await claim('b', LEASE))[0]!;
      expect(again).toMatchObject({ nextSeq: 3, cursor: WORKING, open: 1 });
    });

    it('records each attempt', async () => {
      const stream = await ready(1);
      await record(stream, { state: 'retrying', at: NOW, reason: 'HTTP 503' }, 503);
      const again = await stores.claimOne(NOW);
      await record(again, { state: 'delivered' });
      const [delivery] = await all();
      expect(delivery).toMatchObject({ state: 'delivered', attempts: 2, lastStatus: 200 });
      const attempts = await stores.deliveries.attempts(delivery!.id);
      expect(attempts.map(({ number, status, isRounded }) => [number, status, isRounded])).toEqual([
        [1, 503, true],
        [2, 200, false],
      ]);
      expect(attempts[0]).toMatchObject({ at: NOW, durationMs: 12, error: 'status' });
      expect(attempts[0]!.response).toBe('answer  \uFFFD');
    });

    it('counts rejections beside all tries', async () => {
      let stream = await ready(1);
      for (const status of [503, 503, 422, 400]) {
        await record(stream, { state: 'retrying', at: NOW, reason: 'no' }, status);
        stream = await stores.claimOne(NOW);
      }
      const open = await stores.streams.firstOpen(stream.id);
      expect(open).toMatchObject({ tries: 4, rejections: 2 });
      await record(stream, { state: 'dead', reason: 'no', effect: 'none' }, 422);
      expect((await all())[0]).toMatchObject({ tries: 5, rejections: 3 });
      await stores.deliveries.redeliver(open!.id, EVERYTHING, NOW);
      expect((await all())[0]).toMatchObject({ tries: 0, rejections: 0, attempts: 5 });
    });

    it('writes nothing of an attempt whose claim is over', async () => {
      const stream = await ready(1);
      await claim('b', LEASE);
      expect(await record(stream, { state: 'delivered' })).toBe('lost');
      const [delivery] = await all();
      expect(delivery).toMatchObject({ state: 'pending', attempts: 0 });
      expect(await stores.deliveries.attempts(delivery!.id)).toEqual([]);
    });

    it('carries the first lost event as a gap until a success', async () => {
      let stream = await ready(1, 2, 3, 4);
      const dead = { state: 'dead', reason: 'no', effect: 'none' } as const;
      stream = inHand(await record(stream, { state: 'delivered' }));
      expect(stream.gapSeq).toBeNull();
      stream = inHand(await record(stream, dead, 422));
      stream = inHand(await record(stream, dead, 422));
      expect(stream.gapSeq).toBe(2);
      await record(stream, { state: 'delivered' });
      expect((await stores.row(stream.webhook.taskId))?.['gap_seq']).toBeNull();
    });

    it('marks a webhook failing and clears it with the next success', async () => {
      const stream = await ready(1, 2);
      const next = inHand(
        await record(stream, { state: 'dead', reason: 'gave up', effect: 'failing' }, 503),
      );
      const { taskId } = stream.webhook;
      expect(await stores.webhooks.ofTask(taskId, 'c')).toMatchObject({
        state: 'failing',
        stateReason: 'gave up',
        failingSince: NOW,
      });
      await record(next, { state: 'delivered' });
      expect(await stores.webhooks.ofTask(taskId, 'c')).toMatchObject({
        state: 'active',
        failingSince: null,
      });
    });

    it('sends nothing more to a disabled webhook until it is set again', async () => {
      const stream = await ready(1, 2);
      const gone = { state: 'dead', reason: 'HTTP 410', effect: 'disabled' } as const;
      expect(await record(stream, gone, 410)).toBe('idle');
      const { taskId } = stream.webhook;
      expect(await stores.webhooks.ofTask(taskId, 'c')).toMatchObject({ state: 'disabled' });
      expect((await all()).map((each) => each.state)).toEqual(['dead', 'dead']);
      await mark(taskId, 9);
      expect(await stores.streams.nextDueAt(NOW)).toBeNull();
      await stores.webhooks.set(taskId, stores.draft({ configId: 'c' }), {
        now: NOW,
        repeated: 'leave',
      });
      expect(await stores.claimOne(NOW)).toMatchObject({ open: 1, webhook: { state: 'active' } });
    });

    it('gives a stream back for a later time', async () => {
      const stream = await ready(1);
      await stores.streams.release(stream, later(700));
      expect(await stores.streams.nextDueAt(NOW)).toEqual(later(700));
    });

    it('keeps bytes that were made again only for the present claim', async () => {
      const stream = await ready(1);
      const delivery = (await stores.streams.firstOpen(stream.id))!;
      expect(await stores.streams.keepBody(stream, delivery.id, '{}', 'application/json')).toBe(
        true,
      );
      await claim('b', LEASE);
      expect(await stores.streams.keepBody(stream, delivery.id, 'x', 'text/plain')).toBe(false);
      expect(await stores.streams.firstOpen(stream.id)).toMatchObject({
        body: '{}',
        contentType: 'application/json',
      });
    });

    it('prunes old attempts and delivered deliveries, and no dead letters', async () => {
      const stream = await ready(1, 2);
      const next = inHand(await record(stream, { state: 'delivered' }));
      await record(next, { state: 'dead', reason: 'no', effect: 'none' }, 422);
      expect(await stores.cleanup.prune(NOW, 100)).toBe(0);
      expect(await stores.cleanup.prune(later(1), 1)).toBe(2);
      expect(await stores.cleanup.prune(later(1), 100)).toBe(1);
      expect((await all()).map((each) => each.state)).toEqual(['dead']);
    });
  });

  describe('DeliveryStore', () => {
    it('lists by task, webhook and state, newest first, in pages', async () => {
      const stream = await ready(1, 2);
      await record(stream, { state: 'delivered' });
      const { taskId } = stream.webhook;
      const list = (filter: object, limit = 10, cursor: string | null = null) =>
        stores.deliveries.list(filter, EVERYTHING, limit, cursor);
      expect((await list({ taskId })).map((each) => each.seq)).toEqual([2, 1]);
      expect((await list({ state: 'delivered' })).map((each) => each.seq)).toEqual([1]);
      expect(await list({ taskId, configId: 'c' })).toHaveLength(2);
      expect(await list({ taskId: 'other' })).toEqual([]);
      const [newest] = await list({}, 1);
      expect((await list({}, 1, newest!.id)).map((each) => each.seq)).toEqual([1]);
    });

    it("hides a stranger's deliveries", async () => {
      await ready(1);
      const [delivery] = await all();
      const owner = { kind: 'principal', principalId: 'alice', organization: 'acme' } as const;
      const colleague = { kind: 'organization', organization: 'acme' } as const;
      const strangers = [
        { ...owner, principalId: 'bob' },
        { ...owner, organization: 'other' },
      ];
      for (const scope of [owner, colleague]) {
        expect(await all(scope)).toHaveLength(1);
        expect(await stores.deliveries.get(delivery!.id, scope)).toEqual(delivery);
      }
      for (const stranger of strangers) {
        expect(await all(stranger)).toEqual([]);
        expect(await stores.deliveries.get(delivery!.id, stranger)).toBeUndefined();
        expect(await stores.deliveries.redeliver(delivery!.id, stranger, NOW)).toBeUndefined();
      }
    });

    it('reads a large body when there is room for it, and only while its claim holds then', async () => {
      const stream = await ready(1);
      const body = `"${'é'.repeat(64 * 1024)}"`;
      await stores.database.write((tx) => tx.run('UPDATE push_deliveries SET body = ?', [body]));
      const requested: number[] = [];
      const room = (bytes: number): Promise<void> => {
        requested.push(bytes);
        return Promise.resolve();
      };
      expect(await stores.streams.firstOpen(stream.id, stream.epoch, room)).toMatchObject({ body });
      expect(requested).toEqual([Buffer.byteLength(body)]);
      const full = (): Promise<void> => Promise.reject(new Error('there is none'));
      await expect(stores.streams.firstOpen(stream.id, stream.epoch, full)).rejects.toThrow('none');
      const late = async (): Promise<void> => {
        await stores.database.write((tx) =>
          tx.run('UPDATE push_delivery_streams SET epoch = epoch + 1'),
        );
      };
      expect(await stores.streams.firstOpen(stream.id, stream.epoch, late)).toBeUndefined();
    });

    it('puts an ended delivery back before what waits, with the same webhook-id', async () => {
      const stream = await ready(1, 2);
      const next = inHand(await record(stream, { state: 'delivered' }));
      const [first] = await all();
      const again = await stores.deliveries.redeliver(first!.id, EVERYTHING, NOW);
      expect(again).toMatchObject({ state: 'pending', tries: 0, attempts: 1, redelivered: true });
      expect(again!.webhookId).toBe(first!.webhookId);
      expect(await stores.streams.firstOpen(next.id)).toMatchObject({ seq: 1, body: null });
      expect(inHand(await record(next, { state: 'delivered' })).open).toBe(1);
    });

    it('does not lose a redelivery asked for while the stream is worked on', async () => {
      const stream = await ready(1, 2);
      const last = inHand(await record(stream, { state: 'delivered' }));
      const [first] = await all();
      const delivery = (await stores.streams.firstOpen(last.id))!;
      await stores.deliveries.redeliver(first!.id, EVERYTHING, NOW);
      const step = await stores.streams.recordAttempt(
        last,
        { delivery, attempt: null, result: { state: 'delivered' } },
        NOW,
        LEASE,
      );
      expect(inHand(step).open).toBe(1);
      expect(await stores.streams.firstOpen(last.id)).toMatchObject({ id: first!.id });
    });

    it('sends a redelivery at once that came while another delivery failed, and has that wait for its retry', async () => {
      const stream = await ready(1, 2);
      const last = inHand(await record(stream, { state: 'delivered' }));
      const [first] = await all();
      const delivery = (await stores.streams.firstOpen(last.id))!;
      await stores.deliveries.redeliver(first!.id, EVERYTHING, NOW);
      const retryAt = new Date(NOW.getTime() + 3_600_000);
      const result = { state: 'retrying', at: retryAt, reason: 'no', isEarly: false } as const;
      await stores.streams.recordAttempt(last, { delivery, attempt: null, result }, NOW, LEASE);
      const again = await stores.claimOne(NOW);
      expect(again.id).toBe(last.id);
      const sent = (await stores.streams.firstOpen(again.id))!;
      expect(sent.id).toBe(first!.id);
      const next = await stores.streams.recordAttempt(
        again,
        { delivery: sent, attempt: null, result: { state: 'delivered' } },
        NOW,
        LEASE,
      );
      const waiting = inHand(next);
      expect(await stores.streams.firstOpen(waiting.id)).toMatchObject({ nextAttemptAt: retryAt });
      await stores.streams.recordAttempt(waiting, { delivery, attempt: null, result }, NOW, LEASE);
      expect(await stores.streams.claim('w1', NOW, 30_000, { free: 9, perEndpoint: 9 })).toEqual(
        [],
      );
    });

    it('leaves the gap alone when a redelivery ends', async () => {
      const stream = await ready(1, 2);
      const dead = { state: 'dead', reason: 'no', effect: 'none' } as const;
      const next = inHand(await record(stream, dead, 422));
      const [first] = await all();
      await stores.deliveries.redeliver(first!.id, EVERYTHING, NOW);
      const after = inHand(await record(next, { state: 'delivered' }));
      expect(after).toMatchObject({ gapSeq: 1, open: 1 });
    });

    it('has a delivery under way tried at once', async () => {
      const stream = await ready(1);
      await record(stream, { state: 'retrying', at: later(60_000), reason: 'HTTP 503' }, 503);
      const [delivery] = await all();
      const again = await stores.deliveries.redeliver(delivery!.id, EVERYTHING, NOW);
      expect(again).toMatchObject({ state: 'retrying', nextAttemptAt: null, redelivered: false });
      expect((await stores.claimOne(NOW)).open).toBe(1);
    });
  });
}
