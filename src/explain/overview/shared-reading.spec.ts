import { expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { SharedReading } from './shared-reading.js';

it('is read once for all who ask within its time, and none of them gets an older one', async () => {
  const clock = new SettableClock(1_000_000);
  const shared = new SharedReading<number>(2000, clock);
  let reads = 0;
  const read = () => Promise.resolve((reads += 1));
  expect(await Promise.all([shared.get('a', read), shared.get('a', read)])).toEqual([1, 1]);
  clock.ms += 1999;
  expect(await shared.get('a', read)).toBe(1);
  clock.ms += 1;
  expect(await Promise.all([shared.get('a', read), shared.get('a', read)])).toEqual([2, 2]);
  expect(await shared.get('b', read)).toBe(3);
});
