import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ByteBudget, type ByteReservation, OverBudgetError } from './byte-budget.js';

const RULES = { limit: 100, free: 10, step: 10, patienceMs: 20 };

/** Work that holds so much until it is told to end. */
function work(budget: ByteBudget, bytes: number) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let begun = false;
  let reservation: ByteReservation | undefined;
  const done = budget.during(async (mine) => {
    reservation = mine;
    await mine.resize('all', bytes);
    begun = true;
    await ended;
  });
  return { done, end, hasBegun: () => begun, reservation: () => reservation! };
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('ByteBudget', () => {
  it('lets others wait their turn, in order, while the limit is reached', async () => {
    const budget = new ByteBudget({ ...RULES, patienceMs: 5000 });
    const [a, b, c] = [work(budget, 90), work(budget, 60), work(budget, 20)];
    await soon();
    expect([a, b, c].map((each) => each.hasBegun())).toEqual([true, false, false]);
    a.end();
    await soon();
    expect([b, c].map((each) => each.hasBegun())).toEqual([true, true]);
    b.end();
    c.end();
    await Promise.all([a.done, b.done, c.done]);
  });

  it('never lets small work wait', async () => {
    const budget = new ByteBudget(RULES);
    const [large, small] = [work(budget, 1000), work(budget, 10)];
    await soon();
    expect(small.hasBegun()).toBe(true);
    large.end();
    small.end();
    await Promise.all([large.done, small.done]);
  });

  it('lets the oldest go beyond the limit, so that no other waits for ever', async () => {
    const budget = new ByteBudget({ ...RULES, patienceMs: 5000 });
    const [a, b] = [work(budget, 60), work(budget, 60)];
    await soon();
    const later = b.reservation().resize('more', 70);
    await a.reservation().resize('more', 1000);
    expect(b.reservation().tryResize('more', 70)).toBe(false);
    a.end();
    await later;
    b.end();
    await Promise.all([a.done, b.done]);
    expect(
      await budget.during((reservation) => Promise.resolve(reservation.tryResize('all', 110))),
    ).toBe(true);
  });

  it('gives up after its patience, once for all waits of one piece of work', async () => {
    const budget = new ByteBudget({ ...RULES, patienceMs: 400 });
    const a = work(budget, 1000);
    await soon();
    await budget.during(async (reservation) => {
      await expect(reservation.resize('all', 50)).rejects.toThrow(OverBudgetError);
      const before = performance.now();
      await expect(reservation.resize('all', 50)).rejects.toThrow(OverBudgetError);
      expect(performance.now() - before).toBeLessThan(200);
    });
    a.end();
    await a.done;
    expect(
      await budget.during((reservation) => Promise.resolve(reservation.tryResize('all', 100))),
    ).toBe(true);
  });
});

const LIMIT = 100;

function setUpLoads() {
  const loads = new ByteBudget({ limit: LIMIT, free: 0, step: 1, patienceMs: Infinity });
  const reading: string[] = [];
  /** Loads so many bytes until it is told to end. */
  const load = (name: string, bytes: number) => {
    let end!: (error?: Error) => void;
    const ended = new Promise<void>((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve());
    });
    const loaded = loads.during(async (reservation) => {
      await reservation.resize('log', bytes);
      reading.push(name);
      await ended.finally(() => reading.splice(reading.indexOf(name), 1));
      return name;
    });
    return { loaded, end };
  };
  return { loads, reading, load };
}

describe('work that waits as long as it takes', () => {
  it('reads no more bytes at once than the limit, first come, first served', async () => {
    const { reading, load } = setUpLoads();
    const [a, b, c, d] = [load('a', 60), load('b', 40), load('c', 50), load('d', 10)];
    await nextTurn();
    expect(reading).toEqual(['a', 'b']);
    b.end();
    expect(await b.loaded).toBe('b');
    await nextTurn();
    // What is small does not overtake.
    expect(reading).toEqual(['a']);
    a.end();
    await nextTurn();
    expect(reading).toEqual(['c', 'd']);
    c.end();
    d.end();
    await Promise.all([a.loaded, c.loaded, d.loaded]);
  });

  it('reads one that is larger than the limit alone', async () => {
    const { reading, load } = setUpLoads();
    const small = load('small', 1);
    const large = load('large', 5 * LIMIT);
    await nextTurn();
    expect(reading).toEqual(['small']);
    small.end();
    await nextTurn();
    expect(reading).toEqual(['large']);
    large.end();
    await large.loaded;
  });

  it('goes on behind one that failed, and behind one that was not large', async () => {
    const { loads, reading, load } = setUpLoads();
    const broken = load('broken', LIMIT);
    const next = load('next', LIMIT);
    await nextTurn();
    broken.end(new Error('on fire'));
    await expect(broken.loaded).rejects.toThrow('on fire');
    expect(await loads.during(() => Promise.resolve('small'))).toBe('small');
    await nextTurn();
    expect(reading).toEqual(['next']);
    next.end();
    await next.loaded;
  });
});
