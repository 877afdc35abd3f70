import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RULE_TEXT_LENGTH } from '../../domain/rule-decision.js';
import { aQuestion, aRule } from './fake-rules.js';
import { faultOfPattern, faultOfPatterns, Patterns } from './pattern.js';
import { RuleSet } from './rule-set.js';

const patterns = new Patterns();
const test = (pattern: string, text: string, ignoreCase = false): boolean =>
  patterns.of({ pattern, ignoreCase }).find(text) !== undefined;

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
    expect(faultOfPattern({ pattern: 'refund.{0,200}invoice' })).toMatch(/use smaller counts/);
    expect(faultOfPattern({ pattern: 'refund.{0,50}invoice' })).toBeUndefined();
    expect(faultOfPattern({ pattern: 'a'.repeat(240) })).toBeUndefined();
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

  it('gives what it found', () => {
    const found = patterns.of({ pattern: 'inv\\w+', ignoreCase: true }).find('My INVOICE, now');
    expect(found).toBe('INVOICE');
  });

  it('takes any text, also half of a surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        expect(typeof test('\\pL+\\d', `${text}\ud800`)).toBe('boolean');
      }),
    );
  });
});

describe('the patterns of all rules', () => {
  const rule = (pattern: string, enabled = true) =>
    aRule(pattern, { enabled, conditions: { text: { pattern } } });

  it('are bounded together, but for those of disabled rules', () => {
    const [one, two, three] = ['a.{200}c', 'b.{200}c', 'd.{200}c'].map((each) => rule(each));
    expect(faultOfPatterns([one!, two!], patterns)).toBeUndefined();
    expect(faultOfPatterns([one!, two!, three!], patterns)).toMatch(
      /makes 612 instructions .* where 500 are allowed .* disable a rule/,
    );
    expect(faultOfPatterns([one!, two!, rule('d.{200}c', false)], patterns)).toBeUndefined();
  });

  it('do not hold a message up, however bad they and its text are', () => {
    // As much as may be saved, through the API and in the file.
    const [ofApi, inFile] = ['a', 'b'].map((first) =>
      ['.{200}c', '.{200}d', '.{80}e'].map((rest) => rule(`${first}${rest}`)),
    );
    for (const rules of [ofApi!, inFile!]) {
      expect(faultOfPatterns(rules, patterns)).toBeUndefined();
    }
    const set = new RuleSet([...ofApi!, ...inFile!]);
    const times = Array.from({ length: 4 }, (_, count) => {
      const text = `cde${textOf('ab', RULE_TEXT_LENGTH - 3, count)}`;
      const start = process.cpuUsage();
      expect([...set.applying(aQuestion({ text }))]).toEqual([]);
      return process.cpuUsage(start).user / 1000;
    });
    // Some 60 ms on a quiet core; the one before needed seconds.
    expect(Math.min(...times)).toBeLessThan(400);
  });

  /** A fresh text of these letters without a period. */
  function textOf(letters: string, length: number, seed: number): string {
    let state = seed + 7;
    return Array.from({ length }, () => {
      state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff;
      return letters[(state >> 8) % letters.length];
    }).join('');
  }
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
