import { markDue } from '../../src/push/delivery/persistence/push-append.participant.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING, type Visibility } from '../../src/auth/index.js';
import { enqueueStreams } from '../../src/push/delivery/persistence/endpoint-queues.js';
import { LOG_START } from '../../src/push/delivery/domain/delivery-plan.js';
import type { EndpointRules } from '../../src/push/receivers/domain/endpoint-health.js';
import {
  RECEIVER_STATES,
  type ReceiverState,
  receiverStateOf,
  rejectsEvents,
} from '../../src/push/receivers/domain/receiver-state.js';
import type { EndpointOutcome } from '../../src/push/receivers/endpoint.js';
import type {
  DeliveryStream,
  AttemptRecord,
  StepResult,
} from '../../src/push/delivery/delivery-stream-store.js';
import { type PushStores, deliveryOf, inHand } from '../support/push-stores.js';

const START = 1_000_000;
const LEASE_MS = 30_000;
const RULES: Partial<EndpointRules> = {
  failuresToOpen: 3,
  pauseMs: 5000,
  maxPauseMs: 20_000,
  disableAfterMs: 1_000_000,
};
const E = 'acme https://hooks.example:443';

/** What breakers promise, on the stores. */
export function endpointHealthContract(
  open: (rules?: Partial<EndpointRules>) => Promise<PushStores>,
): void {
  let stores: PushStores;
  let now = START;
  beforeEach(async () => {
    stores = await open(RULES);
    now = START;
  });

  const at = (ms = now): Date => new Date(ms);
  const claim = (owner = 'w1', free = 100): Promise<DeliveryStream[]> =>
    stores.streams.claim(owner, at(), LEASE_MS, { free, perEndpoint: 10 });

  /** Streams at an endpoint, the first due first; their task ids. */
  async function streams(count: number, endpoint = E): Promise<string[]> {
    const tasks: string[] = [];
    for (let i = 0; i < count; i++) {
      tasks.push(await stores.freshStream({ configId: 'c', endpoint }, at(START - 1000 + i)));
    }
    return tasks;
  }

  /** The stream with a delivery in hand, as its runner has it before it sends. */
  async function reached(stream: DeliveryStream): Promise<DeliveryStream> {
    if (stream.open > 0) return stream;
    const deliveries = [deliveryOf(1, { webhookId: `${stream.id}.1` })];
    const step = { nextSeq: 3, cursor: LOG_START, deliveries };
    return inHand(await stores.streams.advance(stream, step, at(), at(now + LEASE_MS)));
  }

  async function record(
    stream: DeliveryStream,
    result: AttemptRecord['result'],
    outcome: EndpointOutcome | undefined,
    status: number,
  ): Promise<StepResult> {
    const delivery = (await stores.streams.firstOpen(stream.id, stream.epoch))!;
    const attempt = {
      number: delivery.attempts + 1,
      at: at(),
      durationMs: 5,
      isRounded: false,
      status,
      error: null,
      response: null,
    };
    const attemptRecord = { delivery, attempt, result, ...(outcome ? { outcome } : {}) };
    return stores.streams.recordAttempt(stream, attemptRecord, at(), at(now + LEASE_MS));
  }

  const failed = (change: object = {}): EndpointOutcome => ({
    kind: 'failed',
    begunAt: now,
    error: 'HTTP 503',
    blame: 'endpoint',
    retryAfterMs: null,
    exhausted: false,
    ...change,
  });

  async function fail(
    stream: DeliveryStream,
    retryMs = 1000,
    change: object = {},
  ): Promise<StepResult> {
    const result = { state: 'retrying', at: at(now + retryMs), reason: 'HTTP 503' } as const;
    return record(await reached(stream), { ...result, ...change }, failed(change), 503);
  }

  async function succeed(stream: DeliveryStream): Promise<StepResult> {
    const ready = await reached(stream);
    return record(ready, { state: 'delivered' }, { kind: 'delivered', begunAt: now }, 200);
  }

  /** Has the breaker of an endpoint with some streams open; their task ids. */
  async function opened(count: number): Promise<string[]> {
    const tasks = await streams(count);
    for (const stream of (await claim()).slice(0, 3)) await fail(stream);
    // Those in flight come back with the same.
    const left = await stores.database.read<{ id: string }>(
      'SELECT id FROM push_delivery_streams WHERE lease_until IS NOT NULL',
    );
    expect(left).toHaveLength(Math.max(0, count - 3));
    await stores.streams.releaseOthers('nobody');
    return tasks;
  }

  /** Sets the webhook of a task anew, which ends the claim of its stream. */
  async function change(taskId: string): Promise<void> {
    const draft = stores.draft({ configId: 'c', endpoint: E, url: 'https://hooks.example/b' });
    await stores.webhooks.set(taskId, draft, { now: at(), repeated: 'leave' });
  }

  const endpoint = async () => (await stores.endpoints.list({}, EVERYTHING, 10, null))[0];
  const types = async (visibility: Visibility = EVERYTHING) =>
    (await stores.endpoints.eventsAfter(0, visibility, 100)).map(({ type }) => type);

  describe('the breaker of an endpoint', () => {
    it('lets one stream try when its time has come, whoever asks, and the others wait', async () => {
      await opened(8);
      expect(await endpoint()).toMatchObject({ state: 'failing', probeAt: now + 5000 });
      now += 4999;
      expect(await claim('a')).toEqual([]);
      now += 1;
      const [both, none] = [await claim('a'), await claim('b')];
      expect(both).toHaveLength(1);
      expect(both[0]).toMatchObject({ probeUntil: at(now + LEASE_MS), isEarly: true });
      expect(none).toEqual([]);
      // Nor does one that has just come.
      await streams(1);
      expect(await claim('b')).toEqual([]);
      expect(await endpoint()).toMatchObject({ waiting: 9 });
    });

    it('lets two claimers at once have one probe', async () => {
      await opened(8);
      now += 5000;
      const got = await Promise.all([claim('a'), claim('b'), claim('c')]);
      expect(got.flat()).toHaveLength(1);
    });

    it('tells when the next probe is due', async () => {
      await opened(5);
      now += 2000;
      await claim();
      expect(await stores.streams.nextDueAt(at())).toEqual(at(START + 5000));
    });

    it('tries another stream next time, after longer and longer pauses', async () => {
      await opened(4);
      const tried: string[] = [];
      for (const pause of [5000, 10_000, 20_000, 20_000]) {
        now += pause - 1;
        expect(await claim()).toEqual([]);
        now += 1;
        const [stream] = await claim();
        tried.push(stream!.id);
        expect(await fail(stream!, 3_600_000)).toBe('idle');
      }
      expect(new Set(tried).size).toBe(4);
    });

    it('uses up no try of a delivery that is tried before its time', async () => {
      await opened(1 + 2);
      now += 5000;
      const [stream] = await claim();
      const before = (await stores.streams.firstOpen(stream!.id))!;
      await fail(stream!, 900, { isEarly: true });
      const after = (await stores.streams.firstOpen(stream!.id))!;
      expect([before.tries, after.tries]).toEqual([1, 1]);
      expect(after.attempts).toBe(2);
    });

    it('closes with a success, and all streams go on at once, those that wait longest first', async () => {
      const tasks = await opened(8);
      now += 5000;
      const [probe] = await claim();
      expect(await succeed(probe!)).toBe('idle');
      expect(await endpoint()).toMatchObject({ state: 'healthy', probeAt: null, failures: 0 });
      const rest = await claim();
      const order = rest.map(({ webhook }) => tasks.indexOf(webhook.taskId));
      expect([...order].sort((a, b) => a - b)).toEqual(
        [0, 1, 2, 3, 4, 5, 6, 7].filter((i) => tasks[i] !== probe!.webhook.taskId),
      );
      expect(rest.every(({ isEarly }) => isEarly)).toBe(true);
      expect(await types()).toEqual(['endpoint.failing', 'endpoint.recovered']);
    });

    it('and the state that its receiver has are found by the same rule', async () => {
      const found = async (): Promise<ReceiverState[]> => {
        const states: ReceiverState[] = [];
        for (const state of RECEIVER_STATES) {
          const [only] = await stores.endpoints.list({ state }, EVERYTHING, 10, null);
          if (only === undefined) continue;
          expect(receiverStateOf(only)).toBe(state);
          const both = [rejectsEvents(only), !rejectsEvents(only)];
          for (const [index, rejects] of [true, false].entries()) {
            const those = await stores.endpoints.list({ state, rejects }, EVERYTHING, 10, null);
            expect([rejects, those.length]).toEqual([rejects, Number(both[index])]);
          }
          states.push(state);
        }
        // One attempt that failed opens no breaker.
        const all = await stores.endpoints.list({}, EVERYTHING, 10, null);
        expect(all.map(({ state }) => state)).toEqual(['healthy']);
        expect((await stores.streams.load()).failingEndpoints).toBe(0);
        return states;
      };
      await streams(5);
      const [held, first, second, third, fourth] = await claim();
      await stores.streams.postpone(held!, at(), at());
      expect(await found()).toEqual(['untried']);
      // It waits, for no failure of its own.
      expect((await stores.streams.load()).openEndpoints).toBe(0);
      now += 1;
      const answered = { kind: 'answered', begunAt: now, error: 'HTTP 410' } as const;
      const dead = { state: 'dead', reason: 'HTTP 410', effect: 'none' } as const;
      const refuse = async (stream: DeliveryStream) =>
        record(await reached(stream), dead, answered, 410);
      await succeed(first!);
      expect(await found()).toEqual(['healthy']);
      await refuse(second!);
      expect(await found()).toEqual(['failing']);
      expect(await endpoint()).toMatchObject({ state: 'healthy', lastError: 'HTTP 410' });
      // Less than a minute after the last one that was written.
      await succeed(third!);
      expect(await found()).toEqual(['healthy']);
      await fail(fourth!);
      expect(await found()).toEqual(['failing']);
      const one = { among: [E, 'acme https://other.example:443'] };
      expect(await stores.endpoints.list(one, EVERYTHING, 10, null)).toHaveLength(1);
      expect(await stores.endpoints.list({ among: [] }, EVERYTHING, 10, null)).toEqual([]);
      const others: Visibility = { kind: 'organization', organization: 'other' };
      expect(await stores.endpoints.list(one, others, 10, null)).toEqual([]);
    });

    it('closes with an event that it rejects, and has recovered once it accepts one', async () => {
      await opened(3);
      expect((await stores.streams.load()).openEndpoints).toBe(1);
      now += 5000;
      const [probe] = await claim();
      const dead = { state: 'dead', reason: 'HTTP 400', effect: 'none' } as const;
      const answered = { kind: 'answered', begunAt: now, error: 'HTTP 400' } as const;
      await record(probe!, dead, answered, 400);
      expect(await endpoint()).toMatchObject({ state: 'failing', probeAt: null, failures: 0 });
      const filter = { state: 'failing', rejects: true } as const;
      expect(await stores.endpoints.list(filter, EVERYTHING, 10, null)).toHaveLength(1);
      expect(await types()).toEqual(['endpoint.failing']);
      const [next] = await claim();
      now += 1;
      await succeed(next!);
      expect(await stores.endpoints.list(filter, EVERYTHING, 10, null)).toEqual([]);
      expect(await types()).toEqual(['endpoint.failing', 'endpoint.recovered']);
    });

    it('closes with a test that is delivered, unless it began before it opened', async () => {
      await opened(8);
      const tested = { organization: 'acme', endpoint: E };
      const test = (begunAt: number, endpoint = E) =>
        stores.streams.recordTest({ ...tested, endpoint }, at(begunAt), at());
      const begun = now;
      now += 100;
      await test(begun - 1);
      await test(now, 'acme https://other.example:443');
      expect(await endpoint()).toMatchObject({ state: 'failing', probeAt: expect.any(Number) });
      expect(await claim()).toEqual([]);
      await test(now);
      expect(await endpoint()).toMatchObject({ state: 'healthy', probeAt: null, failures: 0 });
      expect(await claim()).toHaveLength(8);
      await test(now);
      expect(await types()).toEqual(['endpoint.failing', 'endpoint.recovered']);
    });

    describe('when somebody asks for what it did not take', () => {
      /** One delivery of a stream of `opened`. */
      const letter = async (taskId: string): Promise<string> => {
        const [found] = await stores.deliveries.list({ taskId }, EVERYTHING, 1, null);
        return found!.id;
      };
      const streamOf = async (taskId: string): Promise<string> =>
        String((await stores.row(taskId))!['id']);
      const sendAgain = (taskId: string) =>
        stores.deliveries.redeliverDead({ taskId }, EVERYTHING, 10, at());

      /** Of 8 streams the first, its delivery given up, while the breaker is open. */
      async function givenUp(): Promise<string> {
        await opened(8);
        now += 5000;
        const [probe] = await claim();
        const dead = { state: 'dead', reason: 'HTTP 503', effect: 'none' } as const;
        await record(await reached(probe!), dead, failed({ exhausted: true }), 503);
        now += 1000;
        expect(await claim()).toEqual([]);
        return probe!.webhook.taskId;
      }

      /** One stream tries, whichever waits longest, and the others wait for it. */
      async function expectProbe(): Promise<DeliveryStream> {
        expect(await stores.streams.nextDueAt(at())).toEqual(at());
        const [both, none] = [await claim('a'), await claim('b')];
        expect([both.length, none.length]).toEqual([1, 0]);
        return both[0]!;
      }

      it('tries at once: a delivery, dead letters, a replay, a webhook that is resumed', async () => {
        const first = await givenUp();
        const asked: (() => Promise<unknown>)[] = [
          () => sendAgain(first),
          async () => stores.deliveries.redeliver(await letter(first), EVERYTHING, at()),
          async () =>
            stores.webhooks.replay(await streamOf(first), EVERYTHING, { sequence: 1 }, at()),
          async () => {
            await stores.pause(await streamOf(first), EVERYTHING, at());
            expect(await claim()).toEqual([]);
            await stores.resume(await streamOf(first), EVERYTHING, at());
          },
        ];
        for (const ask of asked) {
          await ask();
          const probe = await expectProbe();
          await fail(probe, 3_600_000);
          now += 1000;
          expect(await claim()).toEqual([]);
        }
        await sendAgain(first);
        await stores.deliveries.redeliver(await letter(first), EVERYTHING, at());
        await succeed(await expectProbe());
        expect(await claim()).toHaveLength(7);
      });

      it('tries once for one request, however many pieces it has', async () => {
        const first = await givenUp();
        const begun = at();
        await stores.deliveries.redeliver(await letter(first), EVERYTHING, begun);
        await fail(await expectProbe(), 3_600_000);
        await stores.deliveries.redeliver(await letter(first), EVERYTHING, begun);
        expect(await claim()).toEqual([]);
      });

      it('leaves alone one that is tried, that is paused, or that asked to wait', async () => {
        const first = await givenUp();
        await stores.pause(await streamOf(first), EVERYTHING, at());
        await stores.deliveries.redeliver(await letter(first), EVERYTHING, at());
        expect(await claim()).toEqual([]);
        await stores.resume(await streamOf(first), EVERYTHING, at());
        await expectProbe();
        await stores.deliveries.redeliver(await letter(first), EVERYTHING, at());
        expect(await claim()).toEqual([]);

        stores = await open(RULES);
        const [asking] = await streams(2);
        const [stream] = await claim();
        await fail(stream!, 1000, { retryAfterMs: 60_000 });
        await stores.streams.releaseOthers('nobody');
        now += 10_000;
        await stores.deliveries.redeliver(await letter(asking!), EVERYTHING, at());
        expect(await claim()).toEqual([]);
        now += 50_000;
        expect(await claim()).toHaveLength(1);
      });
    });

    it('gives a recovered endpoint few places at first', async () => {
      stores = await open({ ...RULES, startConcurrency: 2 });
      await streams(9);
      for (const stream of await claim()) await fail(stream, 0);
      for (const stream of await claim()) await fail(stream, 0);
      now += 5000;
      const [probe] = await claim();
      await succeed(probe!);
      const two = await claim();
      expect(two).toHaveLength(2);
      for (const stream of two) await succeed(stream);
      expect(await claim()).toHaveLength(6);
    });

    it('calls back streams whose schedule is far away', async () => {
      await streams(5);
      const all = await claim();
      for (const stream of all.slice(0, 2)) await fail(stream, 36_000_000);
      for (const stream of all.slice(2)) await fail(stream, 0);
      now += 5000;
      const [probe] = await claim();
      now += 1;
      await succeed(probe!);
      expect(await claim()).toHaveLength(4);
    });

    it('queues new streams of the endpoint, and an event does not wake them', async () => {
      const [first] = await opened(3);
      const later = await stores.freshStream({ configId: 'c', endpoint: E }, at());
      now += 2000;
      expect(await claim()).toEqual([]);
      for (const taskId of [first!, later]) {
        const mark = { taskId, seq: 9, when: 'always' } as const;
        await stores.database.write((tx) => markDue(tx, [mark], at()));
      }
      expect(await stores.streams.nextDueAt(at())).toEqual(at(START + 5000));
      expect(await claim()).toEqual([]);
    });

    it('is free for the next stream when the one that was to try gives up', async () => {
      await opened(3);
      now += 5000;
      const [first] = await claim();
      await stores.streams.release(first!, at(now + 60_000));
      const [second] = await claim();
      expect(second!.id).not.toBe(first!.id);
      const delivered = await record(second!, { state: 'delivered' }, undefined, 200);
      expect(delivered).toBe('idle');
      expect(await claim()).toHaveLength(1);
    });

    it.each(['answers', 'fails'])(
      'counts a probe that %s although its webhook was changed',
      async (how) => {
        await opened(3);
        now += 5000;
        const [probe] = await claim();
        const stream = await reached(probe!);
        const delivery = (await stores.streams.firstOpen(stream.id))!;
        await change(stream.webhook.taskId);
        // It is under way all the same.
        expect(await claim()).toEqual([]);
        const number = delivery.attempts + 1;
        const attempt = {
          number,
          at: at(),
          durationMs: 5,
          isRounded: false,
          error: null,
          response: null,
        };
        const attemptRecord: AttemptRecord =
          how === 'answers'
            ? {
                delivery,
                attempt: { ...attempt, status: 200 },
                outcome: { kind: 'delivered', begunAt: now },
                result: { state: 'delivered' },
              }
            : {
                delivery,
                attempt: { ...attempt, status: 503 },
                outcome: failed(),
                result: { state: 'retrying', at: at(now + 1000), reason: 'HTTP 503' },
              };
        for (let i = 0; i < 2; i++) {
          expect(
            await stores.streams.recordAttempt(stream, attemptRecord, at(), at(now + LEASE_MS)),
          ).toBe('lost');
        }
        expect(await stores.deliveries.attempts(delivery.id)).toHaveLength(number - 1);
        if (how === 'answers') {
          expect(await types()).toEqual(['endpoint.failing', 'endpoint.recovered']);
          expect(await claim()).toHaveLength(3);
          return;
        }
        expect(await endpoint()).toMatchObject({
          failures: 4,
          probeAt: at(now + 10_000).getTime(),
        });
        now += 10_000;
        expect(await claim()).toHaveLength(1);
      },
    );

    it('is free for the next stream when the claim of the one that was to try is over', async () => {
      await opened(3);
      now += 5000;
      const [first] = await claim();
      await change(first!.webhook.taskId);
      await stores.streams.release(first!, at());
      const [second] = await claim();
      expect(second).toMatchObject({ probeUntil: at(now + LEASE_MS) });
      // Nor does it take that one's probe.
      now += 1;
      await stores.streams.release({ ...first!, probeUntil: at(now - LEASE_MS) }, at());
      expect(await claim()).toEqual([]);
    });

    it('lets another stream try when the one that tried has died', async () => {
      await opened(3);
      now += 5000;
      expect(await claim('dead')).toHaveLength(1);
      now += LEASE_MS;
      expect(await claim('b')).toHaveLength(1);
    });

    it('stops a stream that has more to tell when the endpoint opens beneath it', async () => {
      await streams(4);
      const [busy, ...others] = await claim();
      const two = [deliveryOf(1), deliveryOf(2, { webhookId: 'cfg.2b' })];
      const reach = { nextSeq: 3, cursor: LOG_START, deliveries: two };
      const stream = inHand(await stores.streams.advance(busy!, reach, at(), at(now + LEASE_MS)));
      for (const other of others) await fail(other);
      const before = { kind: 'delivered', begunAt: now - 1 } as const;
      expect(await record(stream, { state: 'delivered' }, before, 200)).toBe('idle');
      expect(await claim()).toEqual([]);
      now += 5000;
      expect(await claim()).toHaveLength(1);
    });

    it('is held by a Retry-After for everybody', async () => {
      await streams(4);
      const [first, ...others] = await claim();
      await fail(first!, 60_000, { retryAfterMs: 60_000 });
      for (const stream of others) await stores.streams.release(stream, at());
      expect(await claim()).toEqual([]);
      now += 59_999;
      expect(await claim()).toEqual([]);
      now += 1;
      expect(await claim()).toHaveLength(1);
      expect(await types()).toEqual([]);
    });
  });

  describe('an endpoint of which nothing but failures came for days', () => {
    async function disabled(): Promise<string[]> {
      const tasks = await opened(5);
      // Tried now and again: a long time in which nobody tried would not count.
      for (const share of [0.25, 0.5, 0.75, 1]) {
        now = START + share * RULES.disableAfterMs!;
        const [stream] = await claim();
        await fail(stream!);
      }
      return tasks;
    }

    it('has its webhooks disabled and what they wait for made dead letters, piece by piece', async () => {
      const tasks = await disabled();
      expect(await types()).toEqual(['endpoint.failing', 'endpoint.disabled']);
      expect(await stores.streams.load()).toMatchObject({ openEndpoints: 0, disabledEndpoints: 1 });
      const [event] = await stores.endpoints.events({}, EVERYTHING, 1, null);
      expect(event!.since).not.toBeNull();
      expect(event!.since!.getTime()).toBeLessThan(now);
      expect(await claim()).toEqual([]);
      let pieces = 1;
      while (await stores.cleanup.disableWebhooks(at(), 2)) pieces += 1;
      expect(pieces).toBeGreaterThan(2);
      for (const taskId of tasks) {
        expect(await stores.webhooks.ofTask(taskId, 'c')).toMatchObject({
          state: 'disabled',
          stateReason: 'every attempt at its endpoint failed for too long',
        });
        expect(await stores.row(taskId)).toMatchObject({ active: 0, due_at: null, open: 0 });
      }
      const letters = await stores.deliveries.list({}, EVERYTHING, 100, null);
      expect(new Set(letters.map(({ state }) => state))).toEqual(new Set(['dead']));
      expect(letters[0]!.reason).toContain('failed for too long');
      expect(await stores.streams.nextDueAt(at())).toBeNull();
    });

    it('lives again when a webhook there is set again', async () => {
      const [taskId] = await disabled();
      while (await stores.cleanup.disableWebhooks(at(), 50));
      const draft = stores.draft({ configId: 'c', endpoint: E });
      await stores.webhooks.set(taskId!, draft, { now: at(), repeated: 'leave' });
      const [stream] = await claim();
      expect(stream).toMatchObject({
        probeUntil: at(now + LEASE_MS),
        webhook: { taskId, state: 'active' },
      });
      await succeed(stream!);
      expect(await endpoint()).toMatchObject({ state: 'healthy', disabledAt: null });
      expect((await types()).at(-1)).toBe('endpoint.recovered');
    });

    const test = () => stores.streams.recordTest({ organization: 'acme', endpoint: E }, at(), at());

    it('stays disabled when a test is delivered: nothing is sent until a webhook is resumed', async () => {
      const tasks = await disabled();
      while (await stores.cleanup.disableWebhooks(at(), 50));
      now += 1;
      const before = await endpoint();
      await test();
      expect(await endpoint()).toEqual(before);
      expect(before).toMatchObject({ state: 'disabled', disabledAt: now - 1 });
      expect((await types()).at(-1)).toBe('endpoint.disabled');
      const { streamId } = (await stores.webhooks.ofTask(tasks[0]!, 'c'))!;
      await stores.resume(streamId, EVERYTHING, at());
      const [stream] = await claim();
      await succeed(stream!);
      expect(await endpoint()).toMatchObject({ state: 'healthy', disabledAt: null });
    });

    it('has all its webhooks disabled although a test is delivered meanwhile', async () => {
      const tasks = await disabled();
      expect(await stores.cleanup.disableWebhooks(at(), 2)).toBe(true);
      now += 1;
      await test();
      while (await stores.cleanup.disableWebhooks(at(), 2));
      const states = tasks.map(async (id) => (await stores.webhooks.ofTask(id, 'c'))?.state);
      expect(await Promise.all(states)).toEqual(tasks.map(() => 'disabled'));
      expect(await endpoint()).toMatchObject({ state: 'disabled' });
    });

    it('leaves alone what was set while its webhooks are being disabled', async () => {
      const [first] = await disabled();
      now += 1;
      const draft = stores.draft({ configId: 'c', endpoint: E });
      await stores.webhooks.set(first!, draft, { now: at(), repeated: 'present-state' });
      while (await stores.cleanup.disableWebhooks(at(), 50));
      expect(await stores.webhooks.ofTask(first!, 'c')).toMatchObject({ state: 'active' });
      expect(await claim()).toHaveLength(1);
    });
  });

  describe('events of endpoints', () => {
    it('tell of a webhook only to its owner and its organization', async () => {
      await streams(1);
      const [stream] = await claim();
      const gone = { state: 'dead', reason: 'HTTP 410', effect: 'disabled' } as const;
      await record(
        await reached(stream!),
        gone,
        { kind: 'answered', begunAt: now, error: 'HTTP 410' },
        410,
      );
      const alice = { kind: 'principal', principalId: 'alice', organization: 'acme' } as const;
      expect(await types(alice)).toEqual(['webhook.disabled']);
      expect(await types({ kind: 'organization', organization: 'acme' })).toHaveLength(1);
      expect(await types({ ...alice, principalId: 'bob' })).toEqual([]);
      expect(await types({ kind: 'organization', organization: 'other' })).toEqual([]);
      const [event] = await stores.endpoints.events({}, EVERYTHING, 10, null);
      expect(event).toMatchObject({ id: 1, configId: 'c', reason: 'HTTP 410', endpoint: E });
    });

    it('are written with the change they tell of, or neither is', async () => {
      await streams(3);
      const [first, second, third] = await claim();
      for (const stream of [first!, second!]) await fail(stream);
      const last = await reached(third!);
      const before = await endpoint();
      await stores.database.write((tx) => tx.run('DELETE FROM push_event_counter'));
      await expect(fail(last)).rejects.toThrow();
      expect(await endpoint()).toEqual(before);
      expect(await stores.streams.isClaimed(last)).toBe(true);
    });

    it('come in pages, newest first, and are pruned', async () => {
      await opened(3);
      now += 5000;
      const [probe] = await claim();
      await succeed(probe!);
      const page = await stores.endpoints.events({}, EVERYTHING, 1, null);
      expect(page.map(({ type }) => type)).toEqual(['endpoint.recovered']);
      const next = await stores.endpoints.events({}, EVERYTHING, 1, page[0]!.id);
      expect(next.map(({ type }) => type)).toEqual(['endpoint.failing']);
      expect(await stores.endpoints.newestEvent()).toBe(2);
      const within = async (filter: { since?: Date; until?: Date }) =>
        (await stores.endpoints.events(filter, EVERYTHING, 9, null)).map(({ type }) => type);
      const [recovered, failing] = [page[0]!.at, next[0]!.at];
      expect(recovered.getTime()).toBeGreaterThan(failing.getTime());
      expect(await within({ since: recovered })).toEqual(['endpoint.recovered']);
      expect(await within({ until: recovered })).toEqual(['endpoint.failing']);
      expect(await within({ since: failing, until: recovered })).toEqual(['endpoint.failing']);
      expect(await within({ since: failing })).toHaveLength(2);
      expect(await within({ since: at(recovered.getTime() + 1) })).toEqual([]);
      expect(await within({ until: failing })).toEqual([]);
      // Beyond what clocks differ by, the numbers leave out the rest.
      const far = 2 * 86_400_000;
      expect(await within({ since: at(recovered.getTime() + far) })).toEqual([]);
      expect(await within({ until: at(failing.getTime() - far) })).toEqual([]);
      await stores.endpoints.prune(at(now + 1), 100);
      expect(await types()).toEqual([]);
      expect(await stores.endpoints.newestEvent()).toBe(2);
    });

    it('are pruned, but no endpoint that gets a queue in that very moment', async () => {
      const { database } = stores;
      await streams(1);
      await database.write(function* (tx) {
        yield* tx.run('DELETE FROM push_endpoints');
        yield* enqueueStreams(tx, [{ id: 'none', organization: 'acme', endpoint: E }], 1, now);
        yield* tx.run('UPDATE push_endpoints SET ready_at = NULL');
        yield* tx.run(
          `INSERT INTO push_receivers (endpoint, requests_at, bytes_at, updated_at) VALUES ('r', 0, 0, ?)`,
          [now],
        );
      });
      const long = now + 1000;
      let pruned: Promise<number> | undefined;
      await database.write(function* (tx) {
        const id = (yield* tx.all<{ id: string }>('SELECT id FROM push_delivery_streams'))[0]!.id;
        yield* enqueueStreams(tx, [{ id, organization: 'acme', endpoint: E }], 1, long);
        yield* tx.run(`UPDATE push_receivers SET verified_at = ?, updated_at = ?`, [long, long]);
        pruned ??= stores.endpoints.prune(at(now + 1), 100);
        if (tx.dialect === 'postgres') yield* tx.all('SELECT pg_sleep(0.3)');
      });
      await pruned;
      now = long;
      expect(await claim()).toHaveLength(1);
      expect(await database.read('SELECT endpoint FROM push_receivers')).toEqual([
        { endpoint: 'r' },
      ]);
    });
  });
}
