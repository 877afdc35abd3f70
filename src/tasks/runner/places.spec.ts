import { describe, expect, it } from '@jest/globals';
import { Farewells } from './farewells.js';
import { Place, Places } from './places.js';

function placesFor(max: number, load: string[] = []): Places {
  const agents = {
    begun: (agent: string) => load.push(`+${agent}`),
    ended: (agent: string) => load.push(`-${agent}`),
    maxConcurrent: (agent: string) => (agent === 'b' ? 1 : 2),
  };
  return new Places(max, agents, new Farewells());
}

const of = (agentId: string, organization = 'acme') => ({ agentId, organization });

describe('places', () => {
  it('are counted in all and for each agent, up to its own number, and told to the agents', () => {
    const load: string[] = [];
    const places = placesFor(4, load);
    for (const agent of ['a', 'b']) places.take(of(agent));
    expect(places.isFull('a')).toBe(false);
    places.take(of('a', 'other'));
    expect(places.free).toBe(1);
    expect([...places.taken]).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect([...places.organizations]).toEqual([
      ['acme', 2],
      ['other', 1],
    ]);
    expect(['a', 'b', 'c'].map((agent) => places.isFull(agent))).toEqual([true, true, false]);
    places.give(of('a', 'other'));
    places.give(of('b'));
    expect(places.free).toBe(3);
    expect(places.isFull('a')).toBe(false);
    expect([...places.taken]).toEqual([['a', 1]]);
    expect([...places.organizations]).toEqual([['acme', 1]]);
    expect(load).toEqual(['+a', '+b', '+a', '-a', '-b']);
  });
});

describe('the place of a run', () => {
  const WORKS = { waits: false, hasEnded: false };
  const WAITS = { waits: true, hasEnded: false };
  const ENDED = { waits: false, hasEnded: true };

  function placeIn(places: Places): { place: Place; freed: () => number } {
    let freed = 0;
    const hooks = { isAwaited: () => places.free <= 0, freed: () => (freed += 1) };
    return { place: new Place(places, of('a'), hooks), freed: () => freed };
  }

  it('is taken while it works, not while it waits for its client, and kept to its end', () => {
    const places = placesFor(1);
    const { place, freed } = placeIn(places);
    const story = [WORKS, WAITS, WORKS, ENDED].map((need) => {
      place.adapt(need);
      return places.free;
    });
    expect(story).toEqual([0, 1, 0, 0]);
    expect(freed()).toBe(1);
    place.done();
    place.adapt(WORKS);
    expect(places.free).toBe(1);
    expect(freed()).toBe(2);
  });

  it('is not taken by one that ends while it waits for its client', () => {
    const places = placesFor(1);
    const { place } = placeIn(places);
    place.adapt(WAITS);
    place.adapt(ENDED);
    expect(places.free).toBe(1);
  });
});

describe('farewells', () => {
  it('are a few at once for each agent, apart from all places', () => {
    const farewells = new Farewells(3, 2);
    let rooms = 0;
    farewells.onRoom = () => (rooms += 1);
    for (const agent of ['gone', 'gone']) farewells.enter(agent);
    expect(farewells.hasRoom('gone')).toBe(false);
    expect(farewells.hasRoom('other')).toBe(true);
    farewells.enter('other');
    expect(farewells.hasRoom('third')).toBe(false);
    expect(farewells.free).toBe(0);
    farewells.leave('gone');
    expect(rooms).toBe(1);
    farewells.leave('gone');
    farewells.leave('other');
    expect(rooms).toBe(1);
    expect([...farewells.taken]).toEqual([]);
  });
});
