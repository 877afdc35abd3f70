import { describe, expect, it } from '@jest/globals';
import { useIdleLoop } from './fake-idle-loop.js';
import { countTurns } from './fake-loop-turns.js';
import { canonicalJson } from './canonical-json.js';
import { Base64, canonicalInTurns, jsonInTurns, textsInTurns } from './json-in-turns.js';

const MIB = 1024 * 1024;

/** How often something was looked at in the objects that {@link watched} gives. */
interface Looks {
  names: number;
  members: number;
}

function watched(members: Record<string, unknown>, looks: Looks): object {
  return new Proxy(members, {
    ownKeys: (object) => {
      looks.names += 1;
      return Reflect.ownKeys(object);
    },
    get: (object, name): unknown => {
      looks.members += 1;
      return Reflect.get(object, name);
    },
  });
}

function manyMembers(count: number): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`member ${i}`, i]));
}

useIdleLoop();

const WRITERS: [string, (value: unknown) => Promise<unknown>][] = [
  ['jsonInTurns', (value) => jsonInTurns(value)],
  ['textsInTurns', (value) => textsInTurns(value)],
  ['canonicalInTurns', (value) => canonicalInTurns(value, () => undefined)],
];

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
    const turns = countTurns();
    const blocks = await jsonInTurns({
      text: 'x'.repeat(40 * MIB),
      raw: new Base64(Buffer.alloc(20 * MIB)),
    });
    expect(turns()).toBeGreaterThanOrEqual(10);
    expect(Math.max(...blocks.map(({ length }) => length))).toBeLessThanOrEqual(MIB);
  });
});

describe.each(WRITERS)('%s', (_, write) => {
  it.each([
    ['at the bottom of 60 levels', 24_000, 0],
    ['at each of 60 levels', 0, 400],
  ])('looks at each value a few times, %s', async (_where, atBottom, atEach) => {
    const looks = { names: 0, members: 0 };
    let value = watched(manyMembers(atBottom), looks);
    for (let level = 0; level < 60; level++) {
      value = watched({ ...manyMembers(atEach), inner: value }, looks);
    }
    await write(value);
    expect(looks.members).toBeLessThan(5 * 24_000);
    expect(looks.names).toBeLessThan(5 * 61);
  });

  it('lets other work run between 99,000 members of one object, whose names it collects once', async () => {
    const looks = { names: 0, members: 0 };
    const turns = countTurns();
    await write(watched(manyMembers(99_000), looks));
    expect(turns()).toBeGreaterThanOrEqual(6);
    expect(looks.names).toBe(1);
    expect(looks.members).toBeLessThan(5 * 99_000);
  });
});

describe('what is written in turns', () => {
  it('is what JSON.stringify and canonicalJson give of any value', async () => {
    let seed = 7;
    const next = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const text = (): string => {
      const length = next(500) === 0 ? 3000 : [0, 1, 3, 20][next(4)]!;
      return ['x', '"\\\n', '😀', '\ud800', '\u0001é'][next(5)]!.repeat(length);
    };
    const scalars = [0, -0, -1.5e300, NaN, true, false, null, undefined, [], {}, new Date(0)];
    const lengths = [0, 1, 2, 3, 5, 12];
    const made = (depth: number): unknown => {
      if (depth === 0) return next(3) === 0 ? text() : scalars[next(scalars.length)];
      const length = next(1000) === 0 ? 9000 : lengths[next(lengths.length)]!;
      const inner = length > 12 ? 0 : depth - 1;
      const items = Array.from({ length }, () => made(next(4) === 0 ? 0 : inner));
      if (next(2) === 0) return items;
      const name = (i: number): string => [`${i}`, `n${next(1e6)}`, text(), '__proto__'][next(4)]!;
      return Object.fromEntries(items.map((item, i) => [length > 12 ? `n${i}` : name(i), item]));
    };
    for (let n = 0; n < 12; n++) {
      let value: unknown = Array.from({ length: 3000 }, () => made(next(2)));
      for (let i = 0; i < 30; i++)
        value = next(3) > 0 ? [value, made(4)] : { a: made(4), b: value };
      for (let level = next(40); level > 0; level--)
        value = next(2) > 0 ? [value, 1] : { b: 2, a: value };
      const expected = JSON.stringify(value ?? null);
      expect(Buffer.concat(await jsonInTurns(value)).equals(Buffer.from(expected))).toBe(true);
      expect((await textsInTurns(value)).join('') === expected).toBe(true);
      const canonical: string[] = [];
      await canonicalInTurns(value, (piece) => canonical.push(piece));
      expect(canonical.join('') === canonicalJson(JSON.parse(expected))).toBe(true);
    }
  });

  it('is left out behind as many characters as are wanted', async () => {
    const text = 'x'.repeat(40 * MIB);
    const pieces = await textsInTurns({ text }, undefined, 3 * MIB);
    const written = pieces.join('');
    expect(JSON.stringify({ text }).startsWith(written)).toBe(true);
    expect(written.length).toBeGreaterThan(3 * MIB);
    expect(written.length).toBeLessThan(5 * MIB);
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
