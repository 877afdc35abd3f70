import { describe, expect, it } from '@jest/globals';
import { isLong, LONG, type Loop, LongStream, LongWork, longTurn, tookLong } from './long-work.js';

/** An event loop whose time goes by only when nothing else is left to do in it. */
class FakeLoop implements Loop {
  ms = 0;
  /** For which share of the time it is in use, by when. */
  inUse: (ms: number) => number = () => 1;
  private isMoving = false;
  private readonly timers: { readonly at: number; readonly call: () => void }[] = [];

  readonly now = (): number => this.ms;

  nextTurn(call: () => void): void {
    setImmediate(call);
  }

  after(ms: number, call: () => void): void {
    this.timers.push({ at: this.ms + ms, call });
    if (this.isMoving) return;
    this.isMoving = true;
    setImmediate(() => this.move());
  }

  watch(): () => number {
    return () => this.inUse(this.ms);
  }

  private move(): void {
    this.isMoving = false;
    const next = this.timers.shift();
    if (next === undefined) return;
    this.ms = next.at;
    next.call();
  }
}

/** How long a rest takes by the clock of the loop. */
async function restOf(loop: FakeLoop, work: LongWork): Promise<number> {
  const began = loop.ms;
  await work.turn();
  return loop.ms - began;
}

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
    // A rest of the tests before may just have seen a loop that nobody needed.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await longTurn();
    tookLong(50);
    const began = performance.now();
    await longTurn();
    isOver = true;
    // A timer may fire up to a millisecond early, each time it is looked.
    expect(performance.now() - began).toBeGreaterThan(300);
  });

  it('is eight times as long as the work, and no longer than 400 ms', async () => {
    const loop = new FakeLoop();
    const work = new LongWork(loop);
    expect(await restOf(loop, work)).toBe(0);
    for (const [took, rest] of [
      [1, 8],
      [20, 160],
      [50, 400],
      [100, 400],
    ] as const) {
      work.took(took);
      expect(await restOf(loop, work)).toBe(rest);
    }
  });

  it('is cut short when nobody needs the event loop', async () => {
    const loop = new FakeLoop();
    const work = new LongWork(loop);
    loop.inUse = () => 0.09;
    work.took(100);
    expect(await restOf(loop, work)).toBe(4);
    expect(await restOf(loop, work)).toBe(0);
  });

  it('goes on between the requests of those who need the loop now and then', async () => {
    const loop = new FakeLoop();
    const work = new LongWork(loop);
    // One look in twelve sees a request, which takes all of it.
    loop.inUse = (ms) => (ms % 48 === 0 ? 1 : 0.05);
    const rest = (): Promise<number> => {
      work.took(20);
      return restOf(loop, work);
    };
    // What was seen of a loop is little at first.
    while (loop.ms < 1000) await rest();
    for (let i = 0; i < 20; i += 1) expect(await rest()).toBe(160);
  });

  it('ends soon after nobody needs the event loop any more', async () => {
    const loop = new FakeLoop();
    const work = new LongWork(loop);
    loop.inUse = () => 0.12;
    work.took(20);
    expect(await restOf(loop, work)).toBe(160);
    loop.inUse = () => 0;
    work.took(50);
    // 0.12 has become less than 0.1.
    expect(await restOf(loop, work)).toBe(92);
  });

  it('forgets who needed the event loop when there was none for a while', async () => {
    const loop = new FakeLoop();
    const work = new LongWork(loop);
    work.took(20);
    expect(await restOf(loop, work)).toBe(160);
    loop.ms += 1200;
    loop.inUse = () => 0;
    work.took(50);
    expect(await restOf(loop, work)).toBe(4);
  });
});

describe('what is owed in rest', () => {
  it('is paid while nobody waits for a turn', async () => {
    const loop = new FakeLoop();
    const work = new LongWork(loop);
    const turnEnds = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    work.took(100);
    loop.ms += 150;
    expect(await restOf(loop, work)).toBe(250);
    await turnEnds();
    work.took(50);
    loop.ms += 400;
    expect(await restOf(loop, work)).toBe(0);
  });

  it('makes no rest longer, however much is done meanwhile', async () => {
    const loop = new FakeLoop();
    const work = new LongWork(loop);
    work.took(50);
    loop.inUse = () => {
      work.took(50);
      return 1;
    };
    expect(await restOf(loop, work)).toBe(400);
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

  it('has every second turn while others wait, however many streams there are', async () => {
    const work = new LongWork(new FakeLoop());
    const order: string[] = [];
    const stream = async (): Promise<void> => {
      for (let turn = 0; turn < 2; turn += 1) {
        await work.streamTurn();
        order.push('stream');
      }
    };
    const body = async (): Promise<void> => {
      for (let turn = 0; turn < 5; turn += 1) {
        await work.turn();
        order.push('body');
      }
    };
    await Promise.all([...Array.from({ length: 100 }, stream), body()]);
    expect(order).toHaveLength(205);
    expect(order.lastIndexOf('body')).toBeLessThan(12);
    expect(order.indexOf('stream')).toBeLessThan(2);
  });

  it('lets others have the event loop behind what it brought', async () => {
    const loop = new FakeLoop();
    const work = new LongWork(loop);
    const stream = new LongStream(work);
    const began = loop.ms;
    // A millisecond for each eighth of it, and eight times as long to rest.
    for (let i = 0; i < 5; i += 1) await stream.next(4 * LONG);
    expect(loop.ms - began).toBe(5 * 8 * 32);
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

describe('short steps of long work', () => {
  const step = (loop: FakeLoop) => async (): Promise<string> => {
    await Promise.resolve();
    loop.ms += 5;
    return 'done';
  };

  it('are rested for, eight times as long as they held the event loop', async () => {
    const loop = new FakeLoop();
    const work = new LongWork(loop);
    await expect(work.count(step(loop))).resolves.toBe('done');
    await expect(restOf(loop, work)).resolves.toBe(40);
  });

  it('that waited for something are not, however long that took', async () => {
    const loop = new FakeLoop();
    const work = new LongWork(loop);
    const waits = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      loop.ms += 1000;
    };
    await work.count(waits);
    await expect(restOf(loop, work)).resolves.toBe(0);
  });
});
