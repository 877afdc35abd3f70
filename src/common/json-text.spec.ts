import { expect, it } from '@jest/globals';
import { countTurns } from './fake-loop-turns.js';
import { jsonText } from './json-text.js';

it('writes what is short at once', async () => {
  expect(await jsonText({ a: [1, 'ä'] })).toBe('{"a":[1,"ä"]}');
});

it('does not write many answers that are not small in one turn of the event loop', async () => {
  const json = Object.fromEntries(Array.from({ length: 22_000 }, (_, n) => [`k${n}`, n]));
  const turns = countTurns();
  const texts = await Promise.all(Array.from({ length: 64 }, () => jsonText(json)));
  const counted = turns();
  expect(new Set(texts)).toEqual(new Set([JSON.stringify(json)]));
  expect(counted).toBeGreaterThan(8);
});
