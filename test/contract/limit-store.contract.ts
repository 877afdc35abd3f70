import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LimitDefinition } from '../../src/limits/domain/limit.js';
import type { LimitCounters } from '../../src/limits/limit-counters.js';
import type { LimitStore } from '../../src/limits/limit-store.js';
import type { Database } from '../../src/database/database.js';
import type { Tx, Work } from '../../src/database/sql.js';

const NOW = new Date(1000);
const LATER = new Date(2000);

const definition = (members: Partial<LimitDefinition> = {}): LimitDefinition => ({
  organization: 'acme',
  principal: null,
  agent: null,
  skill: null,
  openTasks: 5,
  tasksPerDay: null,
  tasksPerMonth: null,
  storedBytes: null,
  requestsPerSecond: null,
  budget: null,
  ...members,
});

function* selected(tx: Tx, n: number): Work<number> {
  const [row] = yield* tx.all<{ n: number }>(`SELECT ${n} AS n`);
  return row!.n;
}

/** What every {@link LimitStore} and every {@link LimitCounters} does. */
export function limitStoreContract(
  open: () => Promise<{ store: LimitStore; counters: LimitCounters; database: Database }>,
): void {
  let store: LimitStore;
  let counters: LimitCounters;
  let database: Database;
  beforeEach(async () => {
    ({ store, counters, database } = await open());
  });

  describe('a limit', () => {
    it('is stored as it is written, replaced, and read by id', async () => {
      const odd = definition({ organization: 'acme \u{1F511}"' });
      expect(await store.put('b', odd, 9, NOW)).toMatchObject({ isNew: true });
      await store.put('a', definition({ agent: 'x' }), 9, NOW);
      const replaced = await store.put('b', { ...odd, openTasks: 7 }, 9, LATER);
      const b = { ...odd, openTasks: 7, id: 'b', source: 'api', createdAt: NOW, updatedAt: LATER };
      expect(replaced).toEqual({ limit: b, isNew: false });
      const all = await store.all();
      expect(all.map(({ id }) => id)).toEqual(['a', 'b']);
      expect(all[1]).toEqual(b);
    });

    it('is the only one of its subject, and of so many', async () => {
      await store.put('a', definition(), 2, NOW);
      await expect(store.put('b', definition(), 2, NOW)).rejects.toThrow('The limit a is for the');
      await store.put('b', definition({ agent: 'x' }), 2, NOW);
      await expect(store.put('b', definition(), 2, NOW)).rejects.toMatchObject({
        reason: 'CONFLICT',
      });
      await expect(store.put('c', definition({ agent: 'y' }), 2, NOW)).rejects.toThrow('2 limits');
      await store.put('a', definition({ openTasks: 6 }), 2, NOW);
      await expect(store.put('a', definition({ openTasks: 8 }), 9, NOW, true)).rejects.toThrow(
        'There is a limit a already',
      );
    });

    it('raises the revision with every change, and is gone when it is removed', async () => {
      const before = await store.revision();
      await store.put('a', definition(), 2, NOW);
      await store.put('a', definition({ openTasks: 1 }), 2, NOW);
      expect(await store.remove('a')).toBe(true);
      expect(await store.remove('a')).toBe(false);
      expect(await store.revision()).toBe(before + 3);
      expect(await store.all()).toEqual([]);
    });
  });

  describe('a counter', () => {
    it('begins with what it is told, and stays a number that is exact', async () => {
      const most = Number.MAX_SAFE_INTEGER;
      await database.write(function* (tx) {
        const least = { of: (within: Tx) => selected(within, most - 5), isKnown: true };
        yield* counters.lock(tx, 'big', 1, NOW, least);
        yield* counters.add(tx, 'big', 1, 3, NOW);
        yield* counters.lock(tx, 'big', 1, NOW, { ...least, isKnown: false });
      });
      expect(await counters.read('big', 1)).toBe(most - 2);
      await database.write((tx) => counters.add(tx, 'big', 1, 3, NOW));
      expect(await counters.read('big', 1)).toBe(most);
    });

    it('is raised to what it says at least, unless that is known', async () => {
      const lock = (n: number, isKnown: boolean): Promise<number> =>
        database.write((tx) =>
          counters.lock(tx, 'least', 1, NOW, { of: (within) => selected(within, n), isKnown }),
        );
      expect(await lock(5, true)).toBe(5);
      expect([await lock(8, true), await counters.read('least', 1)]).toEqual([5, 5]);
      expect([await lock(8, false), await counters.read('least', 1)]).toEqual([8, 8]);
      expect([await lock(7, false), await counters.read('least', 1)]).toEqual([8, 8]);
    });

    it('of a day is deleted before one of a month, in pieces, until the process stops', async () => {
      const kinds = ['tasksPerDay', 'budgetPerDay', 'tasksPerMonth', 'budgetPerMonth'];
      const at = (now: Date, period: number): Promise<void> =>
        database.write(function* (tx) {
          for (const kind of kinds) {
            for (let n = 0; n < 150; n++) yield* counters.lock(tx, `${kind} ["${n}"]`, period, now);
          }
        });
      await at(NOW, 1);
      await at(LATER, 2);
      const left = async (): Promise<Record<string, number>> => {
        const rows = await database.read<{ counter: string; period: number }>(
          'SELECT counter, period FROM limit_counters',
        );
        const counts: Record<string, number> = {};
        for (const { counter, period } of rows) {
          const kind = `${counter.split(' ')[0]!} ${period}`;
          counts[kind] = (counts[kind] ?? 0) + 1;
        }
        return counts;
      };
      const all = await left();
      const stopped = AbortSignal.abort();
      await counters.forget({ ofDays: LATER, ofMonths: LATER }, stopped);
      expect(await left()).toEqual(all);
      await counters.forget({ ofDays: LATER, ofMonths: NOW }, new AbortController().signal);
      const { 'tasksPerDay 1': _, 'budgetPerDay 1': __, ...kept } = all;
      expect(await left()).toEqual(kept);
    });

    it('begins at 0 in each period, counts, and is deleted when it is old', async () => {
      const count = (period: number, amount: number, now: Date): Promise<number> =>
        database.write(function* (tx) {
          const before = yield* counters.lock(tx, 'c', period, now);
          yield* counters.add(tx, 'c', period, amount, now);
          return before;
        });
      expect(await count(1, 3, NOW)).toBe(0);
      expect(await count(1, 2, NOW)).toBe(3);
      expect(await count(2, 1, LATER)).toBe(0);
      expect(await count(0, 0, NOW)).toBe(0);
      expect([await counters.read('c', 1), await counters.read('d', 1)]).toEqual([5, undefined]);
      const ends = new AbortController();
      const forget = (ofDays: Date, ofMonths: Date): Promise<void> =>
        counters.forget({ ofDays, ofMonths }, ends.signal);
      await forget(LATER, NOW);
      expect(await counters.read('c', 1)).toBe(5);
      await forget(NOW, LATER);
      expect([await counters.read('c', 1), await counters.read('c', 2)]).toEqual([undefined, 1]);
    });
  });
}
