import { beforeEach, describe, expect, it } from '@jest/globals';
import { HubError } from '../../src/common/hub-error.js';
import type { Database } from '../../src/database/database.js';
import type { Limit } from '../../src/limits/index.js';
import { RequestRates } from '../../src/limits/request-rates.js';
import { SqlRateStore } from '../../src/limits/persistence/sql-rate.store.js';
import type { RateAsk } from '../../src/limits/domain/rate.js';
import { FakeClock } from '../support/fake-clock.js';

const ALICE = { organization: 'acme', principalId: 'alice' };
const NOTHING = {
  ...{ organization: null, principal: null, agent: null, skill: null, budget: null },
  ...{ openTasks: null, tasksPerDay: null, tasksPerMonth: null, storedBytes: null },
  ...{ id: 'l', source: 'api' as const, createdAt: null, updatedAt: null },
};

const rate = (
  requestsPerSecond: number,
  subject: Partial<Limit> = { organization: 'acme' },
): Limit => ({
  ...NOTHING,
  requestsPerSecond,
  ...subject,
});

/** What is promised of requests a second, by however many processes. */
export function requestRatesContract(open: () => Promise<Database>): void {
  let clock: FakeClock;
  let store: SqlRateStore;
  let takes: (readonly RateAsk[])[];
  /** What the database does before it answers. */
  let trouble: () => Promise<void>;
  let pending: number;
  let limits: Limit[];
  let lines: string[];

  beforeEach(async () => {
    clock = new FakeClock();
    store = new SqlRateStore(await open(), () => String(clock.now().getTime()));
    takes = [];
    pending = 0;
    lines = [];
    trouble = () => Promise.resolve();
    limits = [rate(100)];
  });

  const start = (workers = 2, soleProcess = false): RequestRates => {
    const take = async (asks: readonly RateAsk[]) => {
      takes.push(asks);
      pending += 1;
      try {
        await trouble();
        return await store.take(asks);
      } finally {
        pending -= 1;
      }
    };
    const registry = {
      hasRates: true,
      hasTargetRates: true,
      ofOrganization: (name: string) => limits.find(({ organization }) => organization === name),
      ofPrincipal: (id: string) =>
        limits.find(({ principal, agent }) => principal === id && agent === null),
      ofTarget: () => limits.filter(({ agent }) => agent !== null),
    };
    const note = (_fields: object, text: string): void => void lines.push(text);
    return new RequestRates(
      { take } as never,
      registry,
      { soleProcess },
      { count: workers },
      clock,
      { warn: note, info: note } as never,
    );
  };
  /** How many of so many at once are let through. */
  const letThrough = async (rates: RequestRates, requests: number): Promise<number> => {
    const all = Array.from({ length: requests }, async () => rates.countRequest(ALICE));
    const results = await Promise.allSettled(all);
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      const reason = result.reason instanceof HubError ? result.reason.reason : result.reason;
      expect(reason).toBe('RATE_LIMITED');
    }
    return results.filter(({ status }) => status === 'fulfilled').length;
  };
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  /** Nothing is being taken, nor about to be. */
  const settled = async (): Promise<void> => {
    do await new Promise((resolve) => setImmediate(resolve));
    while (pending > 0);
  };

  describe('a limit of requests a second', () => {
    it('is never exceeded in a second by processes that race, which together get all of it', async () => {
      const processes = [start(), start(), start()];
      for (let second = 0; second < 3; second++) {
        const counts: number[] = [];
        // The last ones of a second have points taken for the next.
        for (const ms of [10, 390, 450]) {
          await clock.advance(ms);
          counts.push(...(await Promise.all(processes.map((each) => letThrough(each, 20)))));
          await settled();
        }
        expect([second, sum(counts)]).toEqual([second, 100]);
        await clock.advance(150);
      }
    });

    it('is all for one process where the others want nothing of it', async () => {
      const [first, second] = [start(), start()];
      expect(await letThrough(first, 150)).toBe(100);
      expect(await letThrough(second, 1)).toBe(0);
      await clock.advance(1000);
      expect(await letThrough(second, 150)).toBe(100);
    });

    it('waits for nothing, and takes few times, while requests come steadily', async () => {
      limits = [rate(1000)];
      const rates = start();
      const second = async (): Promise<void> => {
        for (let n = 0; n < 100; n++) {
          await rates.countRequest(ALICE);
          await settled();
          await clock.advance(10);
        }
      };
      await second();
      takes.length = 0;
      for (let n = 0; n < 3; n++) await second();
      expect(takes.length).toBeLessThanOrEqual(9);
      let answer: () => void = () => undefined;
      trouble = () => new Promise((resolve) => (answer = resolve));
      // What is in memory is spent while the database is silent, and without any pause.
      for (let n = 0; n < 10; n++) await rates.countRequest(ALICE);
      expect(rates.isApart).toBe(false);
      answer();
    });

    it('is kept in parts while the database is away, by at least one a second, and shared again', async () => {
      const rates = start(3);
      trouble = () => Promise.reject(new Error('away'));
      expect(await letThrough(rates, 100)).toBe(34);
      expect([rates.isApart, takes.length]).toEqual([true, 1]);
      await clock.advance(1000);
      expect(await letThrough(rates, 100)).toBe(34);
      limits = [rate(2)];
      await clock.advance(1000);
      expect(await letThrough(start(9), 5)).toBe(1);
      trouble = () => Promise.resolve();
      limits = [rate(100)];
      await clock.advance(1000);
      expect(await letThrough(rates, 150)).toBe(100);
      expect(rates.isApart).toBe(false);
      expect(lines).toEqual([
        expect.stringMatching(/^request rates cannot be shared/),
        expect.stringMatching(/^request rates cannot be shared/),
        expect.stringMatching(/shared by all processes again$/),
      ]);
    });

    it('is kept in parts while the database does not answer, after half a second', async () => {
      const rates = start(2);
      trouble = () => new Promise(() => undefined);
      const waiting = letThrough(rates, 80);
      await clock.advance(499);
      expect(rates.isApart).toBe(false);
      await clock.advance(1);
      expect(await waiting).toBe(50);
      await clock.advance(5000);
      // Nobody waits for it again.
      expect(await letThrough(rates, 80)).toBe(50);
    });

    it('is in memory alone where there is one process', async () => {
      const rates = start(1, true);
      expect(await letThrough(rates, 150)).toBe(100);
      await clock.advance(1000);
      expect(await letThrough(rates, 150)).toBe(100);
      expect([takes.length, rates.isApart]).toEqual([0, false]);
    });

    it('is refused as before where the clock was set back, a little or far, after few takes', async () => {
      limits = [rate(1)];
      const rates = start();
      for (const back of [0, 1000, 2000, 3_600_000]) {
        await clock.advance(back === 0 ? 0 : 10_000);
        expect([back, await letThrough(rates, 3)]).toEqual([back, 1]);
        await clock.advance(-back);
        takes.length = 0;
        await letThrough(rates, 3);
        expect(await letThrough(rates, 3)).toBe(0);
        await settled();
        expect(takes.length).toBeLessThan(10);
      }
    });

    it('costs nothing of another limit that would allow what it refuses', async () => {
      limits = [rate(10), rate(3, { principal: 'alice' })];
      const rates = start();
      expect(await letThrough(rates, 10)).toBe(3);
      const bob = { ...ALICE, principalId: 'bob' };
      const others = await Promise.allSettled(
        Array.from({ length: 10 }, async () => rates.countRequest(bob)),
      );
      expect(others.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
    });

    it.each([false, true])(
      'counts a message that is not given to its agent after all no more, in its second (one process: %s)',
      async (isSole) => {
        limits = [rate(2, { agent: 'one' }), rate(1, { agent: 'two' })];
        const rates = start(2, isSole);
        const count = () => rates.countMessage(ALICE, [{ agentId: 'one', skillId: null }]);
        const uncount = await count();
        await expect(count()).rejects.toThrow('agent.requestsPerSecond');
        uncount();
        const late = await count();
        await expect(count()).rejects.toThrow('agent.requestsPerSecond');
        await clock.advance(1000);
        await count();
        late();
        await expect(count()).rejects.toThrow('agent.requestsPerSecond');
      },
    );

    it('says which it is and whose, and is told of', async () => {
      limits = [rate(1), rate(1, { agent: 'one', principal: 'alice' }), rate(1, { agent: 'one' })];
      const rates = start();
      const refused: string[] = [];
      rates.onRefused((name) => refused.push(name));
      const of = async (count: () => Promise<unknown> | undefined): Promise<unknown> => {
        await count();
        return Promise.resolve(count()).then(
          () => undefined,
          ({ message, metadata }: HubError) => [message, metadata],
        );
      };
      const common = { limit: '1', retryAfterSeconds: '1' };
      expect(await of(() => rates.countRequest(ALICE))).toEqual([
        'The limit organization.requestsPerSecond is used up: the organization "acme" has sent all 1 requests of this second. Try again in 1 s.',
        { ...common, quota: 'organization.requestsPerSecond' },
      ]);
      const target = [{ agentId: 'one', skillId: null }];
      expect(await of(() => rates.countMessage(ALICE, target))).toEqual([
        'The limit principal+agent.requestsPerSecond is used up: at the agent "one" you have sent all 1 messages of this second. Try again in 1 s.',
        { ...common, quota: 'principal+agent.requestsPerSecond', agentId: 'one' },
      ]);
      limits.splice(1, 1);
      await clock.advance(1000);
      expect(await of(() => rates.countMessage(ALICE, target))).toEqual([
        'The limit agent.requestsPerSecond is used up: the agent "one" has been given all 1 messages of this second. Try again in 1 s.',
        { ...common, quota: 'agent.requestsPerSecond', agentId: 'one' },
      ]);
      expect(refused).toEqual(
        ['organization', 'principal+agent', 'agent'].map((each) => `${each}.requestsPerSecond`),
      );
    });
  });

  describe('what is counted of it', () => {
    const ask = (members: Partial<RateAsk> = {}): RateAsk => ({
      ...{ key: 'k', max: 10, wanted: 100, isAhead: false },
      ...members,
    });
    const points = async (...asks: RateAsk[]): Promise<number[]> =>
      (await store.take(asks)).leases.map((lease) => lease.points);

    it('is at most half of what is left, of this second and the next, by the time of the database', async () => {
      expect(await points(ask(), ask({ isAhead: true, wanted: 2 }), ask({ key: 'other' }))).toEqual(
        [5, 2, 5],
      );
      expect(await points(ask(), ask({ isAhead: true }))).toEqual([3, 4]);
      const [second] = (await store.take([ask()])).leases;
      expect(second).toEqual({ second: clock.now().getTime() / 1000, points: 1 });
      expect(await points(ask(), ask())).toEqual([1, 0]);
      await clock.advance(1000);
      expect(await points(ask(), ask(), ask(), ask())).toEqual([2, 1, 1, 0]);
      await clock.advance(2000);
      expect(await points(ask({ wanted: 3 }))).toEqual([3]);
    });

    it('begins anew where the database has gone back in time', async () => {
      await clock.advance(1_000_000);
      expect(await points(ask({ max: 2 }), ask({ max: 2 }))).toEqual([1, 1]);
      await clock.advance(-3000);
      expect(await points(ask({ max: 2 }))).toEqual([1]);
    });

    it('is deleted when nobody has asked for long', async () => {
      await store.take([ask(), ask({ key: 'new' })]);
      await clock.advance(10_000);
      await store.take([ask({ key: 'new' })]);
      expect(await store.forget(new Date(clock.now().getTime() - 5000), 10)).toBe(1);
      expect(await store.forget(new Date(clock.now().getTime() - 5000), 10)).toBe(0);
    });
  });
}
