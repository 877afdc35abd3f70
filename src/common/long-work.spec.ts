import { describe, expect, it } from '@jest/globals';
import { isLong, LONG, LongStream, longTurn, tookLong } from './long-work.js';

describe('longTurn', () => {
  it('lets one go in each turn of the event loop, in the order they came', async () => {
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const turns = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) => {
        await longTurn();
        return [name, turn] as const;
      }),
    );
    isOver = true;
    expect(turns.map(([name]) => name)).toEqual(['a', 'b', 'c', 'd']);
    expect(new Set(turns.map(([, at]) => at)).size).toBe(4);
  });

  it('gives the next turn to who comes while one is worked in', async () => {
    const order: string[] = [];
    const first = longTurn().then(async () => {
      order.push('first');
      const again = longTurn();
      order.push('asked');
      await again;
      order.push('again');
    });
    await first;
    expect(order).toEqual(['first', 'asked', 'again']);
  });
});

describe('the rest of long work', () => {
  it('is many times as long as the work while the event loop is busy', async () => {
    let isOver = false;
    const busy = (): void => {
      const until = performance.now() + 3;
      while (performance.now() < until);
      if (!isOver) setImmediate(busy);
    };
    setImmediate(busy);
    await longTurn();
    tookLong(50);
    const began = performance.now();
    await longTurn();
    isOver = true;
    // A timer may fire up to a millisecond early, each time it is looked.
    expect(performance.now() - began).toBeGreaterThan(300);
  });

  it('is cut short when nobody needs the event loop', async () => {
    tookLong(100);
    const began = performance.now();
    await longTurn();
    expect(performance.now() - began).toBeLessThan(250);
  });
});

describe('a stream of many small pieces', () => {
  it('waits for a turn of long work each time that much has gone by', async () => {
    const stream = new LongStream();
    const piece = LONG / 16;
    const waits: boolean[] = [];
    for (let i = 0; i < 10; i += 1) {
      const turn = stream.next(piece);
      waits.push(turn !== undefined);
      await turn;
    }
    expect(waits).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 1].map(Boolean));
  });

  it('lets others have the event loop behind what it brought', async () => {
    let isOver = false;
    const busy = (): void => {
      const until = performance.now() + 3;
      while (performance.now() < until);
      if (!isOver) setImmediate(busy);
    };
    setImmediate(busy);
    const stream = new LongStream();
    const began = performance.now();
    for (let i = 0; i < 5; i += 1) await stream.next(4 * LONG);
    await longTurn();
    isOver = true;
    expect(performance.now() - began).toBeGreaterThan(500);
  });
});

describe('isLong', () => {
  it('adds up texts, names and bytes, and looks no further than it has to', () => {
    const half = 'x'.repeat(LONG / 2 + 1);
    expect(isLong(half)).toBe(false);
    expect(isLong({ a: [half], b: { c: half } })).toBe(true);
    expect(isLong({ [half]: half })).toBe(true);
    expect(isLong(new Uint8Array(LONG + 1))).toBe(true);
    // Many values are work, however little text they have.
    expect(isLong(Array.from({ length: 49_000 }, () => ({})))).toBe(true);
    expect(isLong(Array.from({ length: 1000 }, () => []))).toBe(false);
    const trap = {
      get never(): string {
        throw new Error('looked at');
      },
    };
    expect(isLong([half, half, trap])).toBe(true);
  });
});
