import { expect, it } from '@jest/globals';
import { SettableClock } from './fake-settable-clock.js';
import { RecentAnswers } from './recent-answers.js';

function answers(most = 10) {
  const clock = new SettableClock(1_000_000);
  const recent = new RecentAnswers<number>(most, clock);
  let reads = 0;
  const get = (key: string, maxAgeMs: number, isKept = true): Promise<number> =>
    recent.get(key, maxAgeMs, () => Promise.resolve({ answer: ++reads, isKept }));
  return { clock, recent, get };
}

it('are given to whoever takes them as old as they are', async () => {
  const { clock, get } = answers();
  expect(await get('a', 2000)).toBe(1);
  clock.ms += 2000;
  expect(await get('a', 2000)).toBe(1);
  expect(await get('b', 2000)).toBe(2);
  expect(await get('a', 1999)).toBe(3);
  expect(await get('a', 2000)).toBe(3);
});

it('are as old as their reading', async () => {
  const { clock, recent, get } = answers();
  await recent.get('a', 2000, () => {
    clock.ms += 1500;
    return Promise.resolve({ answer: 7, isKept: true });
  });
  expect(await get('a', 1500)).toBe(7);
  expect(await get('a', 1499)).toBe(1);
});

it('are not given to whoever wants a new one, which others get then', async () => {
  const { get } = answers();
  expect(await get('a', 2000)).toBe(1);
  expect(await get('a', 0)).toBe(2);
  expect(await get('a', 0)).toBe(3);
  expect(await get('a', 2000)).toBe(3);
});

it('are not kept when they may not be given to others, nor when reading fails', async () => {
  const { recent, get } = answers();
  expect(await get('a', 2000, false)).toBe(1);
  expect(await get('a', 2000)).toBe(2);
  const failure = new Error('no');
  await expect(recent.get('b', 2000, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(await get('b', 2000)).toBe(3);
});

it('are so many at most, the newest', async () => {
  const { get } = answers(2);
  for (const key of ['a', 'b', 'c']) await get(key, 2000);
  expect(await get('c', 2000)).toBe(3);
  expect(await get('a', 2000)).toBe(4);
});
