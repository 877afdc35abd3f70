import { expect, it } from '@jest/globals';
import { VisitBounds } from './visit-bounds.js';

const visitOf = (bounds: VisitBounds, visit: () => Promise<boolean>) =>
  bounds.within('192.0.2.0', visit, (isMiss) => isMiss);

it('lets no more misses through at once than one after the other', async () => {
  const bounds = new VisitBounds();
  let under = 0;
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  const visits = Array.from({ length: 100 }, () =>
    visitOf(bounds, async () => {
      under += 1;
      await held;
      return true;
    }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(under).toBe(60);
  answer();
  const refused = (await Promise.all(visits)).filter((each) => 'why' in each);
  expect(refused).toHaveLength(40);
  expect(refused[0]).toEqual({ why: 'under-way', seconds: 2 });
  const later = await visitOf(bounds, () => Promise.resolve(true));
  expect(later).toEqual({ why: 'misses', seconds: expect.any(Number) });
  if ('seconds' in later) expect(later.seconds).toBeGreaterThan(50);
  expect(await bounds.within('192.0.2.1', async () => true, Boolean)).toEqual({ result: true });
});

it('counts for nothing what is no miss, also what fails or was refused', async () => {
  const bounds = new VisitBounds();
  const held = (isMiss: boolean) => () =>
    new Promise<boolean>((resolve) => setImmediate(() => resolve(isMiss)));
  for (let n = 0; n < 2; n += 1) {
    await Promise.all(Array.from({ length: 60 }, () => visitOf(bounds, held(false))));
  }
  for (let n = 0; n < 100; n += 1) {
    const failed = visitOf(bounds, () => Promise.reject(new Error('away')));
    await expect(failed).rejects.toThrow('away');
  }
  for (let n = 0; n < 60; n += 1) {
    expect(await visitOf(bounds, held(true))).toEqual({ result: true });
  }
  expect(await visitOf(bounds, held(true))).toMatchObject({ why: 'misses' });
});
