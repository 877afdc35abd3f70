import { describe, expect, it } from '@jest/globals';
import { CLOSED, opened, takeProbe } from '../../../common/circuit-breaker.js';
import { isHealthCheckDue } from './is-health-check-due.js';

const NOW = 1_000_000_000;
const TIMES = { knownSince: NOW - 500, lookedAt: NOW - 900, intervalMs: 1000, jitter: 0.5 };
const HOUR = 3_600_000;

function dueIn(ms: number, times = TIMES, lastOkAt: number | null = null): boolean {
  return isHealthCheckDue({ lastOkAt, lastFaultAt: null, breaker: CLOSED }, times, NOW + ms);
}

describe('isHealthCheckDue', () => {
  it('is due an interval after the last contact, each agent a little earlier or later', () => {
    expect([dueIn(499), dueIn(500)]).toEqual([false, true]);
    expect([dueIn(600, TIMES, NOW), dueIn(1000, TIMES, NOW)]).toEqual([false, true]);
    const [early, late] = [
      { ...TIMES, jitter: 0 },
      { ...TIMES, jitter: 1 },
    ];
    expect([dueIn(299, early), dueIn(300, early)]).toEqual([false, true]);
    expect([dueIn(699, late), dueIn(700, late)]).toEqual([false, true]);
  });

  it('is due at once when the last contact lies ahead of a clock that was set back', () => {
    expect(dueIn(-HOUR)).toBe(true);
    expect(dueIn(-HOUR, TIMES, NOW)).toBe(true);
  });

  it('is due when the breaker lets somebody try and nobody does', () => {
    const rules = { openMinMs: 2000, openMaxMs: 2000, jitter: [0, 0] } as const;
    const breaker = opened(CLOSED, rules, NOW, 0);
    const check = (ms: number, of = breaker): boolean =>
      isHealthCheckDue({ lastOkAt: null, lastFaultAt: NOW, breaker: of }, TIMES, NOW + ms);
    expect([check(1999), check(2000), check(-HOUR)]).toEqual([false, true, true]);
    const taken = takeProbe(breaker, NOW + 2000, 5000);
    expect(taken).toBeDefined();
    expect([check(2001, taken), check(7000, taken)]).toEqual([false, true]);
  });
});
