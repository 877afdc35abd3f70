import { markDue } from '../../src/push/delivery/persistence/push-append.participant.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import { HubError } from '../../src/common/hub-error.js';
import { LOG_START } from '../../src/push/delivery/domain/delivery-plan.js';
import { type PushStores, deliveryOf, inHand } from '../support/push-stores.js';

const NOW = new Date(1_000_000);
const SET = { now: NOW, repeated: 'present-state' } as const;
const INLINE = { now: NOW, repeated: 'leave' } as const;
const LEASE = new Date(NOW.getTime() + 30_000);

/** What every `WebhookStore` promises. */
export function taskWebhookContract(open: () => Promise<PushStores>): void {
  let stores: PushStores;
  beforeEach(async () => {
    stores = await open();
  });

  /** The stream of the task with everything told. */
  async function reportAll(taskId: string, nextSeq: number): Promise<void> {
    const stream = await stores.claimOne(NOW);
    expect(stream.webhook.taskId).toBe(taskId);
    const reached = { nextSeq, cursor: LOG_START, deliveries: [] };
    expect(await stores.streams.advance(stream, reached, NOW, LEASE)).toBe('idle');
  }

  describe('WebhookStore', () => {
    it("keeps the client's id, unique in its task only", async () => {
      const [one, two] = [await stores.addTask(2), await stores.addTask(2)];
      for (const taskId of [one, two]) {
        await stores.webhooks.set(taskId, stores.draft({ configId: 'mine' }), SET);
      }
      expect(await stores.webhooks.ofTask(one, 'mine')).toMatchObject({
        taskId: one,
        configId: 'mine',
      });
      expect(await stores.webhooks.ofTask(two, 'mine')).toMatchObject({ taskId: two });
      expect(await stores.webhooks.ofTask(one, 'other')).toBeUndefined();
    });

    it('mints an id, and finds the webhook of the same address again', async () => {
      const taskId = await stores.addTask(2);
      const first = await stores.webhooks.set(taskId, stores.draft(), SET);
      const again = await stores.webhooks.set(taskId, stores.draft(), SET);
      const other = await stores.webhooks.set(
        taskId,
        stores.draft({ url: 'https://hooks.example/b' }),
        SET,
      );
      expect(first.configId).not.toBe('');
      expect(again.configId).toBe(first.configId);
      expect(other.configId).not.toBe(first.configId);
      expect(await stores.webhooks.listOfTask(taskId, 10, null)).toHaveLength(2);
    });

    it('is in the trace of its task, whatever the trace of the call that sets it', async () => {
      const draft = stores.draft({ configId: 'c', traceparent: '00-follow-up-01' });
      const traceOf = async (taskId: string): Promise<(string | null | undefined)[]> => {
        const set = await stores.webhooks.set(
          taskId,
          { ...draft, streamId: stores.ids.next() },
          INLINE,
        );
        const read = await stores.webhooks.ofTask(taskId, 'c');
        return [set.traceparent, read?.traceparent];
      };
      const traced = await stores.addTask(2, undefined, '00-task-01');
      expect(await traceOf(traced)).toEqual(['00-task-01', '00-task-01']);
      expect(await traceOf(traced)).toEqual(['00-task-01', '00-task-01']);
      expect(await traceOf(await stores.addTask(2))).toEqual([null, null]);
      // The row of a task that is being created is not there yet.
      expect(await traceOf(stores.ids.next())).toEqual(['00-follow-up-01', '00-follow-up-01']);
    });

    it('gives back all that was stored', async () => {
      const taskId = await stores.addTask(2, undefined, '00-a-b-01');
      const draft = stores.draft({
        configId: 'c',
        version: '0.3',
        authNames: ['Digest', 'Bearer'],
        sealedToken: 'sealed-token',
        verified: false,
        traceparent: '00-a-b-01',
      });
      await stores.webhooks.set(taskId, draft, SET);
      expect(await stores.webhooks.ofTask(taskId, 'c')).toEqual({
        ...draft,
        scope: 'task',
        setBy: null,
        source: 'api',
        subscriptionId: null,
        taskId,
        state: 'active',
        stateReason: null,
        failingSince: null,
        lastFailureAt: null,
        createdAt: NOW,
        updatedAt: NOW,
      });
    });

    it('lists by age in pages', async () => {
      const taskId = await stores.addTask(2);
      for (const id of ['z', 'm', 'a']) {
        await stores.webhooks.set(taskId, stores.draft({ configId: id }), SET);
      }
      const page = await stores.webhooks.listOfTask(taskId, 2, null);
      expect(page.map((each) => each.configId)).toEqual(['z', 'm']);
      const rest = await stores.webhooks.listOfTask(taskId, 2, page[1]!.streamId);
      expect(rest.map((each) => each.configId)).toEqual(['a']);
    });

    it('begins a new task with its first event', async () => {
      const taskId = await stores.freshStream();
      const stream = await stores.claimOne(NOW);
      expect(stream).toMatchObject({ nextSeq: 1, open: 0, webhook: { taskId } });
    });

    it('begins a running task with a snapshot of its present state', async () => {
      const taskId = await stores.addTask(7);
      const webhook = await stores.webhooks.set(taskId, stores.draft(), SET);
      const stream = await stores.claimOne(NOW);
      expect(stream).toMatchObject({ nextSeq: 8, open: 1, cursor: null });
      expect(await stores.streams.firstOpen(stream.id)).toMatchObject({
        kind: 'snapshot',
        seq: 7,
        number: 1,
        body: null,
        webhookId: `${webhook.streamId}.7.task1`,
      });
    });

    it('writes nothing when its transaction fails', async () => {
      const taskId = await stores.addTask(2);
      const { webhooks, database } = stores;
      const draft = stores.draft();
      const failing = database.write(function* (tx) {
        yield* webhooks.setIn(tx, taskId, draft, SET);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await webhooks.listOfTask(taskId, 10, null)).toEqual([]);
      expect(await stores.row(taskId)).toBeUndefined();
    });

    it('tells a stream that has told all the present state again, each time with a new number', async () => {
      const taskId = await stores.freshStream({ configId: 'c' });
      await reportAll(taskId, 3);
      for (const number of [1, 2]) {
        await stores.webhooks.set(taskId, stores.draft({ configId: 'c' }), SET);
        const stream = await stores.claimOne(NOW);
        const delivery = (await stores.streams.firstOpen(stream.id))!;
        expect(delivery).toMatchObject({ kind: 'snapshot', seq: 2, number });
        const told = { delivery, attempt: null, result: { state: 'delivered' } } as const;
        expect(await stores.streams.recordAttempt(stream, told, NOW, LEASE)).toBe('idle');
      }
    });

    it('leaves a stream alone when the same inline config comes again', async () => {
      const taskId = await stores.freshStream({ configId: 'c' });
      await reportAll(taskId, 3);
      await stores.webhooks.set(taskId, stores.draft({ configId: 'c' }), INLINE);
      expect(await stores.streams.nextDueAt(NOW)).toBeNull();
      const changed = stores.draft({ configId: 'c', fingerprint: 'new' });
      await stores.webhooks.set(taskId, changed, INLINE);
      expect(await stores.streams.nextDueAt(NOW)).toEqual(NOW);
    });

    it('keeps what a replaced webhook has not delivered and tries at once', async () => {
      const taskId = await stores.freshStream({ configId: 'c' });
      let stream = await stores.claimOne(NOW);
      const reached = { nextSeq: 2, cursor: LOG_START, deliveries: [deliveryOf(1)] };
      stream = inHand(await stores.streams.advance(stream, reached, NOW, LEASE));
      const url = 'https://hooks.example/new';
      const webhook = await stores.webhooks.set(taskId, stores.draft({ configId: 'c', url }), SET);
      expect(webhook.streamId).toBe(stream.webhook.streamId);
      expect(await stores.streams.advance(stream, { ...reached, deliveries: [] }, NOW, LEASE)).toBe(
        'lost',
      );
      const again = await stores.claimOne(NOW);
      expect(again).toMatchObject({ open: 1, webhook: { url } });
      expect(await stores.streams.firstOpen(again.id)).toMatchObject({ seq: 1, body: '{"seq":1}' });
    });

    it('gives what waits its retries anew when a webhook is replaced', async () => {
      await stores.freshStream({ configId: 'c' });
      let stream = await stores.claimOne(NOW);
      const reached = { nextSeq: 2, cursor: LOG_START, deliveries: [deliveryOf(1)] };
      stream = inHand(await stores.streams.advance(stream, reached, NOW, LEASE));
      const delivery = (await stores.streams.firstOpen(stream.id))!;
      const attempt = {
        number: 1,
        at: NOW,
        durationMs: 1,
        isRounded: false,
        status: 422,
        error: 'rejected',
        response: '',
      };
      const result = { state: 'retrying', at: NOW, reason: 'HTTP 422' } as const;
      await stores.streams.recordAttempt(stream, { delivery, attempt, result }, NOW, LEASE);
      expect(await stores.streams.firstOpen(stream.id)).toMatchObject({ tries: 1, rejections: 1 });
      await stores.webhooks.set(stream.webhook.taskId, stores.draft({ configId: 'c' }), SET);
      expect(await stores.streams.firstOpen(stream.id)).toMatchObject({ tries: 0, rejections: 0 });
    });

    it('has the bytes made again when the version changes', async () => {
      const taskId = await stores.freshStream({ configId: 'c' });
      const stream = await stores.claimOne(NOW);
      const reached = { nextSeq: 2, cursor: LOG_START, deliveries: [deliveryOf(1)] };
      await stores.streams.advance(stream, reached, NOW, LEASE);
      await stores.webhooks.set(taskId, stores.draft({ configId: 'c', version: '0.3' }), SET);
      expect(await stores.streams.firstOpen(stream.id)).toMatchObject({ seq: 1, body: null });
    });

    it('removes webhook and stream, and what was open becomes a dead letter', async () => {
      const taskId = await stores.freshStream({ configId: 'c' });
      const stream = await stores.claimOne(NOW);
      const reached = { nextSeq: 2, cursor: LOG_START, deliveries: [deliveryOf(1)] };
      await stores.streams.advance(stream, reached, NOW, LEASE);
      expect(await stores.webhooks.removeOfTask(taskId, 'c', NOW)).toBe(true);
      expect(await stores.webhooks.removeOfTask(taskId, 'c', NOW)).toBe(false);
      expect(await stores.webhooks.ofTask(taskId, 'c')).toBeUndefined();
      const [, delivery] = await stores.deliveries.list({ taskId }, EVERYTHING, 10, null);
      expect(delivery).toMatchObject({ state: 'dead', reason: 'the webhook was deleted', seq: 1 });
      await expect(
        stores.deliveries.redeliver(delivery!.id, EVERYTHING, NOW),
      ).rejects.toMatchObject({ reason: 'CONFLICT' });
    });

    it('refuses more webhooks than a task may have', async () => {
      const taskId = await stores.addTask(2);
      for (let i = 0; i < 100; i++) {
        await stores.webhooks.set(taskId, stores.draft({ configId: `c${i}` }), SET);
      }
      const more = stores.webhooks.set(taskId, stores.draft({ configId: 'more' }), SET);
      await expect(more).rejects.toBeInstanceOf(HubError);
    });

    it('misses no event of a task that goes on while a webhook is registered', async () => {
      const { webhooks, database } = stores;
      for (let round = 0; round < 20; round++) {
        const taskId = await stores.addTask(5);
        // As an append does it: the task's row first, then the participant's marks.
        const append = database.write(function* (tx) {
          const lock = tx.dialect === 'postgres' ? ' FOR UPDATE' : '';
          yield* tx.all(`SELECT seq FROM tasks WHERE id = ?${lock}`, [taskId]);
          yield* tx.run('UPDATE tasks SET seq = 6 WHERE id = ?', [taskId]);
          yield* markDue(tx, [{ taskId, seq: 6, when: 'always' }], NOW);
        });
        await Promise.all([append, webhooks.set(taskId, stores.draft(), SET)]);
        const row = await stores.row(taskId);
        expect(row?.['head_seq']).toBe(6);
      }
    });
  });
}
