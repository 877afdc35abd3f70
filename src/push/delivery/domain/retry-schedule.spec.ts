import { describe, expect, it } from '@jest/globals';
import { quickRetryDelayMs, retryDelayMs } from './retry-schedule.js';

const SCHEDULE = { scheduleMs: [1000, 5000, 30_000], jitter: 0.2, retryAfterMaxMs: 3_600_000 };
const MIDDLE = 0.5;

describe('retryDelayMs', () => {
  it('takes one delay after the other and gives up after the last', () => {
    const delays = [1, 2, 3, 4].map((tries) => retryDelayMs(SCHEDULE, tries, MIDDLE));
    expect(delays).toEqual([1000, 5000, 30_000, undefined]);
  });

  it('spreads a delay by the jitter to both sides', () => {
    expect(retryDelayMs(SCHEDULE, 1, 0)).toBe(800);
    expect(retryDelayMs(SCHEDULE, 1, 0.999_999)).toBe(1200);
  });

  it('waits longer when the receiver asks for it, up to the limit', () => {
    expect(retryDelayMs(SCHEDULE, 1, MIDDLE, 9000)).toBe(9000);
    expect(retryDelayMs(SCHEDULE, 3, MIDDLE, 9000)).toBe(30_000);
    expect(retryDelayMs(SCHEDULE, 1, MIDDLE, 86_400_000)).toBe(3_600_000);
  });

  it('is not prolonged by Retry-After once the schedule is used up', () => {
    expect(retryDelayMs(SCHEDULE, 4, MIDDLE, 9000)).toBeUndefined();
  });
});

describe('quickRetryDelayMs', () => {
  it('allows two retries after the shortest delay', () => {
    const delays = [1, 2, 3].map((tries) => quickRetryDelayMs(SCHEDULE, tries, MIDDLE));
    expect(delays).toEqual([1000, 1000, undefined]);
  });
});
