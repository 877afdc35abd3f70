import { describe, expect, it } from '@jest/globals';
import { checkJsonLimits, countValues, JsonMeter, MAX_DIGITS } from './json-limits.js';

const LIMITS = { maxValues: 10, maxNesting: 3 };

describe('limits of JSON', () => {
  it.each(['[]', '{"a":{"b":[1,2,3]}}', '"[[[[[[[["', '"\\"[[[[[["', '{"a\\\\":"{{{{{"}', 'null'])(
    'takes %s',
    (json) => {
      expect(() => checkJsonLimits(json, LIMITS)).not.toThrow();
    },
  );

  it.each([
    ['[[[[]]]]', 'is nested more than 3 levels deep'],
    ['{"a":[{"b":[', 'is nested more than 3 levels deep'],
    ['[1,2,3,4,5,6,7,8,9,10,11]', 'has more than 10 values'],
    ['[{},{},{},{},{},{},{}]', 'has more than 10 values'],
    ['["\\\\",1,2,3,4,5,6,7,8,9,10]', 'has more than 10 values'],
  ])('refuses %s', (json, why) => {
    expect(() => checkJsonLimits(json, LIMITS)).toThrow(why);
  });

  it('counts on where the last bytes ended: in a text, after a backslash, in a character', () => {
    const bytes = Buffer.from('{"ä\\"[[[[":["é\\\\"]}');
    const meter = new JsonMeter(LIMITS);
    for (const byte of bytes) meter.add(Uint8Array.of(byte));
    expect(() => meter.add(Buffer.from('[[[['))).toThrow('nested');
  });
});

describe('the digits of a number', () => {
  const longest = '1'.repeat(MAX_DIGITS);

  it('may be so many, each time', () => {
    const json = `[${longest},-${longest}, ${longest}\n${' '.repeat(2 * MAX_DIGITS)}]`;
    expect(() => checkJsonLimits(json, LIMITS)).not.toThrow();
  });

  it.each(['', '[', '{"a":', '[1, '])('is refused beyond that: after %j', (before) => {
    const meter = new JsonMeter(LIMITS);
    meter.add(Buffer.from(before + longest));
    meter.add(Buffer.from('.'));
    expect(() => meter.add(Buffer.from('1'))).toThrow('has a number of more than 1024 digits');
  });
});

describe('countValues', () => {
  it.each([
    ['null', 0],
    ['[{},{}]', 4],
    ['{"a":{"b":[1,2,3]}}', 7],
    ['{"[{,:":"[{,:"}', 2],
    ['["\\"[{,:","\\\\",[]]', 4],
    ['["\\\\\\"[[[[",1]', 2],
    ['"[[[[', 0],
    [JSON.stringify({ a: `${'x'.repeat(500)}"\\"[${'ä'.repeat(100)}`, b: [''] }), 5],
  ])('counts in %s as the limits do', (json, values) => {
    expect(countValues(json)).toBe(values);
    const limits = { maxValues: values, maxNesting: 64 };
    expect(() => checkJsonLimits(json, limits)).not.toThrow();
    const fewer = { ...limits, maxValues: values - 1 };
    if (values > 0) expect(() => checkJsonLimits(json, fewer)).toThrow('values');
  });

  it('counts the same in pieces, wherever a text is cut', () => {
    const json = JSON.stringify({ a: ['[{,:', { b: '' }], c: 'x,"\\,\\"y\n,' });
    for (let i = 0; i <= json.length; i += 1) {
      for (let j = i; j <= json.length; j += 1) {
        expect(countValues(json.slice(0, i), json.slice(i, j), json.slice(j))).toBe(8);
      }
    }
  });
});
