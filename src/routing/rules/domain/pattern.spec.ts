import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RULE_TEXT_LENGTH } from '../../domain/route-extensions.js';
import { faultOfPattern, Patterns } from './pattern.js';

const patterns = new Patterns();
const test = (pattern: string, text: string, ignoreCase = false): boolean =>
  patterns.of({ pattern, ignoreCase }).test(text);

describe('a pattern', () => {
  it.each<[string, string]>([
    ['(', 'missing closing )'],
    ['a)', 'unexpected )'],
    ['[z-a]', 'invalid character class range'],
    ['*', 'missing argument to repetition operator'],
    ['a{1001}', 'invalid repeat count'],
    ['(?=x)', 'invalid or unsupported Perl syntax'],
    ['(a)\\1', 'invalid escape sequence'],
  ])('%s is refused in the words of the engine', (pattern, reason) => {
    expect(faultOfPattern({ pattern })).toContain(reason);
  });

  it('is refused when its program is large or it is long', () => {
    expect(faultOfPattern({ pattern: '\\pL{999}' })).toMatch(/too large: \d+ instructions/);
    expect(faultOfPattern({ pattern: 'a'.repeat(501) })).toMatch(/at most 500/);
    expect(faultOfPattern({ pattern: 'a'.repeat(480) })).toBeUndefined();
  });

  it.each(['(a+)+$', '^(a|a)*$', '(a|aa)+$', '(.*)(.*)(.*)(.*)[0-9]$', '(a*)*b', '([a-z]+)*=$'])(
    '%s, catastrophic elsewhere, takes time in proportion to the text',
    (pattern) => {
      expect(faultOfPattern({ pattern })).toBeUndefined();
      const text = `${'a'.repeat(RULE_TEXT_LENGTH - 1)}!`;
      const start = performance.now();
      expect(test(pattern, text)).toBe(false);
      // Backtracking would take longer than the universe; this takes a few milliseconds.
      expect(performance.now() - start).toBeLessThan(2000);
    },
  );

  it('finds what the native engine finds, where both know the syntax', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '(?:ab|b)', '\\w', 'c?', 'a*', '(?:b)+');
    const pattern = fc.array(atom, { minLength: 1, maxLength: 5 }).map((atoms) => atoms.join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', 'A'), maxLength: 12 });
    fc.assert(
      fc.property(pattern, text, fc.boolean(), (written, subject, ignoreCase) => {
        const native = new RegExp(written, ignoreCase ? 'i' : '').test(subject);
        expect(test(written, subject, ignoreCase)).toBe(native);
      }),
    );
  });

  it('takes any text, also half of a surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        expect(typeof test('\\pL+\\d', `${text}\ud800`)).toBe('boolean');
      }),
    );
  });
});

describe('compiled patterns', () => {
  it('are made once, and taken over from the set before', () => {
    const first = new Patterns();
    const one = first.of({ pattern: 'a' });
    expect(first.of({ pattern: 'a', ignoreCase: false })).toBe(one);
    expect(first.of({ pattern: 'a', ignoreCase: true })).not.toBe(one);
    const second = new Patterns(first.compiled);
    expect(second.of({ pattern: 'a' })).toBe(one);
    expect([...second.compiled.keys()]).toEqual(['/a/']);
  });
});
