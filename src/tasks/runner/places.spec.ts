import { describe, expect, it } from '@jest/globals';
import { Places } from './places.js';

describe('places', () => {
  it('are counted in all and for each agent', () => {
    const places = new Places(4, 2);
    for (const agent of ['a', 'a', 'b']) places.take(agent);
    expect(places.free).toBe(1);
    expect([...places.taken]).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect([places.isFull('a'), places.isFull('b'), places.isFull('c')]).toEqual([
      true,
      false,
      false,
    ]);
    places.give('a');
    places.give('b');
    expect(places.free).toBe(3);
    expect(places.isFull('a')).toBe(false);
    expect([...places.taken]).toEqual([['a', 1]]);
  });
});
