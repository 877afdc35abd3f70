import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from './retry-after.js';

const NOW = new Date('1994-11-06T08:49:30.000Z');
const YEAR_MS = 366 * 24 * 3600 * 1000;

describe('Retry-After', () => {
  it.each<[string | string[] | undefined, number | null]>([
    ['0', 0],
    ['7', 7000],
    [' 120 ', 120_000],
    ['007', 7000],
    ['9'.repeat(400), YEAR_MS],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 7000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 7000],
    ['Sun Nov  6 08:49:37 1994', 7000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', YEAR_MS],
    [['5', '50'], 5000],
  ])('reads %j', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });

  it.each([
    undefined,
    '',
    ' ',
    '-5',
    '1.5',
    '1e3',
    '+3',
    '0x10',
    'soon',
    'soon 5',
    '7s',
    'Infinity',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 +0100',
    '５',
  ])('takes %j for nothing', (header) => {
    expect(retryAfterMs(header, NOW)).toBeNull();
  });

  it('takes a two-digit year for one of at most 50 years ahead', () => {
    const now = new Date('2099-12-31T23:59:59.000Z');
    expect(retryAfterMs('Friday, 01-Jan-00 00:00:09 GMT', now)).toBe(10_000);
  });
});
