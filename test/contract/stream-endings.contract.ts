import { markDue } from '../../src/push/delivery/persistence/push-append.participant.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import { LOG_START } from '../../src/push/delivery/domain/delivery-plan.js';
import type { Database } from '../../src/database/database.js';
import type { Tx, Work } from '../../src/database/sql.js';
import type { DeliveryStream } from '../../src/push/delivery/delivery-stream-store.js';
import { SqlDeliveryStreamStore } from '../../src/push/delivery/persistence/sql-delivery-stream.store.js';
import { ENDPOINT_RULES, deliveryOf, inHand } from '../support/push-stores.js';
import { LEASE, NOW, type SubscriptionStores } from '../support/subscription-stores.js';

/** What stays visible of what a stream had left to tell, however it ends. */
export function streamEndingsContract(open: () => Promise<SubscriptionStores>): void {
  let stores: SubscriptionStores;
  beforeEach(async () => {
    stores = await open();
  });

  /** Entries 1 and 2 are in hand, 3 to 8 of the log are behind them. */
  async function behind(stream: DeliveryStream): Promise<DeliveryStream> {
    const deliveries = [deliveryOf(1), deliveryOf(2)];
    const reached = { nextSeq: 3, cursor: LOG_START, deliveries };
    const held = inHand(await stores.streams.advance(stream, reached, NOW, LEASE));
    await stores.database.write((tx) =>
      markDue(tx, [{ taskId: stream.webhook.taskId, seq: 8, when: 'always' }], NOW),
    );
    return held;
  }

  async function webhookBehind(): Promise<DeliveryStream> {
    await stores.freshStream({ configId: 'c' });
    return behind(await stores.claimOne(NOW));
  }

  const endings: readonly (readonly [string, string, () => Promise<string>])[] = [
    [
      'its webhook is deleted over A2A',
      'the webhook was deleted',
      async () => {
        const { taskId } = (await webhookBehind()).webhook;
        await stores.webhooks.removeOfTask(taskId, 'c', NOW);
        return taskId;
      },
    ],
    [
      'its webhook is deleted by the API',
      'the webhook was deleted',
      async () => {
        const { taskId, streamId } = (await webhookBehind()).webhook;
        await stores.drop(streamId, EVERYTHING, NOW);
        return taskId;
      },
    ],
    [
      'its receiver answers 410',
      'the webhook is disabled: HTTP 410',
      async () => {
        const stream = await webhookBehind();
        const delivery = (await stores.streams.firstOpen(stream.id))!;
        const attempt = {
          number: 1,
          at: NOW,
          durationMs: 1,
          isRounded: false,
          status: 410,
          error: null,
        };
        const result = { state: 'dead', reason: 'HTTP 410', effect: 'disabled' } as const;
        const attemptRecord = { delivery, attempt: { ...attempt, response: null }, result };
        expect(await stores.streams.recordAttempt(stream, attemptRecord, NOW, LEASE)).toBe('idle');
        return stream.webhook.taskId;
      },
    ],
    [
      'its endpoint is disabled',
      'the webhook is disabled: every attempt at its endpoint failed for too long',
      async () => {
        const { webhook } = await webhookBehind();
        const at = NOW.getTime();
        await stores.database.write((tx) =>
          tx.run(
            `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes,
               enqueues, disabled_at, disable_cursor, created_at, updated_at)
             VALUES (?, 'acme', 'disabled', 9, 1, 0, 1, ?, '', ?, ?)
             ON CONFLICT (endpoint) DO UPDATE SET state = excluded.state,
               disabled_at = excluded.disabled_at, disable_cursor = excluded.disable_cursor`,
            [webhook.endpoint, at, at, at],
          ),
        );
        while (await stores.cleanup.disableWebhooks(NOW, 10));
        return webhook.taskId;
      },
    ],
    [
      'its subscription is deleted',
      'the subscription was deleted',
      async () => {
        const of = await stores.subscribe();
        const taskId = await stores.join(of);
        const [stream] = await stores.claimAll();
        await behind(stream!);
        await stores.webhooks.remove(of.id, EVERYTHING, () => undefined, NOW);
        await stores.reconcileAll();
        return taskId;
      },
    ],
    [
      'its subscription is disabled',
      'the subscription is disabled',
      async () => {
        const of = await stores.subscribe();
        const taskId = await stores.join(of);
        const [stream] = await stores.claimAll();
        await behind(stream!);
        await stores.webhooks.update(of.id, EVERYTHING, () => ({ state: 'disabled' }), NOW);
        await stores.reconcileAll();
        return taskId;
      },
    ],
  ];

  describe('a stream that is behind', () => {
    it.each(endings)('leaves dead letters of all when %s', async (_, reason, end) => {
      const taskId = await end();
      const found = await stores.deliveries.list({ taskId }, EVERYTHING, 10, null);
      expect(found.map(({ kind, state, seq, number }) => [kind, state, seq, number])).toEqual([
        ['snapshot', 'dead', 8, 3],
        ['event', 'dead', 2, 2],
        ['event', 'dead', 1, 1],
      ]);
      expect(found[0]!.reason).toBe(`${reason}: entries 3 to 8 of the task's log`);
      expect(found[1]!.reason).toBe(reason);
    });

    it('takes the number of its event after every other lock when its receiver answers 410', async () => {
      const taskId = await stores.join(await stores.subscribe());
      const stream = await behind((await stores.claimAll())[0]!);
      const said: string[] = [];
      const heard = Object.assign(Object.create(stores.database) as Database, {
        write: <T>(work: (tx: Tx) => Work<T>) =>
          stores.database.write(function* (tx) {
            const steps = work(tx);
            let step = steps.next();
            while (!step.done) {
              said.push(step.value.sql);
              step = steps.next(yield step.value);
            }
            return step.value;
          }),
      });
      const streams = new SqlDeliveryStreamStore(
        heard,
        stores.ids,
        ENDPOINT_RULES,
        stores.news,
        stores.holds,
      );
      const delivery = (await stores.streams.firstOpen(stream.id))!;
      const attempt = {
        number: 1,
        at: NOW,
        durationMs: 1,
        isRounded: false,
        status: 410,
        error: null,
      };
      const result = { state: 'dead', reason: 'HTTP 410', effect: 'disabled' } as const;
      const attemptRecord = { delivery, attempt: { ...attempt, response: null }, result };
      await streams.recordAttempt(stream, attemptRecord, NOW, LEASE);
      const [event] = await stores.endpoints.events({}, EVERYTHING, 1, null);
      expect(event).toMatchObject({ type: 'webhook.disabled', taskId });
      const changed = said.flatMap(
        (sql) => /^\s*(?:UPDATE|INSERT INTO) (\w+)/.exec(sql)?.[1] ?? [],
      );
      expect(changed).toContain('push_webhooks');
      expect(changed.slice(-2)).toEqual(['push_event_counter', 'push_events']);
    });

    it('leaves them once: one that was disabled adds none when it is deleted', async () => {
      const taskId = await endings[2]![2]();
      const webhook = (await stores.webhooks.ofTask(taskId, 'c'))!;
      expect(await stores.webhooks.progress(webhook)).toMatchObject({ dead: 3, entriesBehind: 0 });
      await stores.webhooks.removeOfTask(taskId, 'c', NOW);
      expect(await stores.statesOf(taskId)).toEqual(['dead', 'dead', 'dead']);
    });

    it('has a number for each: what it tells when it is resumed comes after its letters', async () => {
      const taskId = await endings[2]![2]();
      await stores.webhooks.set(taskId, stores.draft({ configId: 'c' }), {
        now: NOW,
        repeated: 'leave',
      });
      const stream = await stores.claimOne(NOW);
      expect(await stores.streams.firstOpen(stream.id)).toMatchObject({
        kind: 'snapshot',
        number: 4,
      });
    });
  });
}
