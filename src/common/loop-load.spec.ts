import { expect, it } from '@jest/globals';
import { LoopLoad } from './loop-load.js';

it('is the share of the time since the last look, of a second at least', () => {
  let [now, active] = [5000, 4000];
  const loop = new LoopLoad(() => ({ now, active }));
  expect(loop.load).toBe(0);
  [now, active] = [5999, 4999];
  expect(loop.load).toBe(0);
  [now, active] = [6000, 4900];
  expect(loop.load).toBeCloseTo(0.9);
  [now, active] = [6500, 5400];
  expect(loop.load).toBeCloseTo(0.9);
  [now, active] = [16_000, 5900];
  expect(loop.load).toBeCloseTo(0.1);
});

it('is that of the process where none is said', () => {
  const loop = new LoopLoad();
  const began = performance.now();
  while (performance.now() < began + 1100);
  // What this turn has worked is counted when it ends.
  return new Promise<void>((done) => setTimeout(done, 20)).then(() => {
    expect(loop.load).toBeGreaterThan(0.5);
    expect(loop.load).toBeLessThanOrEqual(1);
  });
});
