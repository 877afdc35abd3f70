import { describe, expect, it } from '@jest/globals';
import { Clock } from '../../common/clock.js';
import { ChunkTurns } from './chunk-turns.js';

/** Stands still until it is moved. */
class StillClock extends Clock {
  time = 0;
  private waiting: { at: number; call: () => void }[] = [];

  now(): Date {
    return new Date(this.time);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((call) => this.waiting.push({ at: this.time + ms, call }));
  }

  async advance(ms: number): Promise<void> {
    this.time += ms;
    for (const { at, call } of this.waiting) if (at <= this.time) call();
    this.waiting = this.waiting.filter(({ at }) => at > this.time);
    await turn();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('ChunkTurns', () => {
  it('is at once where there was none before, and for all that wait then', async () => {
    const called: string[] = [];
    const turns = new ChunkTurns(new StillClock(), 10);
    turns.wait(() => called.push('a'));
    turns.wait(() => called.push('b'));
    expect(called).toEqual([]);
    await turn();
    expect(called).toEqual(['a', 'b']);
  });

  it('comes so many milliseconds after the one before', async () => {
    const called: string[] = [];
    const clock = new StillClock();
    const turns = new ChunkTurns(clock, 10);
    turns.wait(() => called.push('a'));
    await turn();
    await clock.advance(4);
    turns.wait(() => called.push('b'));
    await clock.advance(3);
    turns.wait(() => called.push('c'));
    await clock.advance(2);
    await turn();
    expect(called).toEqual(['a']);
    await clock.advance(1);
    expect(called).toEqual(['a', 'b', 'c']);
    await clock.advance(10);
    turns.wait(() => called.push('d'));
    await turn();
    expect(called).toEqual(['a', 'b', 'c', 'd']);
  });

  it('comes even where the clock is set back', async () => {
    const called: string[] = [];
    const clock = new StillClock();
    clock.time = 1_000_000;
    const turns = new ChunkTurns(clock, 10);
    turns.wait(() => called.push('a'));
    await turn();
    clock.time = 0;
    turns.wait(() => called.push('b'));
    await clock.advance(10);
    expect(called).toEqual(['a', 'b']);
  });
});
