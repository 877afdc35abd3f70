import { expect, it } from '@jest/globals';
import { TimedClock } from '../common/fake-timed-clock.js';
import { LeasedRate } from './domain/leased-rate.js';
import type { RateAsk } from './domain/rate.js';
import { RateLeases } from './rate-leases.js';

const SILENT = { warn: () => undefined, info: () => undefined };

/** Leases of a database whose clock is so far ahead; each take is under way for so long before and after it tells its time. */
function leasesOf(aheadMs: number): {
  readonly clock: TimedClock;
  readonly leases: RateLeases;
  readonly take: (thereMs: number, backMs: number) => Promise<void>;
} {
  const clock = new TimedClock();
  let [there, back] = [0, 0];
  const take = (asks: readonly RateAsk[]) => {
    clock.ms += there;
    const now = new Date(clock.ms + aheadMs);
    clock.ms += back;
    return Promise.resolve({ leases: asks.map(() => ({ second: 1, points: 1 })), now });
  };
  const leases = new RateLeases({ take }, clock, SILENT);
  return {
    clock,
    leases,
    take: async (thereMs, backMs) => {
      [there, back] = [thereMs, backMs];
      const answer = leases.answer();
      leases.ask(new LeasedRate('key', 10), false);
      await answer;
    },
  };
}

it.each([0, 2500, -2500])('know the clock of the database, %d ms ahead', async (aheadMs) => {
  const { clock, leases, take } = leasesOf(aheadMs);
  await take(3, 3);
  expect(Math.abs(leases.now() - clock.ms - aheadMs)).toBeLessThanOrEqual(3);
});

it.each([
  [900, 0],
  [0, 900],
  [450, 450],
])('take no slow answer for another time (%d ms there, %d ms back)', async (thereMs, backMs) => {
  const { clock, leases, take } = leasesOf(0);
  await take(0, 0);
  await take(thereMs, backMs);
  expect(leases.now()).toBe(clock.ms);
});
