import { describe, expect, it } from '@jest/globals';
import { Clock, SystemClock } from './clock.js';

/** Has only what every clock must have; its sleepers wake when it is told to. */
class SleepingClock extends Clock {
  private sleepers: (() => void)[] = [];

  now(): Date {
    return new Date(0);
  }

  monotonicMs(): number {
    return 0;
  }

  sleep(_: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.sleepers.push(resolve);
      signal?.addEventListener('abort', () => resolve());
    });
  }

  async wake(): Promise<void> {
    for (const wake of this.sleepers.splice(0)) wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A clock, and how 20 ms of it pass. */
const CLOCKS: [string, () => { clock: Clock; pass: () => Promise<void> }][] = [
  [
    'SystemClock',
    () => {
      const clock = new SystemClock();
      return { clock, pass: () => clock.sleep(20) };
    },
  ],
  [
    'a clock that only sleeps',
    () => {
      const clock = new SleepingClock();
      return { clock, pass: () => clock.wake() };
    },
  ],
];

describe.each(CLOCKS)('%s', (_, make) => {
  it('calls once after the time, and not when that was taken back', async () => {
    const { clock, pass } = make();
    const calls: string[] = [];
    clock.after(5, () => calls.push('kept'));
    const cancel = clock.after(5, () => calls.push('taken back'));
    expect(calls).toEqual([]);
    cancel();
    await pass();
    await pass();
    expect(calls).toEqual(['kept']);
    cancel();
  });
});

describe('SystemClock', () => {
  it('waits for longer than a timer of Node can', async () => {
    const clock = new SystemClock();
    const calls: string[] = [];
    const month = 30 * 24 * 60 * 60 * 1000;
    const cancel = clock.after(month, () => calls.push('a month is over'));
    const ending = new AbortController();
    const slept = clock.sleep(month, ending.signal).then(() => calls.push('slept'));
    await clock.sleep(20);
    expect(calls).toEqual([]);
    cancel();
    ending.abort();
    await slept;
    expect(calls).toEqual(['slept']);
  });
});
