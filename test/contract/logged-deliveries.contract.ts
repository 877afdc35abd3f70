import { markDue } from '../../src/push/delivery/persistence/push-append.participant.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EndpointOutcome } from '../../src/push/receivers/endpoint.js';
import { EVERYTHING } from '../../src/auth/index.js';
import { TaskState } from '../../src/protocol/a2a.js';
import { type Delivery, untried } from '../../src/push/delivery/delivery.js';
import type { StreamCursor } from '../../src/push/delivery/domain/delivery-plan.js';
import type {
  DeliveryStream,
  AttemptRecord,
  StepResult,
} from '../../src/push/delivery/delivery-stream-store.js';
import { type PushStores, deliveryOf, inHand } from '../support/push-stores.js';

const NOW = new Date(1_000_000);
const LEASE = new Date(NOW.getTime() + 30_000);
const RETRY = new Date(NOW.getTime() + 5000);
const CURSOR: StreamCursor = { state: TaskState.TASK_STATE_WORKING, unfinished: [] };
const DELIVERED = { state: 'delivered' } as const;
const RETRYING = { state: 'retrying', at: RETRY, reason: 'HTTP 503' } as const;

/**
 * What every `DeliveryStreamStore` promises of deliveries that are tried before they are stored; with `proven` of an
 * endpoint that has been well for long, where most attempts change nothing but their stream.
 */
export function loggedDeliveriesContract(open: () => Promise<PushStores>, proven = false): void {
  let stores: PushStores;
  beforeEach(async () => {
    stores = await open();
    if (!proven) return;
    await stores.database.write((tx) =>
      tx.run(
        `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes, enqueues,
           created_at, updated_at, last_success_at)
         VALUES ('acme https://hooks.example', 'acme', 'healthy', 0, 10, 0, 0, 0, 7, ?)`,
        [NOW.getTime() - 1000],
      ),
    );
  });

  /** A claimed stream with this many log entries before it. */
  async function claimed(entries: number): Promise<DeliveryStream> {
    const taskId = await stores.freshStream({ configId: 'c' });
    await stores.database.write((tx) =>
      markDue(tx, [{ taskId, seq: entries, when: 'always' }], NOW),
    );
    return stores.claimOne(NOW);
  }

  /** The attempt for the entry at the stream's place, as it is recorded. */
  function attemptOf(
    stream: DeliveryStream,
    result: AttemptRecord['result'],
    status = 200,
  ): AttemptRecord {
    const seq = stream.nextSeq;
    const draft = deliveryOf(seq);
    const ready = { ...draft, body: draft.body!, contentType: draft.contentType! };
    const delivery = untried(stream, ready, stores.ids.next(), NOW);
    const reached = { nextSeq: seq + 1, cursor: CURSOR, deliveries: [draft], ready: delivery };
    const error = status < 300 ? null : 'status';
    const attempt = {
      number: 1,
      at: NOW,
      durationMs: 7,
      isRounded: false,
      status,
      error,
      response: 'ok',
    };
    const begunAt = NOW.getTime();
    const outcome: EndpointOutcome =
      result.state === 'delivered'
        ? { kind: 'delivered', begunAt }
        : { kind: 'answered', begunAt, error: `HTTP ${status}` };
    return { delivery, reached, attempt, result, ...(proven && { outcome }) };
  }

  /** Whether an attempt has written anything of the endpoint. */
  const endpointWritten = async (): Promise<boolean> => {
    const rows = await stores.database.read<{ updated_at: number }>(
      'SELECT updated_at FROM push_endpoints WHERE updated_at <> 7',
    );
    return rows.length > 0;
  };

  const record = (stream: DeliveryStream, attemptRecord: AttemptRecord): Promise<StepResult> =>
    stores.streams.recordAttempt(stream, attemptRecord, NOW, LEASE);

  /** Where a stream goes on. */
  const inStep = (step: StepResult): string | number =>
    typeof step === 'string' ? step : step.nextSeq;

  const all = async (): Promise<Delivery[]> =>
    (await stores.deliveries.list({}, EVERYTHING, 100, null)).reverse();

  describe('a delivery that was tried before it was stored', () => {
    it('is stored delivered, with its attempt and without its bytes, and the stream goes on', async () => {
      const stream = await claimed(4);
      const next = inHand(await record(stream, attemptOf(stream, DELIVERED)));
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
        { number: 1, at: NOW, durationMs: 7, isRounded: false, status: 200, response: 'ok' },
      ]);
      const [row] = await stores.database.read<{ body: string | null }>(
        'SELECT body FROM push_deliveries',
      );
      expect(row?.body).toBeNull();
    });

    it('goes on with its lease while that is long, and extends it in time', async () => {
      let stream = await claimed(9);
      stream = inHand(await record(stream, attemptOf(stream, DELIVERED)));
      const later = (ms: number): Date => new Date(NOW.getTime() + ms);
      const step = stores.streams.recordAttempt(
        stream,
        attemptOf(stream, DELIVERED),
        later(20_000),
        later(50_000),
      );
      expect(inHand(await step).leaseUntil).toEqual(later(50_000));
      expect(await stores.row(stream.webhook.taskId)).toMatchObject({
        lease_until: later(50_000).getTime(),
        due_at: later(50_000).getTime(),
        next_seq: 3,
      });
      if (proven) expect(await endpointWritten()).toBe(false);
    });

    it('notices an event that came meanwhile', async () => {
      const stream = await claimed(1);
      const { taskId } = stream.webhook;
      await stores.database.write((tx) => markDue(tx, [{ taskId, seq: 2, when: 'always' }], NOW));
      const next = inHand(await record(stream, attemptOf(stream, DELIVERED)));
      expect(next).toMatchObject({ nextSeq: 2, headSeq: 2 });
      expect(await record(next, attemptOf(next, DELIVERED))).toBe('idle');
    });

    it('lets the stream rest when it was the last', async () => {
      const stream = await claimed(2);
      const next = inHand(await record(stream, attemptOf(stream, DELIVERED)));
      expect(await record(next, attemptOf(next, DELIVERED))).toBe('idle');
      expect((await all()).map(({ number, seq }) => [number, seq])).toEqual([
        [1, 1],
        [2, 2],
      ]);
      expect(await stores.streams.nextDueAt(LEASE)).toBeNull();
    });

    it('waits for its next try with the bytes that were sent', async () => {
      const stream = await claimed(4);
      expect(await record(stream, attemptOf(stream, RETRYING, 503))).toBe('idle');
      expect(await stores.streams.nextDueAt(NOW)).toEqual(RETRY);
      const again = await stores.claimOne(RETRY);
      expect(again).toMatchObject({ open: 1, nextSeq: 2, lastNumber: 1 });
      expect(await stores.streams.firstOpen(again.id, again.epoch)).toMatchObject({
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
      const stream = await claimed(4);
      const dead = { state: 'dead', reason: 'no', effect: 'none' } as const;
      const next = inHand(await record(stream, attemptOf(stream, dead, 422)));
      expect(next).toMatchObject({ gapSeq: 1, open: 0, nextSeq: 2 });
      const [letter] = await all();
      expect(letter).toMatchObject({ state: 'dead', reason: 'no', rejections: 1 });
      await stores.deliveries.redeliver(letter!.id, EVERYTHING, NOW);
      expect(await stores.streams.firstOpen(stream.id)).toMatchObject({ body: '{"seq":1}' });
    });

    it('ends its webhook with 410', async () => {
      const stream = await claimed(4);
      const gone = { state: 'dead', reason: 'HTTP 410', effect: 'disabled' } as const;
      expect(await record(stream, attemptOf(stream, gone, 410))).toBe('idle');
      expect(await stores.webhooks.ofTask(stream.webhook.taskId, 'c')).toMatchObject({
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
        const stream = await claimed(4);
        const attemptRecord = attemptOf(stream, result, status);
        await record(stream, attemptRecord);
        expect(await record(stream, attemptRecord)).toBe('lost');
      }
      expect((await all()).map(({ attempts }) => attempts)).toEqual([1, 1]);
    });

    it('is found in the log again, the same, by whoever takes the stream of one that is gone', async () => {
      const stream = await claimed(4);
      const sent = attemptOf(stream, DELIVERED);
      const taken = await stores.claimOne(LEASE, 'w2');
      expect(attemptOf(taken, DELIVERED).delivery).toEqual({
        ...sent.delivery,
        id: expect.any(String),
      });
      expect(await record(stream, sent)).toBe('lost');
      expect(await all()).toEqual([]);
      inHand(await record(taken, attemptOf(taken, DELIVERED)));
      expect(await all()).toHaveLength(1);
    });

    it('is recorded when its webhook was paused meanwhile; then the stream rests', async () => {
      const stream = await claimed(4);
      const webhook = (await stores.webhooks.ofTask(stream.webhook.taskId, 'c'))!;
      expect(await stores.streams.isClaimed(stream)).toBe(true);
      await stores.pause(webhook.streamId, EVERYTHING, NOW);
      expect(await stores.streams.isClaimed(stream)).toBe(false);
      expect(await record(stream, attemptOf(stream, DELIVERED))).toBe('idle');
      expect((await all()).map(({ state }) => state)).toEqual(['delivered']);
    });

    it('is not recorded under a webhook that was replaced meanwhile', async () => {
      const stream = await claimed(4);
      const draft = stores.draft({ configId: 'c', fingerprint: 'another' });
      await stores.webhooks.set(stream.webhook.taskId, draft, { now: NOW, repeated: 'leave' });
      expect(await stores.streams.isClaimed(stream)).toBe(false);
      expect(await record(stream, attemptOf(stream, DELIVERED))).toBe('lost');
      expect(await stores.claimOne(NOW)).toMatchObject({ nextSeq: 1, lastNumber: 0 });
    });

    it('keeps its number from others when the stream is moved back while it is under way', async () => {
      let stream = await claimed(4);
      stream = inHand(await record(stream, attemptOf(stream, DELIVERED)));
      const second = attemptOf(stream, DELIVERED);
      await stores.webhooks.replay(stream.webhook.streamId, EVERYTHING, { sequence: 1 }, NOW);
      expect(await record(stream, second)).toBe('lost');
      const again = await stores.claimOne(NOW);
      expect(again.nextSeq).toBe(1);
      expect(attemptOf(again, DELIVERED).delivery.number).toBe(second.delivery.number + 1);
    });

    it('is recorded with many others, whatever becomes of some of them', async () => {
      const streams: DeliveryStream[] = [];
      for (let i = 0; i < 10; i += 1) streams.push(await claimed(1 + (i % 2)));
      const attempts = streams.map((stream) => attemptOf(stream, DELIVERED));
      // One was recorded before, one has the id of another, which no database takes twice.
      await record(streams[3]!, attempts[3]!);
      const { delivery } = attempts[5]!;
      attempts[5] = { ...attempts[5]!, delivery: { ...delivery, id: attempts[3]!.delivery.id } };
      const ended = await Promise.allSettled(
        streams.map((stream, i) => record(stream, attempts[i]!)),
      );
      const results = ended.map((each) =>
        each.status === 'rejected' ? 'failed' : inStep(each.value),
      );
      const expected: (string | number)[] = streams.map((_, i) => (i % 2 === 0 ? 'idle' : 2));
      expect(results).toEqual(expected.with(3, 'lost').with(5, 'failed'));
      const stored = await all();
      expect(stored).toHaveLength(9);
      for (const { id, state } of stored) {
        expect(state).toBe('delivered');
        expect(await stores.deliveries.attempts(id)).toHaveLength(1);
      }
      expect(new Set(stored.map(({ taskId }) => taskId)).size).toBe(9);
    });

    it('lets a redelivery go before what follows in the log', async () => {
      let stream = await claimed(4);
      stream = inHand(await record(stream, attemptOf(stream, DELIVERED)));
      const [first] = await all();
      await stores.deliveries.redeliver(first!.id, EVERYTHING, NOW);
      stream = inHand(await record(stream, attemptOf(stream, DELIVERED)));
      expect(stream).toMatchObject({ open: 1, nextSeq: 3 });
      expect(await stores.streams.firstOpen(stream.id)).toMatchObject({ id: first!.id });
    });
  });
}
