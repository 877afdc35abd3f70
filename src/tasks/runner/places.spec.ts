import { describe, expect, it } from '@jest/globals';
import { Places } from './places.js';

describe('places', () => {
  it('are counted in all and for each agent, up to its own number, and told to the agents', () => {
    const load: string[] = [];
    const places = new Places(4, {
      begun: (agent) => load.push(`+${agent}`),
      ended: (agent) => load.push(`-${agent}`),
      maxConcurrent: (agent) => (agent === 'b' ? 1 : 2),
    });
    for (const agent of ['a', 'b']) places.take(agent);
    expect(places.isFull('a')).toBe(false);
    places.take('a');
    expect(places.free).toBe(1);
    expect([...places.taken]).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(['a', 'b', 'c'].map((agent) => places.isFull(agent))).toEqual([true, true, false]);
    places.give('a');
    places.give('b');
    expect(places.free).toBe(3);
    expect(places.isFull('a')).toBe(false);
    expect([...places.taken]).toEqual([['a', 1]]);
    expect(load).toEqual(['+a', '+b', '+a', '-a', '-b']);
  });
});
