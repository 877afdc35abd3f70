import { expect, it } from '@jest/globals';
import { acceptedAge } from './accepted-age.js';

it.each([
  [undefined, 0],
  ['', 0],
  ['max-age=2', 2000],
  ['no-transform, Max-Age=3', 3000],
  ['max-age=3 , no-transform', 3000],
  ['max-age=86400', 5000],
  ['max-age=0', 0],
  ['max-age=2, no-cache', 0],
  ['no-store,max-age=2', 0],
  ['max-age=-1', 0],
  ['max-age=2s', 0],
  ['max-age=99999999999999999999', 0],
  ['s-max-age=4', 0],
])('an answer may be as old as Cache-Control says: %j', (cacheControl, ms) => {
  expect(acceptedAge(cacheControl)).toBe(ms);
});
