import { expect, it } from '@jest/globals';
import { sideBySide } from './side-by-side.js';

const NUMBERS = [...Array(20).keys()];

it('so many are under way at once, and each has its result in its place', async () => {
  let [running, most] = [0, 0];
  const work = async (n: number): Promise<number> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, n % 3));
    running -= 1;
    return n * 2;
  };
  expect(await sideBySide(NUMBERS, 4, work)).toEqual(NUMBERS.map((n) => n * 2));
  expect(most).toBe(4);
  expect(await sideBySide([], 4, work)).toEqual([]);
});

it('a failure is that of all, after which none begins', async () => {
  const begun: number[] = [];
  const work = async (n: number): Promise<void> => {
    begun.push(n);
    await new Promise(setImmediate);
    if (n === 1) throw new Error('one');
  };
  await expect(sideBySide(NUMBERS, 2, work)).rejects.toThrow('one');
  await new Promise(setImmediate);
  expect(begun.length).toBeLessThan(4);
});
