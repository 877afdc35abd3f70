import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LargeLoads } from './large-loads.js';

const LIMIT = 100;

function setUp() {
  const loads = new LargeLoads(LIMIT);
  const reading: string[] = [];
  /** Loads so many bytes until it is told to end. */
  const load = (name: string, bytes: number) => {
    let end!: (error?: Error) => void;
    const ended = new Promise<void>((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve());
    });
    const loaded = loads.during(async (begin) => {
      await begin(bytes);
      reading.push(name);
      await ended.finally(() => reading.splice(reading.indexOf(name), 1));
      return name;
    });
    return { loaded, end };
  };
  return { loads, reading, load };
}

describe('large loads', () => {
  it('reads no more bytes at once than the limit, first come, first served', async () => {
    const { reading, load } = setUp();
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
    const { reading, load } = setUp();
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
    const { loads, reading, load } = setUp();
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
