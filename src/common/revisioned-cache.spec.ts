import { expect, it } from '@jest/globals';
import { SettableClock } from './fake-settable-clock.js';
import type { Log } from './logger.js';
import { RevisionedCache, type RevisionedStore } from './revisioned-cache.js';

class Numbers extends RevisionedCache<number> {
  held: readonly number[] = [];

  constructor(store: RevisionedStore<number>, log: Log) {
    super(store, 'numbers', new SettableClock(), log);
  }

  protected override onReload(all: readonly number[]): void {
    this.held = all;
  }
}

it('does not answer a change as failed that was made and cannot be read', async () => {
  const stored = { revision: 1, all: [1] };
  let fault: Error | undefined;
  const read = <T>(value: T): Promise<T> =>
    fault === undefined ? Promise.resolve(value) : Promise.reject(fault);
  const warned: unknown[] = [];
  const log = { warn: (...said: unknown[]) => warned.push(said) } as unknown as Log;
  const store = { revision: () => read(stored.revision), all: () => read(stored.all) };
  const numbers = new Numbers(store, log);
  await numbers.follow();
  expect(numbers.held).toEqual([1]);

  Object.assign(stored, { revision: 2, all: [1, 2] });
  fault = new Error('no connection');
  await expect(numbers.renew()).rejects.toBe(fault);
  await numbers.follow();
  expect(warned).toEqual([
    [
      { err: fault },
      'numbers were changed and could not be read again: this process follows once the database answers',
    ],
  ]);
  expect(numbers.held).toEqual([1]);

  fault = undefined;
  await numbers.renew();
  expect(numbers.held).toEqual([1, 2]);
});
