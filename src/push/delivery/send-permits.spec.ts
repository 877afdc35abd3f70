import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type SendPermit, SendPermits } from './send-permits.js';

const ONE = { endpoint: 'a', isPrefetched: false };
const WAITING = { endpoint: 'a', isPrefetched: true };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('SendPermits', () => {
  let time: number;
  let woken: number;
  let permits: SendPermits;
  beforeEach(() => {
    [time, woken] = [0, 0];
    permits = open(10);
  });

  const open = (total: number): SendPermits =>
    new SendPermits(
      total,
      () => (woken += 1),
      () => time,
    );

  /** What the stream learns: `true`, `false`, or nothing yet. */
  function ask(permit: SendPermit): { may: boolean | undefined } {
    const asked: { may: boolean | undefined } = { may: undefined };
    void Promise.resolve(permit.regain()).then((may) => (asked.may = may));
    return asked;
  }

  it('lets a stream that waits send while the outcome of another one is recorded', async () => {
    const [first, second] = [permits.of(ONE), permits.of(WAITING)];
    expect(first.regain()).toBe(true);
    const asked = ask(second);
    await turn();
    expect(asked.may).toBeUndefined();
    first.lend(1);
    await turn();
    expect(asked.may).toBe(true);
    // The first one goes on when the second has its answer.
    const again = ask(first);
    await turn();
    expect(again.may).toBeUndefined();
    second.lend(1);
    await turn();
    expect(again.may).toBe(true);
    second.end();
    expect(permits.inUse).toBe(1);
    first.end();
    expect(permits.inUse).toBe(0);
    expect(woken).toBe(1);
  });

  it('leaves the permit with its stream when no other waits', () => {
    const only = permits.of(ONE);
    only.lend(1);
    expect(only.regain()).toBe(true);
    expect(permits.at('a')).toBe(1);
  });

  it('passes it on when the stream ends, and gives a first one where none is left', async () => {
    const [first, second] = [permits.of(ONE), permits.of(WAITING)];
    const asked = ask(second);
    first.end();
    await turn();
    expect([asked.may, permits.at('a')]).toEqual([true, 1]);
    second.end();
    expect(permits.of(WAITING).regain()).toBe(true);
    expect(permits.at('a')).toBe(1);
  });

  it.each<[string, (first: SendPermit) => void]>([
    ['the receiver fails', (first) => first.lend(null)],
    ['the process stops', () => permits.stop()],
    [
      'it has waited for too long',
      () => {
        time += 3000;
        permits.endLongWaits();
      },
    ],
  ])('gives back what waits when %s', async (_, happens) => {
    const [first, second] = [permits.of(ONE), permits.of(WAITING)];
    const asked = ask(second);
    time += 1;
    permits.endLongWaits();
    await turn();
    expect(asked.may).toBeUndefined();
    happens(first);
    await turn();
    expect([asked.may, permits.at('a')]).toEqual([false, 1]);
    first.end();
    second.end();
    expect(permits.inUse).toBe(0);
  });

  it('prefetches where the last answer came at once, and again when little is left', () => {
    const first = permits.of(ONE);
    expect(permits.prefetchOf('a')).toBe(0);
    first.lend(5);
    expect(permits.prefetchOf('a')).toBe(8);
    for (let i = 1; i < 10; i++) permits.of(ONE);
    expect(permits.prefetchOf('a')).toBe(64);
    for (let i = permits.prefetchOf('a'); i > 0; i--) void permits.of(WAITING).regain();
    expect(permits.prefetchOf('a')).toBe(0);
    first.lend(5000);
    expect(permits.prefetchOf('a')).toBe(0);
    first.lend(5);
    first.lend(null);
    expect(permits.prefetchOf('a')).toBe(0);
  });

  it('ends the turn of an endpoint when the process has no other permit left', async () => {
    permits = open(2);
    const other = permits.of({ endpoint: 'b', isPrefetched: false });
    let holder = permits.of(ONE);
    let passes = 0;
    for (let isOver = false; !isOver; passes++) {
      const next = permits.of(WAITING);
      const asked = ask(next);
      holder.lend(1);
      await turn();
      isOver = asked.may !== true;
      if (!isOver) holder = next;
    }
    expect(passes).toBeLessThan(40);
    expect(holder.regain()).toBe(false);
    holder.end();
    expect([permits.inUse, permits.at('a')]).toEqual([1, 0]);
    other.end();
  });

  it('never has more in use than were granted', async () => {
    const actions = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(actions, async (steps) => {
        const own = open(100);
        const held: { permit: SendPermit; asked: { may: boolean | undefined } }[] = [];
        let granted = 0;
        for (const [what, which] of steps) {
          const one = held[which % Math.max(1, held.length)];
          if (what === 0) granted += 1;
          if (what <= 1) {
            if (what === 1 && own.at('a') === 0) granted = Math.max(granted, 1);
            const permit = own.of(what === 0 ? ONE : WAITING);
            held.push({ permit, asked: ask(permit) });
          } else if (one?.asked.may && what === 2) {
            one.permit.lend(1);
            one.asked = ask(one.permit);
          } else if (one?.asked.may !== undefined && what === 3) {
            one.permit.end();
            held.splice(held.indexOf(one), 1);
          } else if (one?.asked.may && what === 4) one.permit.lend(null);
          await turn();
          expect(held.filter(({ asked }) => asked.may).length).toBeLessThanOrEqual(own.inUse);
          expect(own.inUse).toBeLessThanOrEqual(granted);
        }
      }),
      { numRuns: 50 },
    );
  });
});
