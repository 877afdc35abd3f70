import { beforeEach, describe, expect, it } from '@jest/globals';
import { SettableClock } from './fake-settable-clock.js';
import { KeptValue } from './kept-value.js';

let clock: SettableClock;
let reads: number;
let failing: Error | undefined;
let failures: [unknown, boolean][];
let kept: KeptValue<number>;

beforeEach(() => {
  clock = new SettableClock(0);
  [reads, failing, failures] = [0, undefined, []];
  const read = async (): Promise<number> => {
    reads += 1;
    await Promise.resolve();
    if (failing) throw failing;
    return reads;
  };
  const onFailure = (error: unknown, isUsed: boolean): void => void failures.push([error, isUsed]);
  const endsUse = (error: unknown): boolean => (error as Error).message === 'gone';
  const rules = { read, freshMs: 100, keptMs: 1000, failureMs: 10, endsUse, onFailure };
  kept = new KeptValue(rules, clock);
});

describe('KeptValue', () => {
  it('reads once for all who ask at once, and not again while it is fresh', async () => {
    expect(await Promise.all([kept.get(), kept.get()])).toEqual([1, 1]);
    clock.ms = 99;
    expect([await kept.get(), reads]).toEqual([1, 1]);
  });

  it('is read anew beside those who use it', async () => {
    await kept.get();
    clock.ms = 100;
    expect(await kept.get()).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await kept.get()).toBe(2);
  });

  it('is used for as long as it may be when it cannot be read, and not longer', async () => {
    await kept.get();
    failing = new Error('down');
    clock.ms = 999;
    expect(await kept.get()).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(failures).toEqual([[failing, true]]);
    clock.ms = 1010;
    await expect(kept.get()).rejects.toBe(failing);
    expect(failures).toEqual([
      [failing, true],
      [failing, false],
    ]);
  });

  it('is not used on after a failure that says so', async () => {
    await kept.get();
    failing = new Error('gone');
    await expect(kept.renew()).rejects.toBe(failing);
    expect([failures, kept.current()]).toEqual([[[failing, false]], undefined]);
  });

  it('is not asked for again at once after a failure', async () => {
    failing = new Error('down');
    for (const ms of [0, 5, 9]) {
      clock.ms = ms;
      await expect(kept.get()).rejects.toBe(failing);
    }
    expect(reads).toBe(1);
    clock.ms = 10;
    failing = undefined;
    expect(await kept.get()).toBe(2);
  });
});
