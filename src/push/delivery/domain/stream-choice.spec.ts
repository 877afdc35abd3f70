import { describe, expect, it } from '@jest/globals';
import {
  type ActiveStreams,
  type EndpointCapacity,
  type StreamCandidate,
  OrganizationTurns,
  type EndpointTier,
  chooseStreams,
} from './stream-choice.js';

let due = 0;
const stream = (
  id: string,
  organization: string,
  endpoint = `${organization} e`,
): StreamCandidate => ({
  id,
  organization,
  endpoint,
  dueAt: ++due,
});

const busy = (
  endpoints: Record<string, number> = {},
  organizations: Record<string, number> = {},
  tiers: Partial<Record<EndpointTier, number>> = {},
  here: Record<string, number> = {},
): ActiveStreams => ({
  endpoints: new Map(Object.entries(endpoints)),
  organizations: new Map(Object.entries(organizations)),
  here: new Map(Object.entries(here)),
  tiers: new Map(Object.entries(tiers) as [EndpointTier, number][]),
});

interface Circumstances {
  readonly perEndpoint?: number;
  readonly now?: ActiveStreams;
  readonly turns?: OrganizationTurns;
  readonly total?: number;
  readonly tiers?: Record<string, EndpointTier>;
}

function choose(
  streams: readonly StreamCandidate[],
  free: number,
  {
    perEndpoint = 10,
    now = busy(),
    turns = new OrganizationTurns(),
    total,
    tiers,
  }: Circumstances = {},
): string[] {
  const capacities = new Map<string, EndpointCapacity>();
  for (const { endpoint } of streams) {
    const free = perEndpoint - (now.endpoints.get(endpoint) ?? 0);
    capacities.set(endpoint, { tier: tiers?.[endpoint] ?? 'proven', free, prefetch: 0 });
  }
  const caps = { free, perEndpoint, ...(total === undefined ? {} : { total }) };
  return chooseStreams(streams, capacities, now, caps, turns).map(({ id }) => id);
}

describe('chooseStreams', () => {
  it('takes no more than are free', () => {
    const streams = ['1', '2', '3'].map((id) => stream(id, `org${id}`));
    expect(choose(streams, 2)).toEqual(['1', '2']);
  });

  it('takes no more of an endpoint than has free, the longest due first', () => {
    const streams = ['1', '2', '3', '4'].map((id) => stream(id, 'a')).reverse();
    expect(choose(streams, 10, { perEndpoint: 3, now: busy({ 'a e': 1 }) })).toEqual(['1', '2']);
  });

  it('goes past the streams of a full endpoint', () => {
    const streams = [stream('1', 'a', 'full'), stream('2', 'a', 'open'), stream('3', 'a', 'open')];
    expect(choose(streams, 1, { perEndpoint: 1, now: busy({ full: 1 }) })).toEqual(['2']);
  });

  it('lets organizations take turns', () => {
    const streams = [stream('a1', 'a'), stream('a2', 'a'), stream('a3', 'a'), stream('b1', 'b')];
    expect(choose(streams, 3)).toEqual(['a1', 'b1', 'a2']);
  });

  it('lets the endpoints of an organization take turns, those that hold less first', () => {
    const streams = ['1', '2', '3'].map((id) => stream(`x${id}`, 'a', 'x'));
    streams.push(stream('y1', 'a', 'y'), stream('z1', 'a', 'z'));
    expect(choose(streams, 4)).toEqual(['x1', 'y1', 'z1', 'x2']);
    expect(choose(streams, 2, { now: busy({ x: 3, y: 1 }) })).toEqual(['z1', 'y1']);
  });

  it('gives a free place to the organization that holds less', () => {
    const streams = [stream('a1', 'a'), stream('b1', 'b')];
    expect(choose(streams, 1, { now: busy({}, { a: 5, b: 4 }) })).toEqual(['b1']);
  });

  it('gives capacities that free one by one to each organization in turn', () => {
    const turns = new OrganizationTurns();
    const backlog = ['a', 'b', 'c'].flatMap((org) =>
      [1, 2, 3].map((i) => stream(`${org}${i}`, org)),
    );
    const order: string[] = [];
    for (let i = 0; i < 5; i++) {
      const left = backlog.filter(({ id }) => !order.includes(id));
      order.push(...choose(left, 1, { turns }));
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2']);
  });

  it('counts the same host for each organization by itself', () => {
    const streams = [stream('a1', 'a', 'a h'), stream('b1', 'b', 'b h')];
    expect(choose(streams, 10, { now: busy({ 'a h': 10 }) })).toEqual(['b1']);
  });

  it.each(['new', 'failing', 'slow'] as const)(
    'leaves free for proven endpoints however many are %s',
    (tier) => {
      const streams = Array.from({ length: 100 }, (_, i) => stream(`x${i}`, 'a', `x${i}`));
      const tiers = Object.fromEntries(streams.map(({ id }) => [id, tier]));
      streams.push(stream('good', 'a', 'good'));
      const chosen = choose(streams, 40, { total: 40, tiers });
      expect(chosen).toHaveLength(11);
      expect(chosen).toContain('good');
    },
  );

  it('counts what this process has of a tier already', () => {
    const streams = [stream('1', 'a', 'bad'), stream('2', 'a', 'good')];
    const now = busy({}, {}, { failing: 2 });
    expect(choose(streams, 5, { total: 8, tiers: { bad: 'failing' }, now })).toEqual(['2']);
  });

  it('never gives one organization all capacities, even when it is alone', () => {
    const streams = Array.from({ length: 300 }, (_, i) => stream(`x${i}`, 'a', `a ${i % 60}`));
    expect(choose(streams, 200, { total: 200 })).toHaveLength(150);
    const now = busy({}, { a: 400, b: 10 }, {}, { a: 149, b: 10 });
    const both = [...streams, stream('b1', 'b', 'b e')];
    expect(choose(both, 41, { total: 200, now })).toEqual(['b1', 'x0']);
    expect(choose(streams, 1, { total: 1 })).toEqual(['x0']);
  });

  it('lets every tier have at least one place', () => {
    const streams = [stream('1', 'a', 'bad')];
    expect(choose(streams, 1, { total: 1, tiers: { bad: 'failing' } })).toEqual(['1']);
  });
});
