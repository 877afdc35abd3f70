import { expect, it } from '@jest/globals';
import { countOf, durationOf } from './words.js';

it.each([
  [-5, '0 ms'],
  [0, '0 ms'],
  [999.4, '999 ms'],
  [1000, '1.0 s'],
  [59_900, '59.9 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [10_920_000, '3 h 2 min'],
  [90_000_000, '1 d 1 h'],
])('says how long %d ms are', (ms, text) => expect(durationOf(ms)).toBe(text));

it('counts in words', () => {
  expect([countOf(0, 'update'), countOf(1, 'update'), countOf(2, 'update')]).toEqual([
    ...['0 updates', '1 update', '2 updates'],
  ]);
});
