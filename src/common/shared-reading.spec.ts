import { expect, it } from '@jest/globals';
import { SettableClock } from './fake-settable-clock.js';
import { SharedReading } from './shared-reading.js';

function readings(most = 10) {
  const clock = new SettableClock(1_000_000);
  const shared = new SharedReading<number>(most, clock);
  let reads = 0;
  const get = (key: string, maxAgeMs: number): Promise<number> =>
    shared.get(key, maxAgeMs, () => Promise.resolve((reads += 1)));
  return {
    clock,
    shared,
    get,
    kept: () => (shared as unknown as { kept: Map<string, unknown> }).kept,
  };
}

it('is given to whoever takes one of its age', async () => {
  const { clock, get } = readings();
  expect(await Promise.all([get('a', 2000), get('a', 2000)])).toEqual([1, 1]);
  clock.ms += 2000;
  expect(await get('a', 2000)).toBe(1);
  expect(await get('b', 2000)).toBe(2);
  expect(await get('a', 1999)).toBe(3);
  expect(await get('a', 2000)).toBe(3);
});

it('is as old as its beginning, but one that is under way is not begun a second time', async () => {
  const { clock, shared, get } = readings();
  const end: ((value: number) => void)[] = [];
  const slow = shared.get('a', 2000, () => new Promise<number>((done) => end.push(done)));
  await Promise.resolve();
  clock.ms += 4000;
  const another = get('a', 2000);
  end[0]!(7);
  expect(await Promise.all([slow, another])).toEqual([7, 7]);
  expect(await get('a', 3999)).toBe(1);
});

it('is read anew for whoever wants a new one, and not kept then', async () => {
  const { get, kept } = readings();
  expect(await get('a', 0)).toBe(1);
  expect(kept().size).toBe(0);
  expect(await get('a', 2000)).toBe(2);
  expect(await Promise.all([get('a', 0), get('a', 0)])).toEqual([3, 4]);
  expect(await get('a', 2000)).toBe(2);
});

it('is for one alone when its reading says so, also where others wait for it', async () => {
  const { shared, get, kept } = readings();
  const alone = shared.get('a', 2000, (keepToOne) => {
    keepToOne();
    return Promise.resolve(7);
  });
  const another = get('a', 2000);
  expect(await alone).toBe(7);
  expect(await another).toBe(1);
  expect(await get('a', 2000)).toBe(1);
  expect(kept().size).toBe(1);
});

it('does not give others the refusal of what was for one alone', async () => {
  const { shared, get } = readings();
  const refusal = new Error('too many of your large answers');
  const alone = shared.get('a', 2000, (keepToOne) => {
    keepToOne();
    return Promise.reject(refusal);
  });
  const another = get('a', 2000);
  await expect(alone).rejects.toBe(refusal);
  expect(await another).toBe(1);
});

it('is not kept when it fails', async () => {
  const { shared, get } = readings();
  const failure = new Error('no');
  await expect(shared.get('a', 2000, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(await get('a', 2000)).toBe(1);
});

it('is forgotten when it is too old for everybody, or there are too many', async () => {
  const { clock, get, kept } = readings(2);
  for (const key of ['a', 'b', 'c']) await get(key, 2000);
  expect([...kept().keys()]).toEqual(['b', 'c']);
  clock.ms += 5001;
  await get('d', 2000);
  expect([...kept().keys()]).toEqual(['d']);
});
