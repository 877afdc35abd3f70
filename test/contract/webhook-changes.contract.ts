import { markDue } from '../../src/push/delivery/persistence/push-append.participant.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING, type Visibility } from '../../src/auth/index.js';
import { LOG_START } from '../../src/push/delivery/domain/delivery-plan.js';
import type { Delivery } from '../../src/push/delivery/delivery.js';
import type {
  DeliveryStream,
  AttemptRecord,
  StepResult,
} from '../../src/push/delivery/delivery-stream-store.js';
import type { TaskWebhook } from '../../src/push/registration/webhook.js';
import { type PushStores, deliveryOf, inHand } from '../support/push-stores.js';

const NOW = new Date(1_000_000);
const SET = { now: NOW, repeated: 'present-state' } as const;
const LEASE = new Date(NOW.getTime() + 30_000);
const ALICE = { kind: 'principal', principalId: 'alice', organization: 'acme' } as const;
const BOB = { ...ALICE, principalId: 'bob' } as const;

function later(ms: number): Date {
  return new Date(NOW.getTime() + ms);
}

/** What every `WebhookStore` promises of webhooks that are looked after. */
export function webhookChangesContract(open: () => Promise<PushStores>): void {
  let stores: PushStores;
  beforeEach(async () => {
    stores = await open();
  });

  const mark = (taskId: string, seq: number, when: 'always' | 'every' | number = 'always') =>
    stores.database.write((tx) => markDue(tx, [{ taskId, seq, when }], NOW));

  const reach = async (stream: DeliveryStream, ...seqs: number[]): Promise<DeliveryStream> =>
    inHand(
      await stores.streams.advance(
        stream,
        {
          nextSeq: Math.max(stream.nextSeq, ...seqs.map((seq) => seq + 1)),
          cursor: LOG_START,
          deliveries: seqs.map((seq) => deliveryOf(seq)),
        },
        NOW,
        LEASE,
      ),
    );

  async function record(
    stream: DeliveryStream,
    result: AttemptRecord['result'],
    status = 200,
  ): Promise<StepResult> {
    const delivery = (await stores.streams.firstOpen(stream.id))!;
    const number = delivery.attempts + 1;
    const attempt = {
      number,
      at: NOW,
      durationMs: 1,
      isRounded: false,
      status,
      error: null,
      response: '',
    };
    return stores.streams.recordAttempt(stream, { delivery, attempt, result }, NOW, LEASE);
  }

  const DELIVERED = { state: 'delivered' } as const;
  const RETRY = { state: 'retrying', at: later(60_000), reason: 'HTTP 503' } as const;
  const DISABLED = { state: 'dead', reason: 'HTTP 410', effect: 'disabled' } as const;

  /** A claimed stream that has these entries to send, with its webhook. */
  async function ready(
    ...seqs: number[]
  ): Promise<{ stream: DeliveryStream; webhook: TaskWebhook }> {
    await stores.freshStream({ configId: 'c' });
    const stream = await reach(await stores.claimOne(NOW), ...seqs);
    return { stream, webhook: stream.webhook };
  }

  /** All of them, oldest first. */
  async function deliveries(taskId: string): Promise<Delivery[]> {
    return (await stores.deliveries.list({ taskId }, EVERYTHING, 100, null)).reverse();
  }

  const pause = ({ streamId }: TaskWebhook) => stores.pause(streamId, EVERYTHING, NOW);
  const resume = ({ streamId }: TaskWebhook) => stores.resume(streamId, EVERYTHING, NOW);
  const replay = ({ streamId }: TaskWebhook, sequence: number) =>
    stores.webhooks.replay(streamId, EVERYTHING, { sequence }, NOW);

  describe('webhooks that are managed', () => {
    it('lists newest first by every filter, in pages, and hides what is not to be seen', async () => {
      const [one, two] = [await stores.addTask(2), await stores.addTask(2)];
      const url = 'https://other.example/x';
      const [a, b, c] = [
        await stores.webhooks.set(one, stores.draft({ configId: 'a' }), SET),
        await stores.webhooks.set(one, stores.draft({ configId: 'b', url }), SET),
        await stores.webhooks.set(two, stores.draft({ configId: 'c', principalId: 'bob' }), SET),
      ];
      const list = async (filter: object, who: Visibility = EVERYTHING, cursor?: string) =>
        (await stores.webhooks.search(filter, who, 2, cursor ?? null)).map(
          ({ streamId }) => streamId,
        );
      expect(await list({})).toEqual([c.streamId, b.streamId]);
      expect(await list({}, EVERYTHING, b.streamId)).toEqual([a.streamId]);
      expect(await list({ taskId: one })).toEqual([b.streamId, a.streamId]);
      expect(await list({ principalId: 'bob' })).toEqual([c.streamId]);
      expect(await list({ url })).toEqual([b.streamId]);
      expect(await list({ endpoint: 'acme https://other.example' })).toEqual([b.streamId]);
      expect(await list({ organization: 'other' })).toEqual([]);
      expect(await list({}, ALICE)).toEqual([b.streamId, a.streamId]);
      expect(await list({}, { kind: 'organization', organization: 'acme' })).toEqual([
        c.streamId,
        b.streamId,
      ]);
      await pause(a);
      expect(await list({ state: 'paused' })).toEqual([a.streamId]);
      expect(await list({ state: 'active' })).toEqual([c.streamId, b.streamId]);
      expect(await stores.webhooks.find(a.streamId, ALICE)).toMatchObject({ streamId: a.streamId });
      expect(await stores.webhooks.find(a.streamId, BOB)).toBeUndefined();
    });

    it('gives a stranger nothing to change', async () => {
      const { webhook } = await ready(1);
      const answers = [
        await stores.change(webhook.streamId, BOB, webhook.fingerprint, { url: 'x' }, NOW),
        await stores.pause(webhook.streamId, BOB, NOW),
        await stores.resume(webhook.streamId, BOB, NOW),
        await stores.webhooks.replay(webhook.streamId, BOB, { sequence: 1 }, NOW),
      ];
      expect(answers).toEqual([undefined, undefined, undefined, undefined]);
      expect(await stores.drop(webhook.streamId, BOB, NOW)).toBe(false);
      expect(await stores.webhooks.find(webhook.streamId, ALICE)).toEqual(webhook);
    });

    it('pauses with events gathering, and goes on with all of them', async () => {
      const { stream, webhook } = await ready(1);
      await record(stream, DELIVERED);
      expect(await pause(webhook)).toMatchObject({ state: 'paused' });
      const { taskId } = webhook;
      await mark(taskId, 3, 2);
      await mark(taskId, 4);
      expect(await stores.streams.nextDueAt(NOW)).toBeNull();
      expect(await stores.webhooks.progress(webhook)).toMatchObject({
        entriesBehind: 3,
        nextAttemptAt: null,
      });
      expect(await resume(webhook)).toMatchObject({ state: 'active' });
      const again = await stores.claimOne(NOW);
      expect(again).toMatchObject({ nextSeq: 2, open: 0 });
      expect(inHand(await reach(again, 2, 3, 4)).open).toBe(3);
    });

    it('records the attempt under way when it is paused, then rests, and stays paused', async () => {
      const { stream, webhook } = await ready(1, 2);
      await pause(webhook);
      expect(await record(stream, DELIVERED)).toBe('idle');
      expect((await deliveries(webhook.taskId)).map(({ state }) => state)).toEqual([
        'delivered',
        'pending',
      ]);
      expect(await stores.webhooks.find(webhook.streamId, EVERYTHING)).toMatchObject({
        state: 'paused',
      });
      expect(await stores.streams.nextDueAt(NOW)).toBeNull();
      await resume(webhook);
      expect(await stores.streams.firstOpen((await stores.claimOne(NOW)).id)).toMatchObject({
        seq: 2,
      });
    });

    it('does not make a paused stream due by a failure or a redelivery', async () => {
      const { stream, webhook } = await ready(1, 2);
      const next = inHand(await record(stream, DELIVERED));
      await pause(webhook);
      expect(await record(next, RETRY, 503)).toBe('idle');
      const [first] = await deliveries(webhook.taskId);
      await stores.deliveries.redeliver(first!.id, EVERYTHING, NOW);
      expect(await stores.streams.nextDueAt(NOW)).toBeNull();
      await resume(webhook);
      const again = await stores.claimOne(NOW);
      expect(again.open).toBe(2);
      expect(await stores.streams.firstOpen(again.id)).toMatchObject({ seq: 1, redelivered: true });
    });

    it('resumes a disabled one with the present state, which cannot be paused before', async () => {
      const { stream, webhook } = await ready(1);
      await record(stream, DISABLED, 410);
      await expect(pause(webhook)).rejects.toMatchObject({ reason: 'CONFLICT' });
      await expect(replay(webhook, 1)).rejects.toMatchObject({ reason: 'CONFLICT' });
      expect(await resume(webhook)).toMatchObject({ state: 'active', stateReason: null });
      const again = await stores.claimOne(NOW);
      expect(await stores.streams.firstOpen(again.id)).toMatchObject({ kind: 'snapshot', seq: 2 });
    });

    it('sends what waits under changed secrets, and nothing more under the old ones', async () => {
      const { stream, webhook } = await ready(1);
      await record(stream, RETRY, 503);
      const claimed = (
        await stores.streams.claim('w', later(60_000), 30_000, {
          free: 1,
          perEndpoint: 10,
        })
      )[0]!;
      const { streamId, fingerprint } = webhook;
      const change = { sealedCredentials: 'plain:new', fingerprint: 'f2' };
      await stores.change(streamId, EVERYTHING, fingerprint, change, NOW);
      expect(await stores.streams.firstOpen(claimed.id, claimed.epoch)).toBeUndefined();
      expect(await record(claimed, DELIVERED)).toBe('lost');
      const again = await stores.claimOne(NOW);
      expect(again.webhook).toMatchObject({ sealedCredentials: 'plain:new', fingerprint: 'f2' });
      expect(await stores.streams.firstOpen(again.id)).toMatchObject({
        seq: 1,
        body: '{"seq":1}',
        tries: 0,
        attempts: 1,
      });
      const outdated = stores.change(streamId, EVERYTHING, fingerprint, change, NOW);
      await expect(outdated).rejects.toMatchObject({ reason: 'CONFLICT' });
    });

    it('tells every event from the change on, chunks too', async () => {
      const { stream, webhook } = await ready(1);
      await record(stream, DELIVERED);
      const { streamId, fingerprint, taskId } = webhook;
      await stores.change(streamId, EVERYTHING, fingerprint, { events: 'all' }, NOW);
      expect(await stores.row(taskId)).toMatchObject({ every_event: 1 });
      const [task] = await stores.database.read('SELECT every_event FROM tasks WHERE id = ?', [
        taskId,
      ]);
      expect(task).toEqual({ every_event: 1 });
    });

    it('wakes only those who are told every event for a chunk', async () => {
      const [all, changes] = [await stores.addTask(5), await stores.addTask(5)];
      await stores.webhooks.set(all, stores.draft({ events: 'all' }), SET);
      await stores.webhooks.set(changes, stores.draft(), SET);
      for (let i = 0; i < 2; i++) await record(await stores.claimOne(NOW), DELIVERED);
      expect(await mark(changes, 6, 'every')).toBe(0);
      expect(await mark(all, 6, 'every')).toBe(1);
      expect((await stores.claimOne(NOW)).webhook.taskId).toBe(all);
    });

    it('replays from an entry on with the ids it had and new numbers', async () => {
      const { stream, webhook } = await ready(1, 2);
      await record(inHand(await record(stream, DELIVERED)), DELIVERED);
      expect(await replay(webhook, 1)).toEqual({ fromSequence: 1, toSequence: 2 });
      const again = await stores.claimOne(NOW);
      expect(again).toMatchObject({ nextSeq: 1, cursor: null, open: 0 });
      await reach(again, 1, 2);
      const told = await deliveries(webhook.taskId);
      expect(told.map(({ number, state }) => [number, state])).toEqual([
        [1, 'delivered'],
        [2, 'delivered'],
        [3, 'pending'],
        [4, 'pending'],
      ]);
      expect(told[2]!.webhookId).toBe(told[0]!.webhookId);
    });

    it('tells what was open once, in its place, and gives free numbers back', async () => {
      const { stream, webhook } = await ready(1, 2);
      await record(stream, RETRY, 503);
      await replay(webhook, 1);
      const seen = await deliveries(webhook.taskId);
      // The first had been tried, so it keeps row and number; the second nobody had seen.
      expect(seen.map(({ number, state }) => [number, state])).toEqual([[1, 'dead']]);
      const again = await reach(await stores.claimOne(NOW), 1, 2);
      expect(again.open).toBe(2);
      const numbers = (await deliveries(webhook.taskId)).map(({ number }) => number);
      expect(numbers).toEqual([1, 2, 3]);
    });

    it('keeps what a replay does not reach, and never moves forward', async () => {
      const { stream, webhook } = await ready(1);
      await record(stream, RETRY, 503);
      expect(await replay(webhook, 9)).toEqual({ fromSequence: 2, toSequence: 2 });
      const again = await stores.claimOne(NOW);
      expect(again).toMatchObject({ nextSeq: 2, open: 1 });
      expect(await stores.streams.firstOpen(again.id)).toMatchObject({ seq: 1, attempts: 1 });
    });

    it('closes a gap that a replay tells again', async () => {
      const { stream, webhook } = await ready(1, 2);
      const dead = { state: 'dead', reason: 'no', effect: 'none' } as const;
      await record(inHand(await record(stream, dead, 422)), dead, 422);
      expect(await stores.row(webhook.taskId)).toMatchObject({ gap_seq: 1 });
      await replay(webhook, 2);
      expect(await stores.row(webhook.taskId)).toMatchObject({ gap_seq: 1 });
      await replay(webhook, 1);
      expect(await stores.row(webhook.taskId)).toMatchObject({ gap_seq: null });
    });

    it('records a test beside the stream', async () => {
      const { webhook } = await ready(1);
      const attempt = {
        number: 1,
        at: NOW,
        durationMs: 7,
        isRounded: false,
        status: 500,
        error: 'status',
        response: 'no',
      };
      const id = stores.ids.next();
      const test = { id, webhookId: 'w', seq: 2, delivered: false, reason: 'HTTP 500', attempt };
      expect(await stores.webhooks.recordTest(webhook, test)).toMatchObject({
        kind: 'test',
        number: 0,
        state: 'dead',
        attempts: 1,
        lastStatus: 500,
      });
      expect(await stores.deliveries.attempts(id)).toEqual([attempt]);
      expect(await stores.webhooks.progress(webhook)).toMatchObject({
        pending: 1,
        dead: 0,
        lastAttempt: attempt,
      });
      await expect(stores.deliveries.redeliver(id, EVERYTHING, NOW)).rejects.toMatchObject({
        reason: 'CONFLICT',
      });
      await stores.drop(webhook.streamId, EVERYTHING, NOW);
      expect(await stores.webhooks.recordTest(webhook, { ...test, id: 'x' })).toBeUndefined();
    });
  });
}
