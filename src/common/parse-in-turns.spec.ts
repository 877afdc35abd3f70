import { describe, expect, it, jest } from '@jest/globals';
import { countTurns } from './fake-loop-turns.js';
import { useIdleLoop } from './fake-idle-loop.js';
import { parseInTurns } from './parse-in-turns.js';

const MIB = 1024 * 1024;

const quoted = (text: string): string => `"${text}"`;
const long = 'x'.repeat(3 * MIB);
/** A list that is read in several pieces. */
const list = `[${'{"a":["b",-1.5e3,null,true]},'.repeat(40_000)}{}]`;
/** Members of an object that is read so. */
const members = Array.from({ length: 60_000 }, (_, i) => `"member ${i}":${i % 7}`).join();

useIdleLoop();

describe('parseInTurns', () => {
  it.each<[string, string]>([
    ['short JSON', '{"a":[1,null,true,"x"]}'],
    ['a long text alone', ` ${quoted(long)}\n`],
    ['long texts in objects and arrays', `{"a":["${long}",{"b":"${long}"}],"c":1}`],
    ['a long text that is most of it', `{"a":["x",{"b":"${long}"}],"c":1}`],
    ['an escape at the end of a long text', quoted(`${long}\\n`)],
    ['a long name of a member', `{"${long}" \n : "${long}"}`],
    ['a long name of another', `{"a":1,"${long}":[2],"b":3,"${long}y":{},"${long}z":null}`],
    ['much white space behind a long text', `["${long}"${' '.repeat(5000)},"${long}"]`],
    ['much white space behind a long name', `{"${long}"${' '.repeat(MIB)}:"${long}"}`],
    ['a member named __proto__', `{"__proto__":"${long}","a":"${long}"}`],
    ['a short one of that name', `{${members},"__proto__":{"a":1},"b":"${long}"}`],
    ['a long one of that name', `{${members},"__proto__":${list},"b":"${long}"}`],
    ['a long text that another one of its name replaces', `{"a":"${long}","a":"${long}y"}`],
    ['members that others of their name replace', `{${members},"x":${list},${members},"x":1}`],
    ['escaped quotes and backslashes', quoted('\\"\\\\'.repeat(MIB))],
    ['an odd backslash before each', quoted(`\\n${'\\\\'.repeat(2 * MIB)}`)],
    ['backslashes alone', `[${quoted('\\\\'.repeat(MIB))},${quoted(`${'\\\\'.repeat(MIB)}\\"`)}]`],
    ['escaped characters', quoted(`a${'\\u0041\\n'.repeat(MIB)}`)],
    ['escaped pairs of surrogates', quoted(`ab${'\\ud83d\\ude00'.repeat(MIB)}`)],
    ['pairs of surrogates', quoted(`a${'😀'.repeat(2 * MIB)}`)],
    ['many small values', `[${'{"a":"b"},'.repeat(300_000)}"${long}"]`],
    ['numbers', ` [ ${' -1.25e-3 ,'.repeat(200_000)} 0 ] `],
    ['a large list in others', `{"a":[[${list}]],"b":{"c":[1,${list},2,{"d":${list}}]},"e":[]}`],
    ['a large object in others', `[{},{"a":{${members},"b":{${members}}}},{${members}},"x"]`],
    ['empty lists and objects around a large one', `[[],{},[[]],${list},[],{"a":{}}]`],
    ['white space around everything', ` { "a" : ${list} , "b" : [ ] , "c" : ${list} } `],
    ['texts that end pieces', `[${'"\\"]},{[:,",'.repeat(200_000)}"${long}"]`],
    ['deep nesting', `${'[1,{"a":'.repeat(40)}${list}${'},2]'.repeat(40)}`],
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
    ['a list that ends as an object', `[${list},1}`],
    ['an object that ends as a list', `{${members}]`],
    ['a comma at the end of a list', `[${list},]`],
    ['a comma at the end of a long list', `${list.slice(0, -1)},]`],
    ['a comma at the end of a long object', `{${members},}`],
    ['a comma behind a long text', `["${long}",]`],
    ['a comma before a long text', `[,"${long}"]`],
    ['two commas between long texts', `["${long}",,"${long}"]`],
    ['two commas', `${list.slice(0, -3)},,1]`],
    ['no comma behind a long text', `["${long}" 1,"${long}"]`],
    ['no comma before a long text', `[1 "${long}"]`],
    ['no comma behind a long list', `[${list} 1]`],
    ['no comma between long lists', `[${list} ${list}]`],
    ['no comma before a long list', `[1${list}]`],
    ['a number before a long object', `{"a":5{${members}}}`],
    ['no name of a long text', `{"${long}"}`],
    ['no name of a long list', `{${list}}`],
    ['no name of another', `{"a":1,${list}}`],
    ['two names', `{"a":"${long}":1}`],
    ['two long names', `{"${long}":"${long}":1}`],
    ['a long name in a list', `["${long}":1]`],
    ['a long name without a value', `{"${long}":}`],
    ['a long name alone', `"${long}":1`],
    ['two colons', `{"${long}"::1}`],
    ['a name in a list', `["a":${list}]`],
    ['something behind it', `${list}1`],
    ['something before it', `1${list}`],
    ['two documents', `${list}${list}`],
    ['two long texts', `"${long}" "${long}"`],
    ['a long text behind it', `[]"${long}"`],
    ['an end too many', `${list}]`],
    ['an end too few', `[${list}`],
    ['a comma around it', `${list},`],
  ])('refuses %s', async (_, json) => {
    expect(() => JSON.parse(json) as unknown).toThrow(SyntaxError);
    await expect(parseInTurns(json)).rejects.toThrow(SyntaxError);
  });

  it('reads whatever JSON.parse reads, and nothing else', async () => {
    let seed = 1;
    const next = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const text = (): string => quoted('a\\"\\\\😀'.repeat(next(3000) === 0 ? next(1e5) : next(4)));
    const made = (depth: number): string => {
      const each = Array.from({ length: depth === 0 ? 0 : next(12) }, () => made(depth - 1));
      const members = each.map((value) => `${text()} : ${value}`).join();
      const scalar = ['1', '-2.5', 'null', '[]', '{}', text(), ' true '][next(7)]!;
      return [`[${each.join()}]`, `{${members}}`, scalar][depth === 0 ? 2 : next(3)]!;
    };
    for (let n = 0; n < 15; n++) {
      let json = `[${made(5)},${made(5)},"${'y'.repeat(MIB)}",${made(5)}]`;
      if (n % 2 > 0) {
        const at = next(json.length);
        json = json.slice(0, at) + ['"', ',', ']', '}', '', '\\'][next(6)]! + json.slice(at + 1);
      }
      let expected: unknown;
      try {
        expected = JSON.parse(json);
      } catch {
        await expect(parseInTurns(json)).rejects.toThrow(SyntaxError);
        continue;
      }
      const read = await parseInTurns(json);
      expect(JSON.stringify(read) === JSON.stringify(expected)).toBe(true);
    }
  });

  it.each([
    ['one long text', quoted('x'.repeat(40 * MIB))],
    ['many texts that are not so long', JSON.stringify(Array(400).fill('x'.repeat(MIB / 10)))],
    [
      'many texts of escapes',
      `[${Array(2048)
        .fill(quoted('\\n'.repeat(8000)))
        .join()}]`,
    ],
    ['many short texts', JSON.stringify(Array(200_000).fill('x'.repeat(150)))],
    ['many members', JSON.stringify(Object.fromEntries(Array(250_000).fill(1).entries()))],
    ['many values', `[${'{},'.repeat(399_999)}{}]`],
    ['a long name of a member', `{"${'\\n'.repeat(4 * MIB)}":1}`],
    ['escaped quotes', quoted('\\"'.repeat(4 * MIB))],
  ])('reads no piece of more than two mebibytes at once: %s', async (_, json) => {
    const turns = countTurns();
    const parse = jest.spyOn(JSON, 'parse');
    await parseInTurns(json);
    const counted = turns();
    const longest = Math.max(0, ...parse.mock.calls.map(([piece]) => piece.length));
    parse.mockRestore();
    expect(longest).toBeLessThan(2 * MIB);
    expect(counted).toBeGreaterThanOrEqual(4);
  });
});
