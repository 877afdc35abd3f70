import { describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { ChunkTurns } from './chunk-turns.js';

/** Stands still until it is moved. */
class StillClock extends SettableClock {
  private waiting: { at: number; call: () => void }[] = [];

  override sleep(ms: number): Promise<void> {
    return new Promise((call) => this.waiting.push({ at: this.ms + ms, call }));
  }

  async advance(ms: number): Promise<void> {
    this.ms += ms;
    for (const { at, call } of this.waiting) if (at <= this.ms) call();
    this.waiting = this.waiting.filter(({ at }) => at > this.ms);
    await turn();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('ChunkTurns', () => {
  it('is at once where there was none before, and for all that wait then', async () => {
    const called: string[] = [];
    const turns = new ChunkTurns(new StillClock(0), 10);
    turns.wait(() => called.push('a'));
    turns.wait(() => called.push('b'));
    expect(called).toEqual([]);
    await turn();
    expect(called).toEqual(['a', 'b']);
  });

  it('comes so many milliseconds after the one before', async () => {
    const called: string[] = [];
    const clock = new StillClock(0);
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
    const clock = new StillClock(0);
    clock.ms = 1_000_000;
    const turns = new ChunkTurns(clock, 10);
    turns.wait(() => called.push('a'));
    await turn();
    clock.ms = 0;
    turns.wait(() => called.push('b'));
    await clock.advance(10);
    expect(called).toEqual(['a', 'b']);
  });
});
