import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING, type Visibility } from '../../src/auth/index.js';
import { LOG_START } from '../../src/push/delivery/domain/delivery-plan.js';
import type { EndpointRules } from '../../src/push/receivers/domain/endpoint-health.js';
import type { EndpointOutcome } from '../../src/push/receivers/endpoint.js';
import type {
  Lane,
  Settlement,
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
  const claim = (owner = 'w1', free = 100): Promise<Lane[]> =>
    stores.lanes.claim(owner, at(), LEASE_MS, { free, perEndpoint: 10 });

  /** Lanes at an endpoint, the first due first; their task ids. */
  async function lanes(count: number, endpoint = E): Promise<string[]> {
    const tasks: string[] = [];
    for (let i = 0; i < count; i++) {
      tasks.push(await stores.freshLane({ configId: 'c', endpoint }, at(START - 1000 + i)));
    }
    return tasks;
  }

  /** The lane with a delivery in hand, as its runner has it before it sends. */
  async function reached(lane: Lane): Promise<Lane> {
    if (lane.open > 0) return lane;
    const deliveries = [deliveryOf(1, { webhookId: `${lane.id}.1` })];
    const step = { nextSeq: 3, cursor: LOG_START, deliveries };
    return inHand(await stores.lanes.reach(lane, step, at(), at(now + LEASE_MS)));
  }

  async function settle(
    lane: Lane,
    result: Settlement['result'],
    outcome: EndpointOutcome | undefined,
    status: number,
  ): Promise<StepResult> {
    const delivery = (await stores.lanes.firstOpen(lane.id, lane.epoch))!;
    const attempt = {
      number: delivery.attempts + 1,
      at: at(),
      durationMs: 5,
      status,
      error: null,
      response: null,
    };
    const settlement = { delivery, attempt, result, ...(outcome ? { outcome } : {}) };
    return stores.lanes.settle(lane, settlement, at(), at(now + LEASE_MS));
  }

  const failed = (change: object = {}): EndpointOutcome => ({
    kind: 'failed',
    begunAt: now,
    error: 'HTTP 503',
    blame: 'endpoint',
    holdMs: null,
    exhausted: false,
    ...change,
  });

  async function fail(lane: Lane, retryMs = 1000, change: object = {}): Promise<StepResult> {
    const result = { state: 'retrying', at: at(now + retryMs), reason: 'HTTP 503' } as const;
    return settle(await reached(lane), { ...result, ...change }, failed(change), 503);
  }

  async function succeed(lane: Lane): Promise<StepResult> {
    const ready = await reached(lane);
    return settle(ready, { state: 'delivered' }, { kind: 'delivered', begunAt: now }, 200);
  }

  /** Has the breaker of an endpoint with some lanes open; their task ids. */
  async function opened(count: number): Promise<string[]> {
    const tasks = await lanes(count);
    for (const lane of (await claim()).slice(0, 3)) await fail(lane);
    // Those in flight come back with the same.
    const left = await stores.database.read<{ id: string }>(
      'SELECT id FROM push_lanes WHERE lease_until IS NOT NULL',
    );
    expect(left).toHaveLength(Math.max(0, count - 3));
    await stores.lanes.releaseOthers('nobody');
    return tasks;
  }

  /** Sets the webhook of a task anew, which ends the claim of its lane. */
  async function change(taskId: string): Promise<void> {
    const draft = stores.draft({ configId: 'c', endpoint: E, url: 'https://hooks.example/b' });
    await stores.webhooks.set(taskId, draft, { now: at(), repeated: 'leave' });
  }

  const endpoint = async () => (await stores.endpoints.list({}, EVERYTHING, 10, null))[0];
  const types = async (visibility: Visibility = EVERYTHING) =>
    (await stores.endpoints.eventsAfter(0, visibility, 100)).map(({ type }) => type);

  describe('the breaker of an endpoint', () => {
    it('lets one lane try when its time has come, whoever asks, and the others wait', async () => {
      await opened(8);
      expect(await endpoint()).toMatchObject({ state: 'failing', probeAt: now + 5000 });
      now += 4999;
      expect(await claim('a')).toEqual([]);
      now += 1;
      const [both, none] = [await claim('a'), await claim('b')];
      expect(both).toHaveLength(1);
      expect(both[0]).toMatchObject({ trialUntil: at(now + LEASE_MS), isEarly: true });
      expect(none).toEqual([]);
      // Nor does one that has just come.
      await lanes(1);
      expect(await claim('b')).toEqual([]);
      expect(await endpoint()).toMatchObject({ waiting: 9 });
    });

    it('lets two claimers at once have one trial', async () => {
      await opened(8);
      now += 5000;
      const got = await Promise.all([claim('a'), claim('b'), claim('c')]);
      expect(got.flat()).toHaveLength(1);
    });

    it('tells when the next trial is due', async () => {
      await opened(5);
      now += 2000;
      await claim();
      expect(await stores.lanes.nextDueAt(at())).toEqual(at(START + 5000));
    });

    it('tries another lane next time, after longer and longer pauses', async () => {
      await opened(4);
      const tried: string[] = [];
      for (const pause of [5000, 10_000, 20_000, 20_000]) {
        now += pause - 1;
        expect(await claim()).toEqual([]);
        now += 1;
        const [lane] = await claim();
        tried.push(lane!.id);
        expect(await fail(lane!, 3_600_000)).toBe('rests');
      }
      expect(new Set(tried).size).toBe(4);
    });

    it('uses up no try of a delivery that is tried before its time', async () => {
      await opened(1 + 2);
      now += 5000;
      const [lane] = await claim();
      const before = (await stores.lanes.firstOpen(lane!.id))!;
      await fail(lane!, 900, { isEarly: true });
      const after = (await stores.lanes.firstOpen(lane!.id))!;
      expect([before.tries, after.tries]).toEqual([1, 1]);
      expect(after.attempts).toBe(2);
    });

    it('closes with a success, and all lanes go on at once, those that wait longest first', async () => {
      const tasks = await opened(8);
      now += 5000;
      const [probe] = await claim();
      expect(await succeed(probe!)).toBe('rests');
      expect(await endpoint()).toMatchObject({ state: 'healthy', probeAt: null, failures: 0 });
      const rest = await claim();
      const order = rest.map(({ webhook }) => tasks.indexOf(webhook.taskId));
      expect([...order].sort((a, b) => a - b)).toEqual(
        [0, 1, 2, 3, 4, 5, 6, 7].filter((i) => tasks[i] !== probe!.webhook.taskId),
      );
      expect(rest.every(({ isEarly }) => isEarly)).toBe(true);
      expect(await types()).toEqual(['endpoint.failing', 'endpoint.recovered']);
    });

    it('gives a recovered endpoint few places at first', async () => {
      stores = await open({ ...RULES, startSlots: 2 });
      await lanes(9);
      for (const lane of await claim()) await fail(lane, 0);
      for (const lane of await claim()) await fail(lane, 0);
      now += 5000;
      const [probe] = await claim();
      await succeed(probe!);
      const two = await claim();
      expect(two).toHaveLength(2);
      for (const lane of two) await succeed(lane);
      expect(await claim()).toHaveLength(6);
    });

    it('calls back lanes whose schedule is far away', async () => {
      await lanes(5);
      const all = await claim();
      for (const lane of all.slice(0, 2)) await fail(lane, 36_000_000);
      for (const lane of all.slice(2)) await fail(lane, 0);
      now += 5000;
      const [probe] = await claim();
      now += 1;
      await succeed(probe!);
      expect(await claim()).toHaveLength(4);
    });

    it('parks new lanes of the endpoint, and an event does not wake them', async () => {
      const [first] = await opened(3);
      const later = await stores.freshLane({ configId: 'c', endpoint: E }, at());
      now += 2000;
      expect(await claim()).toEqual([]);
      for (const taskId of [first!, later]) {
        const mark = { taskId, seq: 9, when: 'always' } as const;
        await stores.database.write((tx) => stores.lanes.markDue(tx, [mark], at()));
      }
      expect(await stores.lanes.nextDueAt(at())).toEqual(at(START + 5000));
      expect(await claim()).toEqual([]);
    });

    it('is free for the next lane when the one that was to try gives up', async () => {
      await opened(3);
      now += 5000;
      const [first] = await claim();
      await stores.lanes.release(first!, at(now + 60_000));
      const [second] = await claim();
      expect(second!.id).not.toBe(first!.id);
      const delivered = await settle(second!, { state: 'delivered' }, undefined, 200);
      expect(delivered).toBe('rests');
      expect(await claim()).toHaveLength(1);
    });

    it.each(['answers', 'fails'])(
      'counts a trial that %s although its webhook was changed',
      async (how) => {
        await opened(3);
        now += 5000;
        const [probe] = await claim();
        const lane = await reached(probe!);
        const delivery = (await stores.lanes.firstOpen(lane.id))!;
        await change(lane.webhook.taskId);
        // It is under way all the same.
        expect(await claim()).toEqual([]);
        const number = delivery.attempts + 1;
        const attempt = { number, at: at(), durationMs: 5, error: null, response: null };
        const settlement: Settlement =
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
          expect(await stores.lanes.settle(lane, settlement, at(), at(now + LEASE_MS))).toBe(
            'lost',
          );
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

    it('is free for the next lane when the claim of the one that was to try is over', async () => {
      await opened(3);
      now += 5000;
      const [first] = await claim();
      await change(first!.webhook.taskId);
      await stores.lanes.release(first!, at());
      const [second] = await claim();
      expect(second).toMatchObject({ trialUntil: at(now + LEASE_MS) });
      // Nor does it take that one's trial.
      now += 1;
      await stores.lanes.release({ ...first!, trialUntil: at(now - LEASE_MS) }, at());
      expect(await claim()).toEqual([]);
    });

    it('lets another lane try when the one that tried has died', async () => {
      await opened(3);
      now += 5000;
      expect(await claim('dead')).toHaveLength(1);
      now += LEASE_MS;
      expect(await claim('b')).toHaveLength(1);
    });

    it('stops a lane that has more to tell when the endpoint opens beneath it', async () => {
      await lanes(4);
      const [busy, ...others] = await claim();
      const two = [deliveryOf(1), deliveryOf(2, { webhookId: 'cfg.2b' })];
      const reach = { nextSeq: 3, cursor: LOG_START, deliveries: two };
      const lane = inHand(await stores.lanes.reach(busy!, reach, at(), at(now + LEASE_MS)));
      for (const other of others) await fail(other);
      const before = { kind: 'delivered', begunAt: now - 1 } as const;
      expect(await settle(lane, { state: 'delivered' }, before, 200)).toBe('rests');
      expect(await claim()).toEqual([]);
      now += 5000;
      expect(await claim()).toHaveLength(1);
    });

    it('is held by a Retry-After for everybody', async () => {
      await lanes(4);
      const [first, ...others] = await claim();
      await fail(first!, 60_000, { holdMs: 60_000 });
      for (const lane of others) await stores.lanes.release(lane, at());
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
        const [lane] = await claim();
        await fail(lane!);
      }
      return tasks;
    }

    it('has its webhooks disabled and what they wait for made dead letters, piece by piece', async () => {
      const tasks = await disabled();
      expect(await types()).toEqual(['endpoint.failing', 'endpoint.disabled']);
      const [event] = await stores.endpoints.events({}, EVERYTHING, 1, null);
      expect(event!.since).not.toBeNull();
      expect(event!.since!.getTime()).toBeLessThan(now);
      expect(await claim()).toEqual([]);
      let pieces = 1;
      while (await stores.cleanup.sweepDisabled(at(), 2)) pieces += 1;
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
      expect(await stores.lanes.nextDueAt(at())).toBeNull();
    });

    it('lives again when a webhook there is set again', async () => {
      const [taskId] = await disabled();
      while (await stores.cleanup.sweepDisabled(at(), 50));
      const draft = stores.draft({ configId: 'c', endpoint: E });
      await stores.webhooks.set(taskId!, draft, { now: at(), repeated: 'leave' });
      const [lane] = await claim();
      expect(lane).toMatchObject({
        trialUntil: at(now + LEASE_MS),
        webhook: { taskId, state: 'active' },
      });
      await succeed(lane!);
      expect(await endpoint()).toMatchObject({ state: 'healthy', disabledAt: null });
      expect((await types()).at(-1)).toBe('endpoint.recovered');
    });

    it('leaves alone what was set while its webhooks are being disabled', async () => {
      const [first] = await disabled();
      now += 1;
      const draft = stores.draft({ configId: 'c', endpoint: E });
      await stores.webhooks.set(first!, draft, { now: at(), repeated: 'present-state' });
      while (await stores.cleanup.sweepDisabled(at(), 50));
      expect(await stores.webhooks.ofTask(first!, 'c')).toMatchObject({ state: 'active' });
      expect(await claim()).toHaveLength(1);
    });
  });

  describe('events of endpoints', () => {
    it('tell of a webhook only to its owner and its organization', async () => {
      await lanes(1);
      const [lane] = await claim();
      const gone = { state: 'dead', reason: 'HTTP 410', consequence: 'disabled' } as const;
      await settle(await reached(lane!), gone, { kind: 'answered', begunAt: now }, 410);
      const alice = { kind: 'principal', principalId: 'alice', organization: 'acme' } as const;
      expect(await types(alice)).toEqual(['config.disabled']);
      expect(await types({ kind: 'organization', organization: 'acme' })).toHaveLength(1);
      expect(await types({ ...alice, principalId: 'bob' })).toEqual([]);
      expect(await types({ kind: 'organization', organization: 'other' })).toEqual([]);
      const [event] = await stores.endpoints.events({}, EVERYTHING, 10, null);
      expect(event).toMatchObject({ id: 1, configId: 'c', reason: 'HTTP 410', endpoint: E });
    });

    it('are written with the change they tell of, or neither is', async () => {
      await lanes(3);
      const [first, second, third] = await claim();
      for (const lane of [first!, second!]) await fail(lane);
      const last = await reached(third!);
      const before = await endpoint();
      await stores.database.write((tx) => tx.run('DELETE FROM push_event_counter'));
      await expect(fail(last)).rejects.toThrow();
      expect(await endpoint()).toEqual(before);
      expect(await stores.lanes.holds(last)).toBe(true);
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
      await stores.endpoints.prune(at(now + 1), 100);
      expect(await types()).toEqual([]);
      expect(await stores.endpoints.newestEvent()).toBe(2);
    });
  });
}
