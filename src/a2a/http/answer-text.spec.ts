import { expect, it } from '@jest/globals';
import { answerText } from './answer-text.js';

it('writes what is short at once', async () => {
  expect(await answerText({ a: [1, 'ä'] })).toBe('{"a":[1,"ä"]}');
});

it('does not write many answers that are not small in one turn of the event loop', async () => {
  const json = Object.fromEntries(Array.from({ length: 22_000 }, (_, n) => [`k${n}`, n]));
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const texts = await Promise.all(Array.from({ length: 64 }, () => answerText(json)));
  isOver = true;
  expect(new Set(texts)).toEqual(new Set([JSON.stringify(json)]));
  expect(turns).toBeGreaterThan(8);
});
