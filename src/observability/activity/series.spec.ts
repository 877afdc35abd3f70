import { describe, expect, it } from '@jest/globals';
import type { ActivityCount } from './activity.js';
import { meanMs, seriesOf, shareMs, sumsOf } from './series.js';

const counted = (name: string, count: number, at = 0, totalMs = 0): ActivityCount => ({
  kind: 'callTimes',
  organization: '',
  agentId: '',
  name,
  at,
  count,
  totalMs,
});

describe('what was counted', () => {
  it('is summed by name, the most frequent first, and by time', () => {
    const counts = [counted('a', 1), counted('b', 2), counted('a', 3, 60_000), counted('c', 2)];
    expect(sumsOf(counts)).toEqual([
      { name: 'a', count: 4 },
      { name: 'b', count: 2 },
      { name: 'c', count: 2 },
    ]);
    expect(seriesOf(counts, [0, 60_000, 120_000], (name) => name !== 'b')).toEqual([3, 3, 0]);
  });

  it('tells the mean, and within its bounds the time that 95 of 100 kept to', () => {
    expect(meanMs([])).toBeNull();
    expect(meanMs([counted('answered', 3, 0, 60), counted('invalid', 1, 0, 40)])).toBe(20);
    expect(shareMs([], 0.95)).toBeNull();
    expect(shareMs([counted('10', 100)], 0.95)).toBe(10);
    expect(shareMs([counted('10', 90), counted('300', 10)], 0.95)).toBe(200);
    expect(shareMs([counted('10', 90), counted('more', 10)], 0.95)).toBeNull();
  });
});
