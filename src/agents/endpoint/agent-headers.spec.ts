import { describe, expect, it } from '@jest/globals';
import { readHeaders } from './agent-headers.js';

describe('readHeaders', () => {
  it('takes names in lower case and trims values', () => {
    expect(readHeaders('credentials', { 'X-Key': ' secret ' }, 'hub')).toEqual({
      'x-key': 'secret',
    });
  });

  it.each([
    ['bad name', 'x'],
    ['', 'x'],
    ['Host', 'x'],
    ['A2A-Version', '0.3'],
    ['x-key', 'two\nlines'],
    ['x-key', 'snow \u2603'],
    ['x-key', 5],
  ])('refuses %j: %j without repeating the value', (name, value) => {
    const read = () => readHeaders('credentials', { [name]: value }, 'hub');
    expect(read).toThrow(`credentials.${name}`);
    expect(read).not.toThrow(/lines|snow/);
  });

  const read = (headers: Record<string, unknown>) => readHeaders('credentials', headers, 'hub');

  it('refuses one header in two spellings', () => {
    expect(() => read({ 'x-a': 'v', 'X-A': 'w' })).toThrow(/credentials\.X-A is given twice/);
  });

  it.each(['', ' \t'])('refuses the empty value %j', (value) => {
    expect(() => read({ 'x-a': value })).toThrow(/credentials\.x-a must not be empty/);
  });

  it('says which characters a value may have', () => {
    expect(read({ 'x-a': 'é' })).toEqual({ 'x-a': 'é' });
    expect(() => read({ 'x-a': 'pässword€' })).toThrow(/must be of Latin-1 characters alone/);
    expect(() => read({ 'x-a': 5 })).toThrow(/must be a string, or/);
  });

  it('keeps a header of any name', () => {
    const headers = JSON.parse('{"__proto__": "v"}') as Record<string, unknown>;
    expect(Object.entries(read(headers))).toEqual([['__proto__', 'v']]);
  });

  it('bounds how many there are, each value and all together', () => {
    const many = (count: number, length: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, 'v'.repeat(length)]));
    expect(Object.keys(read(many(32, 10)))).toHaveLength(32);
    expect(() => read(many(33, 10))).toThrow(/credentials has more than 32/);
    expect(read(many(1, 8192))).toHaveProperty('x-0');
    expect(() => read(many(1, 8193))).toThrow(/x-0 must be at most 8192 characters/);
    expect(() => read(many(2, 8000))).toThrow(/more than 12288 characters/);
    expect(() => read({ ['x'.repeat(20_000)]: 'v' })).toThrow(/more than 12288 characters/);
  });
});
