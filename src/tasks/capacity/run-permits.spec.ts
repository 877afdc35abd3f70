import { describe, expect, it } from '@jest/globals';
import { Farewells } from './cancel-permits.js';
import { Place, Places } from './run-permits.js';

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
    expect(places.hasRoom(of('a'))).toBe(true);
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
    expect(['a', 'b', 'c'].map((agent) => places.hasRoom(of(agent)))).toEqual([false, false, true]);
    places.give(of('a', 'other'));
    places.give(of('b'));
    expect(places.free).toBe(3);
    expect(places.hasRoom(of('a'))).toBe(true);
    expect([...places.taken]).toEqual([['a', 1]]);
    expect([...places.organizations]).toEqual([['acme', 1]]);
    expect(load).toEqual(['+a', '+b', '+a', '-a', '-b']);
  });

  it('are kept, a few of them, for organizations that have none', () => {
    const places = placesFor(64);
    const agents = Array.from({ length: 64 }, (_, n) => `agent ${n}`);
    const taken = agents.filter((agent) => {
      const whose = of(agent, 'greedy');
      const has = places.hasRoom(whose);
      if (has) places.take(whose);
      return has;
    });
    expect(taken).toHaveLength(60);
    expect(places.isTight('other')).toBe(true);
    expect(places.hasRoom(of('other', 'newcomer'))).toBe(true);
    places.take(of('other', 'newcomer'));
    expect(places.hasRoom(of('other', 'newcomer'))).toBe(false);
    expect(places.hasRoom(of('other', 'another'))).toBe(true);
  });

  it('of an agent are kept, one of a few, where more than one organization may come', () => {
    const places = placesFor(10);
    places.take(of('a', 'greedy'));
    expect(places.hasRoom(of('a', 'greedy'))).toBe(true);
    places.several = true;
    expect(places.hasRoom(of('a', 'greedy'))).toBe(false);
    expect(places.hasRoom(of('a', 'newcomer'))).toBe(true);
    expect(places.hasRoom(of('b', 'greedy'))).toBe(true);
  });

  it('are remembered: who had one of an agent longest ago', () => {
    const places = placesFor(10);
    const had = (): number[] => ['one', 'two', 'new'].map((each) => places.lastHadAt('b', each));
    places.take(of('b', 'one'));
    places.give(of('b', 'one'));
    places.take(of('b', 'two'));
    places.take(of('a', 'new'));
    const [one, two, never] = had() as [number, number, number];
    expect([never, one > 0, two > one]).toEqual([0, true, true]);
    places.take(of('b', 'one'));
    places.give(of('b', 'two'));
    places.give(of('b', 'one'));
    expect(had()[0]).toBeGreaterThan(had()[1]!);
  });

  it('are hardly taken by those whose agents are only asked now and then', () => {
    const places = placesFor(2);
    const polled = Array.from({ length: 15 }, (_, n) => of(`agent ${n}`));
    for (const each of polled) {
      places.take(each);
      places.poll(each, true);
    }
    expect(places.free).toBe(1);
    expect([...places.organizations]).toEqual([]);
    expect(places.heldAt('agent 0', 'acme')).toBe(1);
    for (const each of polled) places.give(each, true);
    expect(places.free).toBe(2);
    expect([...places.taken]).toEqual([]);
  });
});

describe('the place of a run', () => {
  const WORKS = { waits: false, polls: false, hasEnded: false };
  const WAITS = { ...WORKS, waits: true };
  const POLLS = { ...WORKS, polls: true };
  const ENDED = { ...WORKS, hasEnded: true };

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

  it('is given up for the time its agent is only asked now and then', () => {
    const places = placesFor(1);
    const { place, freed } = placeIn(places);
    const story = [WORKS, POLLS, WAITS, POLLS, WORKS, POLLS].map((need) => {
      place.adapt(need);
      return places.free;
    });
    expect(story).toEqual([0, 1, 1, 1, 0, 1]);
    place.done();
    expect([...places.taken]).toEqual([]);
    expect(places.free).toBe(1);
    expect(freed()).toBe(3);
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
