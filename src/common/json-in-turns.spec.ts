import { describe, expect, it } from '@jest/globals';
import { Base64, jsonInTurns, parseInTurns, textsInTurns } from './json-in-turns.js';

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

describe('parseInTurns', () => {
  const quoted = (text: string): string => `"${text}"`;
  const long = 'x'.repeat(3 * MIB);

  it.each<[string, string]>([
    ['short JSON', '{"a":[1,null,true,"x"]}'],
    ['a long text alone', quoted(long)],
    ['long texts in objects and arrays', `{"a":["${long}",{"b":"${long}"}],"c":1}`],
    ['a long text that is most of it', `{"a":["x",{"b":"${long}"}],"c":1}`],
    ['an escape at the end of a long text', quoted(`${long}\\n`)],
    ['a long name of a member', `{"${long}" \n : "${long}"}`],
    ['much white space behind a long text', `["${long}"${' '.repeat(5000)},"${long}"]`],
    ['much white space behind a long name', `{"${long}"${' '.repeat(5000)}:"${long}"}`],
    ['a member named __proto__', `{"__proto__":"${long}","a":"${long}"}`],
    ['a long text that another one of its name replaces', `{"a":"${long}","a":"${long}y"}`],
    ['escaped quotes and backslashes', quoted('\\"\\\\'.repeat(MIB))],
    ['an odd backslash before each', quoted(`\\n${'\\\\'.repeat(2 * MIB)}`)],
    ['escaped characters', quoted(`a${'\\u0041\\n'.repeat(MIB)}`)],
    ['escaped pairs of surrogates', quoted(`ab${'\\ud83d\\ude00'.repeat(MIB)}`)],
    ['pairs of surrogates', quoted(`a${'😀'.repeat(2 * MIB)}`)],
    ['many small values', `[${'{"a":"b"},'.repeat(300_000)}"${long}"]`],
  ])('reads %s as JSON.parse does', async (_, json) => {
    const [read, expected] = [await parseInTurns(json), JSON.parse(json) as unknown];
    expect(JSON.stringify(read) === JSON.stringify(expected)).toBe(true);
  });

  it.each([
    ['no JSON', `{${long}}`],
    ['a text without an end', `["${long}`],
    ['a text that ends within an escape', `["${long}\\u12"]`],
    ['a line break in a text', `["${long}\n"]`],
    ['a line break in a long text', `["${long}\n${long}"]`],
    ['a line break at the end of a long text', `["${long}\n"]`],
    ['a tab at the beginning of one', `["\t${long}"]`],
    ['half a document', `{"a":"${long}"`],
  ])('refuses %s', async (_, json) => {
    await expect(parseInTurns(json)).rejects.toThrow(SyntaxError);
  });

  it.each([
    ['one long text', quoted('x'.repeat(40 * MIB))],
    ['many texts that are not so long', JSON.stringify(Array(400).fill('x'.repeat(MIB / 10)))],
  ])('lets other work run in between: %s', async (_, json) => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await parseInTurns(json);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});
