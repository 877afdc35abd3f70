import { describe, expect, it } from '@jest/globals';
import { afterSending, freeAt, NOTHING_USED, type Rate, type Used } from './allowance.js';

const RATE: Rate = { requestsPerMinute: 60, bytesPerMinute: 6000 };
const NOW = 1_000_000;

/** Sends again and again whatever is allowed; how many requests in that time. */
function sentIn(ms: number, bytes: number): number {
  let used: Used = NOTHING_USED;
  let count = 0;
  for (let now = NOW; now < NOW + ms; now += 100) {
    while (freeAt(used, RATE) <= now) {
      used = afterSending(used, RATE, bytes, now);
      count += 1;
    }
  }
  return count;
}

describe('what may be sent to a receiver that has not agreed', () => {
  it('is a minute of requests at once, and then as many a minute', () => {
    expect(sentIn(1, 1)).toBe(60);
    expect(sentIn(60_000, 1)).toBe(119);
    expect(sentIn(600_000, 1)).toBe(659);
  });

  it('is a minute of bytes at once, and then as many a minute', () => {
    expect(sentIn(1, 1000)).toBe(6);
    expect(sentIn(600_000, 1000)).toBe(65 + 1);
  });

  it('goes over by one request at most, whose debt is waited for', () => {
    const used = afterSending(NOTHING_USED, RATE, 60_000, NOW);
    expect(freeAt(used, RATE)).toBe(NOW + 600_001 - 60_000);
    expect(sentIn(60_000, 60_000)).toBe(1);
  });

  it('is all there again after a minute without any', () => {
    let used: Used = NOTHING_USED;
    for (let n = 0; n < 60; n += 1) used = afterSending(used, RATE, 10, NOW);
    expect(freeAt(used, RATE)).toBeGreaterThan(NOW);
    expect(freeAt(used, RATE)).toBeLessThanOrEqual(NOW + 1000);
    const later = afterSending(used, RATE, 10, NOW + 120_000);
    expect(later).toEqual(afterSending(NOTHING_USED, RATE, 10, NOW + 120_000));
  });
});
