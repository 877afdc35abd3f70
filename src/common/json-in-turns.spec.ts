import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from './canonical-json.js';
import { Base64, canonicalInTurns, jsonInTurns, textsInTurns } from './json-in-turns.js';

const MIB = 1024 * 1024;

describe('jsonInTurns', () => {
  it.each<[string, unknown]>([
    ['short values', { a: [1, 'x', null, undefined, true], b: undefined, c: {} }],
    ['a long text with quotes', `"${'wo"rd\n'.repeat(MIB / 2)}`],
    ['long texts in objects and arrays', { a: ['x'.repeat(MIB), { b: 'y'.repeat(MIB) }], c: 1 }],
    ['pairs of surrogates at every cut', `x${'😀'.repeat(MIB)}`],
    ['a control character far on in a long text', `${'x'.repeat(2 * MIB)}\u0001y`],
    ['a lone surrogate', { a: `\ud800${'x'.repeat(MIB)}\udc00` }],
    ['many small values', Array.from({ length: 300_000 }, (_, i) => ({ [`k${i % 7}`]: i }))],
    [
      'small values beside long ones',
      [1, 'x'.repeat(MIB), {}, [], undefined, ['x'.repeat(MIB), null, 2]],
    ],
    ['a long name', { a: 1, ['"x'.repeat(MIB)]: 'y', b: undefined, c: ['x'.repeat(MIB)] }],
    ['many members', Object.fromEntries(Array(100_000).fill(1).entries())],
    ['an empty member beside a long one', { e: {}, l: [], x: 'x'.repeat(MIB), u: undefined }],
    ['nothing', undefined],
  ])('writes %s as JSON.stringify does', async (_, value) => {
    const text = Buffer.concat(await jsonInTurns(value)).toString();
    expect(text === JSON.stringify(value ?? null)).toBe(true);
    const pieces = await textsInTurns(value);
    expect(pieces.join('') === text).toBe(true);
    for (const piece of pieces.slice(0, -1)) {
      expect(piece.length).toBeGreaterThanOrEqual(MIB / 2);
      expect(piece.length).toBeLessThan(MIB + 2);
    }
  });

  it('writes bytes as base64, of any length', async () => {
    for (const length of [0, 1, 2 * MIB, 2 * MIB + 1, 2 * MIB + 2]) {
      const bytes = Buffer.alloc(length, 'abc').subarray(length > 0 ? 1 : 0);
      const text = Buffer.concat(await jsonInTurns({ raw: new Base64(bytes) })).toString();
      expect(text === JSON.stringify({ raw: bytes.toString('base64') })).toBe(true);
    }
  });

  it('writes one long text in short blocks, and lets other work run between them', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const blocks = await jsonInTurns({
      text: 'x'.repeat(40 * MIB),
      raw: new Base64(Buffer.alloc(20 * MIB)),
    });
    isOver = true;
    expect(Math.max(...blocks.map(({ length }) => length))).toBeLessThanOrEqual(MIB);
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});

describe('canonicalInTurns', () => {
  it('gives what canonicalJson does, in short pieces', async () => {
    const raw = Buffer.alloc(2 * MIB, 'bytes');
    const value = (bytes: unknown): unknown => ({
      z: [{ b: 1, a: undefined, '\u20ac': null }, 'x"\n'.repeat(MIB)],
      a: { raw: bytes, y: { d: [], c: -0 }, x: `\ud800${'😀'.repeat(MIB)}` },
      many: Array.from({ length: 50_000 }, (_, i) => ({ z: i, a: {} })),
    });
    const pieces: string[] = [];
    await canonicalInTurns(value(new Base64(raw)), (piece) => pieces.push(piece));
    expect(pieces.join('') === canonicalJson(value(raw.toString('base64')))).toBe(true);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2 * MIB);
  });
});
