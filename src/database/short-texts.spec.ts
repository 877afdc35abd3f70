import { describe, expect, it } from '@jest/globals';
import { shortJson, ShortTexts } from './short-texts.js';

const FRAGMENTS = ['{"state":"', '","at":', ',"agents":[{"id":"', '"}'];
const VALUES = [
  null,
  {},
  [],
  'text',
  0,
  { state: 'working', at: 7, agents: [{ id: 'a' }, { id: 'b' }] },
  { '","at":': '\u0001\u0003\u001f\n\t', state: '{"state":"', deep: { state: '"}' } },
  { long: '"}'.repeat(2000), state: 'x' },
];

describe('shortJson', () => {
  const { to, from } = shortJson(FRAGMENTS);
  const stored = (value: unknown): string | null => to(value as never) as string | null;

  it.each(VALUES)('gives the value that was stored: %j', (value) => {
    expect(from(stored(value) as never)).toEqual(value);
  });

  it('stores each fragment as one character, and what is long as it is', () => {
    const value = { state: 'working', at: 7, agents: [{ id: 'a' }] };
    expect(stored(value)).toBe('\u0003working\u00047\u0005a\u0006]}');
    const long = { state: 'x'.repeat(3000) };
    expect(stored(long)).toBe(JSON.stringify(long));
  });

  it('reads what was stored as plain JSON, and refuses what is none', () => {
    for (const value of VALUES) expect(from(JSON.stringify(value) as never)).toEqual(value);
    expect(from(' { "a" :\n\t1 } ' as never)).toEqual({ a: 1 });
    expect(() => from('{' as never)).toThrow(SyntaxError);
    expect(() => from('\u0001' as never)).toThrow(SyntaxError);
  });
});

describe('ShortTexts', () => {
  it('has so many codes, and no more', () => {
    const fragments = Array.from({ length: 26 }, (_, i) => `fragment-${i}.`);
    const texts = new ShortTexts(fragments);
    const all = fragments.join('\n');
    const short = texts.shortened(all);
    expect(short).toHaveLength(2 * 26 - 1);
    expect(texts.restored(short)).toBe(all);
    expect(() => new ShortTexts([...fragments, 'one more'])).toThrow();
  });
});
