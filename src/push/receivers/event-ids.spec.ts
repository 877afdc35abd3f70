import { describe, expect, it } from '@jest/globals';
import { EventIds } from './event-ids.js';

describe('EventIds', () => {
  const ids = new EventIds('a secret');

  it('gives the number back, in every process that has the secret', () => {
    for (const number of [0, 1, 17, Number.MAX_SAFE_INTEGER]) {
      expect(new EventIds('a secret').read(ids.shown(number))).toBe(number);
    }
  });

  it('does not show how far two events are apart, or which came first', () => {
    const shown = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => ids.shown(number));
    expect(new Set(shown).size).toBe(8);
    expect([...shown].sort()).not.toEqual(shown);
    for (const id of shown) expect(id).toMatch(/^[\w-]{22}$/);
  });

  it.each(['', '17', 'abc-1', 'A'.repeat(22), new EventIds('another').shown(1)])(
    'refuses %p',
    (text) => expect(ids.read(text)).toBeUndefined(),
  );
});
