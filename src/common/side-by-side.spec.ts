import { expect, it } from '@jest/globals';
import { sideBySide } from './side-by-side.js';

it('so many are under way at once, and each has its result in its place', async () => {
  let [running, most] = [0, 0];
  const work = async (n: number): Promise<number> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, n % 3));
    running -= 1;
    if (n === 5) throw new Error('five');
    return n * 2;
  };
  const results = await sideBySide([...Array(20).keys()], 4, work);
  expect(most).toBe(4);
  expect(results.map((each) => (each.status === 'fulfilled' ? each.value : -1))).toEqual(
    [...Array(20).keys()].map((n) => (n === 5 ? -1 : n * 2)),
  );
  expect(await sideBySide([], 4, work)).toEqual([]);
});
