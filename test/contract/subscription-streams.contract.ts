import { markDue } from '../../src/push/delivery/persistence/push-append.participant.js';
import { forgetWebhooks } from '../../src/push/delivery/persistence/forget-webhooks.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import { TaskState } from '../../src/protocol/a2a.js';
import { LOG_START } from '../../src/push/delivery/domain/delivery-plan.js';
import { LEASE, NOW, type SubscriptionStores } from '../support/subscription-stores.js';

const LATER = new Date(NOW.getTime() + 60_000);

/** What every `WebhookStore` promises of the streams it makes. */
export function subscriptionStreamsContract(open: () => Promise<SubscriptionStores>): void {
  let stores: SubscriptionStores;
  beforeEach(async () => {
    stores = await open();
  });

  describe('the streams of a subscription', () => {
    it('begin with a new task, under the registration of the subscription', async () => {
      const filter = { agents: null, tags: null, states: [TaskState.TASK_STATE_FAILED] };
      const of = await stores.subscribe({ filter, sealedToken: 'plain:tok' });
      const taskId = await stores.join(of);
      const [stream] = await stores.claimAll();
      expect(stream).toMatchObject({
        nextSeq: 1,
        open: 0,
        webhook: {
          taskId,
          configId: `subscription:${of.id}`,
          subscriptionId: of.id,
          principalId: 'alice',
          url: of.url,
          sealedCredentials: 'plain:secret',
          sealedToken: 'plain:tok',
          states: [TaskState.TASK_STATE_FAILED],
          traceparent: '00-a-b-01',
        },
      });
      const rows = await stores.database.read('SELECT id FROM push_webhooks');
      expect(rows).toEqual([{ id: of.id }]);
    });

    it('are not among the webhooks that clients see, and take no id from them', async () => {
      const of = await stores.subscribe();
      const taskId = await stores.join(of);
      expect(await stores.webhooks.listOfTask(taskId, 10, null)).toEqual([]);
      expect(await stores.webhooks.ofTask(taskId, of.id)).toBeUndefined();
      expect(await stores.webhooks.removeOfTask(taskId, of.id, NOW)).toBe(false);
      const mine = stores.draft({ configId: of.id, url: of.url });
      await stores.webhooks.set(taskId, mine, { now: NOW, repeated: 'present-state' });
      expect(await stores.webhooks.listOfTask(taskId, 10, null)).toMatchObject([
        { configId: of.id, subscriptionId: null },
      ]);
      expect(await stores.claimAll()).toHaveLength(2);
    });

    it('begin once with the present state of a task that is joined later', async () => {
      const of = await stores.subscribe();
      const taskId = await stores.join(of, 'present-state', 7);
      await stores.join(of, 'present-state', 9, taskId);
      const streams = await stores.claimAll();
      expect(streams).toHaveLength(1);
      expect(streams[0]).toMatchObject({ nextSeq: 8, open: 1 });
      expect(await stores.streams.firstOpen(streams[0]!.id)).toMatchObject({
        kind: 'snapshot',
        seq: 7,
        number: 1,
        body: null,
      });
    });

    it('begin with what comes next where the present state is not asked for', async () => {
      const of = await stores.subscribe();
      const taskId = await stores.join(of, 'next', 7);
      expect(await stores.claimAll()).toEqual([]);
      await stores.database.write((tx) => markDue(tx, [{ taskId, seq: 8, when: 'always' }], NOW));
      expect(await stores.claimAll()).toMatchObject([{ nextSeq: 8, open: 0 }]);
    });

    it('hear of every event when the subscription asks for that, also later', async () => {
      const of = await stores.subscribe({ events: 'all' });
      const every = async (taskId: string): Promise<unknown[]> => {
        const [task] = await stores.database.read<Record<string, unknown>>(
          'SELECT every_event FROM tasks WHERE id = ?',
          [taskId],
        );
        return [task?.['every_event'], (await stores.row(taskId))?.['every_event']];
      };
      const first = await stores.join(of);
      expect(await every(first)).toEqual([1, 1]);
      const other = await stores.subscribe();
      const second = await stores.join(other);
      expect(await every(second)).toEqual([0, 0]);
      await stores.webhooks.update(other.id, EVERYTHING, () => ({ events: 'all' }), NOW);
      await stores.reconcileAll();
      expect(await every(second)).toEqual([1, 1]);
    });

    it('have new secrets from the next claim on, by the change of one row', async () => {
      const of = await stores.subscribe();
      await stores.join(of);
      const rotated = { sealedCredentials: 'plain:new', fingerprint: 'f2' };
      await stores.webhooks.update(of.id, EVERYTHING, () => rotated, NOW);
      expect(await stores.claimAll()).toMatchObject([
        { webhook: { sealedCredentials: 'plain:new' } },
      ]);
    });

    it('lose their claim to a change, and try at once what waited for a retry', async () => {
      const of = await stores.subscribe();
      const taskId = await stores.join(of);
      const [held] = await stores.claimAll();
      const stream = await stores.reachOne(held!);
      await stores.webhooks.update(of.id, EVERYTHING, () => ({ fingerprint: 'f2' }), NOW);
      await stores.reconcileAll();
      const reached = { nextSeq: 9, cursor: LOG_START, deliveries: [] };
      expect(await stores.streams.advance(stream, reached, NOW, LEASE)).toBe('lost');
      expect(await stores.claimAll()).toMatchObject([{ open: 1, webhook: { taskId } }]);
      expect(await stores.streams.firstOpen(stream.id)).toMatchObject({
        tries: 0,
        nextAttemptAt: null,
      });
    });

    it('that are claimed come first when it changes, and no other claim ends', async () => {
      const of = await stores.subscribe();
      const [idle, claimed] = [await stores.join(of), await stores.join(of)];
      const other = await stores.join(await stores.subscribe());
      await stores.database.write((tx) =>
        tx.run('UPDATE push_delivery_streams SET due_at = ? WHERE task_id = ?', [
          NOW.getTime() + 1,
          idle,
        ]),
      );
      const streams = await stores.claimAll();
      expect(streams.map(({ webhook }) => webhook.taskId).sort()).toEqual([claimed, other].sort());
      const [held, others] = [claimed, other].map((task) =>
        streams.find(({ webhook }) => webhook.taskId === task)!,
      );
      await stores.webhooks.update(of.id, EVERYTHING, () => ({ fingerprint: 'f2' }), NOW);
      const done = await stores.subscriptionStreams.reconcileClaimed(of.id, NOW);
      expect([...done]).toEqual([held!.id]);
      expect(await stores.streams.isClaimed(held!)).toBe(false);
      expect(await stores.streams.isClaimed(others!)).toBe(true);
      const again = (await stores.claimAll()).find(({ webhook }) => webhook.taskId === claimed)!;
      await stores.subscriptionStreams.reconcile(of.id, null, 10, NOW, done);
      expect(await stores.streams.isClaimed(again)).toBe(true);
    });

    it('move to another address with their subscription', async () => {
      const of = await stores.subscribe();
      const tasks = [await stores.join(of), await stores.join(of), await stores.join(of)];
      const moved = { url: 'https://b.example/', endpoint: 'acme https://b.example:443' };
      await stores.webhooks.update(of.id, EVERYTHING, () => moved, NOW);
      // Whoever claims before the streams are gone through puts them right.
      expect(await stores.claimAll(NOW, 1)).toEqual([]);
      await stores.reconcileAll();
      for (const taskId of tasks) {
        expect(await stores.row(taskId)).toMatchObject({ endpoint: moved.endpoint });
      }
      expect((await stores.claimAll()).map(({ webhook }) => webhook.url)).toEqual(
        tasks.map(() => moved.url),
      );
      expect(await stores.subscriptionStreams.stale()).toEqual([]);
    });
  });

  describe('a paused subscription', () => {
    const pause = { state: 'paused' } as const;
    const resume = { state: 'active' } as const;

    it('has nothing sent; events gather and are told when it is resumed', async () => {
      const of = await stores.subscribe();
      const [waits, rests] = [await stores.join(of), await stores.join(of, 'next')];
      await stores.webhooks.update(of.id, EVERYTHING, () => pause, NOW);
      expect(await stores.claimAll()).toEqual([]);
      await stores.reconcileAll();
      const late = await stores.join(of);
      expect(await stores.claimAll()).toEqual([]);
      const marks = [waits, rests, late].map((taskId) => ({
        taskId,
        seq: 5,
        when: 'always' as const,
      }));
      await stores.database.write((tx) => markDue(tx, marks, NOW));
      expect(await stores.claimAll()).toEqual([]);
      await stores.webhooks.update(of.id, EVERYTHING, () => resume, NOW);
      await stores.reconcileAll();
      const streams = await stores.claimAll();
      expect(streams.map(({ webhook }) => webhook.taskId).sort()).toEqual(
        [waits, rests, late].sort(),
      );
    });

    it('lets an attempt under way end, and be recorded', async () => {
      const of = await stores.subscribe();
      const taskId = await stores.join(of);
      const [held] = await stores.claimAll();
      const stream = await stores.reachOne(held!);
      await stores.webhooks.update(of.id, EVERYTHING, () => pause, NOW);
      await stores.reconcileAll();
      const delivery = (await stores.streams.firstOpen(stream.id))!;
      const attempt = {
        number: 1,
        at: NOW,
        durationMs: 1,
        isRounded: false,
        status: 200,
        error: null,
        response: null,
      };
      const attemptRecord = {
        delivery,
        attempt,
        result: { state: 'delivered' },
      } as const;
      expect(await stores.streams.recordAttempt(stream, attemptRecord, NOW, LEASE)).toBe('idle');
      expect(await stores.statesOf(taskId)).toEqual(['delivered']);
    });
  });

  describe('a disabled subscription', () => {
    const attempt = {
      number: 1,
      at: NOW,
      durationMs: 1,
      isRounded: false,
      status: 410,
      error: null,
      response: null,
    };

    it('is what 410 from its receiver makes of it, for all its tasks', async () => {
      const of = await stores.subscribe();
      const [one, two] = [await stores.join(of), await stores.join(of, 'present-state', 4)];
      const streams = await stores.claimAll();
      const held = streams.find(({ webhook }) => webhook.taskId === one)!;
      const stream = await stores.reachOne(held);
      const delivery = (await stores.streams.firstOpen(stream.id))!;
      const result = { state: 'dead', reason: 'HTTP 410', effect: 'disabled' } as const;
      const attemptRecord = { delivery, attempt, result };
      await stores.streams.recordAttempt(stream, attemptRecord, NOW, LEASE);
      expect(await stores.subscriptions.get(of.id, EVERYTHING)).toMatchObject({
        state: 'disabled',
        stateReason: 'HTTP 410',
      });
      await stores.reconcileAll();
      expect([await stores.statesOf(one), await stores.statesOf(two)]).toEqual([
        ['dead'],
        ['dead'],
      ]);
      expect(await stores.claimAll(LATER)).toEqual([]);
    });

    it('is not what 410 from the address before makes of it, and nothing is lost', async () => {
      const of = await stores.subscribe();
      const task = await stores.join(of);
      const [held] = await stores.claimAll();
      const stream = await stores.reachOne(held!);
      const delivery = (await stores.streams.firstOpen(stream.id))!;
      const moved = { url: 'https://new.example/', fingerprint: 'f2' };
      await stores.webhooks.update(of.id, EVERYTHING, () => moved, NOW);
      const result = { state: 'dead', reason: 'HTTP 410', effect: 'disabled' } as const;
      const attemptRecord = { delivery, attempt, result };
      expect(await stores.streams.recordAttempt(stream, attemptRecord, NOW, LEASE)).toBe('lost');
      expect(await stores.subscriptions.get(of.id, EVERYTHING)).toMatchObject({ state: 'active' });
      await stores.reconcileAll();
      expect(await stores.statesOf(task)).toEqual(['pending']);
      expect(await stores.claimAll()).toMatchObject([{ webhook: moved }]);
    });

    it('is not what days of failures of one task make of it; resumed, it takes that up again', async () => {
      const of = await stores.subscribe();
      const [poison, other] = [await stores.join(of), await stores.join(of)];
      const streams = await stores.claimAll();
      const held = streams.find(({ webhook }) => webhook.taskId === poison)!;
      const stream = await stores.reachOne(held);
      const delivery = (await stores.streams.firstOpen(stream.id))!;
      const result = { state: 'dead', reason: 'HTTP 500', effect: 'disabled' } as const;
      const attemptRecord = { delivery, attempt: { ...attempt, status: 500 }, result };
      await stores.streams.recordAttempt(stream, attemptRecord, NOW, LEASE);
      await stores.reconcileAll();
      const told = await stores.subscriptions.get(of.id, EVERYTHING);
      expect(told).toMatchObject({ state: 'active' });
      expect(await stores.row(poison)).toMatchObject({ active: 0 });
      expect(await stores.row(other)).toMatchObject({ active: 1 });
      await stores.webhooks.update(of.id, EVERYTHING, () => ({ state: 'active' }), NOW);
      await stores.reconcileAll();
      expect(await stores.row(poison)).toMatchObject({ active: 1 });
      const [row] = await stores.database.read<Record<string, unknown>>(
        'SELECT state, failing_since FROM push_delivery_streams WHERE task_id = ?',
        [poison],
      );
      expect(row).toEqual({ state: 'active', failing_since: null });
    });

    it('goes on where it was when it is resumed', async () => {
      const of = await stores.subscribe();
      const taskId = await stores.join(of, 'next', 4);
      await stores.webhooks.update(of.id, EVERYTHING, () => ({ state: 'disabled' }), NOW);
      await stores.reconcileAll();
      // An event that finds nobody.
      await stores.database.write(function* (tx) {
        yield* tx.run('UPDATE tasks SET seq = 6 WHERE id = ?', [taskId]);
        yield* markDue(tx, [{ taskId, seq: 6, when: 'always' }], NOW);
      });
      expect(await stores.claimAll()).toEqual([]);
      await stores.webhooks.update(of.id, EVERYTHING, () => ({ state: 'active' }), NOW);
      await stores.reconcileAll();
      expect(await stores.claimAll()).toMatchObject([{ nextSeq: 5, webhook: { taskId } }]);
    });

    it('has a gap where what was open was given up, and none for what the log tells again', async () => {
      const of = await stores.subscribe();
      const [open_, unread] = [await stores.join(of), await stores.join(of)];
      const held = (await stores.claimAll()).find(({ webhook }) => webhook.taskId === open_)!;
      await stores.reachOne(held);
      await stores.webhooks.update(of.id, EVERYTHING, () => ({ state: 'disabled' }), NOW);
      await stores.reconcileAll();
      await stores.webhooks.update(of.id, EVERYTHING, () => ({ state: 'active' }), NOW);
      await stores.reconcileAll();
      expect(await stores.row(open_)).toMatchObject({ active: 1, next_seq: 4, gap_seq: 3 });
      expect(await stores.row(unread)).toMatchObject({ active: 1, next_seq: 1, gap_seq: null });
    });
  });

  describe('a deleted subscription', () => {
    it('is gone at once with its secrets; what waits is a dead letter', async () => {
      const of = await stores.subscribe();
      const open_ = await stores.join(of, 'present-state', 4);
      const unread = await stores.join(of);
      const told = await stores.join(of, 'next');
      expect(await stores.webhooks.remove(of.id, EVERYTHING, () => undefined, NOW)).toBe(true);
      expect(await stores.subscriptions.get(of.id, EVERYTHING)).toBeUndefined();
      expect(await stores.subscriptions.all()).toEqual([]);
      const [row] = await stores.database.read<Record<string, unknown>>(
        'SELECT sealed_credentials FROM push_webhooks',
      );
      expect(row).toEqual({ sealed_credentials: null });
      await stores.reconcileAll();
      const reason = 'the subscription was deleted';
      for (const [taskId, said] of [
        [open_, reason],
        [unread, `${reason}: entries 1 to 2 of the task's log`],
      ] as const) {
        const found = await stores.deliveries.list({ taskId }, EVERYTHING, 10, null);
        expect(found).toMatchObject([{ state: 'dead', reason: said, number: 1 }]);
      }
      expect(await stores.statesOf(told)).toEqual([]);
      for (const table of ['push_webhooks', 'push_delivery_streams']) {
        expect(await stores.database.read(`SELECT 1 FROM ${table}`)).toEqual([]);
      }
    });

    it('has a stream that a task still got ended by whoever claims it', async () => {
      const of = await stores.subscribe();
      await stores.webhooks.remove(of.id, EVERYTHING, () => undefined, NOW);
      await stores.reconcileAll();
      const taskId = await stores.join(of);
      expect(await stores.claimAll()).toEqual([]);
      expect(await stores.statesOf(taskId)).toEqual(['dead']);
      expect(await stores.row(taskId)).toBeUndefined();
    });

    it('may be followed by another of its id once its streams are ended', async () => {
      const of = await stores.subscribe({ id: 'mine', source: 'config' });
      await stores.join(of);
      await stores.webhooks.remove('mine', EVERYTHING, () => undefined, NOW);
      await expect(stores.subscribe({ id: 'mine' })).rejects.toMatchObject({ reason: 'CONFLICT' });
      await stores.reconcileAll();
      await stores.subscribe({ id: 'mine' });
    });
  });

  it('leaves nothing behind of a task that is forgotten', async () => {
    const of = await stores.subscribe();
    const taskId = await stores.join(of, 'next');
    await stores.database.write((tx) => forgetWebhooks(tx, [taskId]));
    expect(await stores.row(taskId)).toBeUndefined();
    expect(await stores.subscriptions.get(of.id, EVERYTHING)).toBeDefined();
  });
}
