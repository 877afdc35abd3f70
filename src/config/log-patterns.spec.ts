import { expect, it } from '@jest/globals';
import { LOG_PATTERN_LIMITS, logPatterns } from './log-patterns.js';

const setting = logPatterns({ default: [], description: 'Patterns.' });

it('takes a list, in a variable parted by commas', () => {
  expect(setting.read(['[a-z]+@', '(?i)x{2}'], 'file')).toEqual(['[a-z]+@', '(?i)x{2}']);
  expect(setting.read('a, b', 'environment')).toEqual(['a', 'b']);
});

it.each([
  [['a', '(b'], /^\[1\]: is not a regular expression in RE2 syntax/],
  [['(a)\\1'], /^\[0\]: is not a regular expression in RE2 syntax/],
  [['a*'], /^\[0\]: matches an empty text/],
  [[7], /^\[0\]: is not a text/],
  [[''], /^\[0\]: is not a text/],
  [['a'.repeat(501)], /^\[0\]: must be at most 500 characters/],
  [['a{900}'], /^\[0\]: is too large/],
  [['a{90}', 'b{90}', 'c{90}'], /^has \d+ instructions where 200 are allowed for all patterns/],
  [Array.from({ length: LOG_PATTERN_LIMITS.patterns + 1 }, () => 'a'), /^has 21 patterns/],
])('refuses %j', (input, fault) => {
  expect(setting.read(input, 'file')).toBeUndefined();
  expect(setting.faults(input).join()).toMatch(fault);
});
