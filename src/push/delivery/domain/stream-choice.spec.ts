import { describe, expect, it } from '@jest/globals';
import {
  type BusyLanes,
  type EndpointPlace,
  type LaneCandidate,
  LaneTurns,
  type Standing,
  chooseLanes,
} from './stream-choice.js';

let due = 0;
const lane = (id: string, organization: string, endpoint = `${organization} e`): LaneCandidate => ({
  id,
  organization,
  endpoint,
  dueAt: ++due,
});

const busy = (
  endpoints: Record<string, number> = {},
  organizations: Record<string, number> = {},
  standings: Partial<Record<Standing, number>> = {},
  here: Record<string, number> = {},
): BusyLanes => ({
  endpoints: new Map(Object.entries(endpoints)),
  organizations: new Map(Object.entries(organizations)),
  here: new Map(Object.entries(here)),
  standings: new Map(Object.entries(standings) as [Standing, number][]),
});

interface Circumstances {
  readonly perEndpoint?: number;
  readonly now?: BusyLanes;
  readonly turns?: LaneTurns;
  readonly total?: number;
  readonly standings?: Record<string, Standing>;
}

function choose(
  lanes: readonly LaneCandidate[],
  free: number,
  { perEndpoint = 10, now = busy(), turns = new LaneTurns(), total, standings }: Circumstances = {},
): string[] {
  const places = new Map<string, EndpointPlace>();
  for (const { endpoint } of lanes) {
    const room = perEndpoint - (now.endpoints.get(endpoint) ?? 0);
    places.set(endpoint, { standing: standings?.[endpoint] ?? 'proven', room });
  }
  const caps = { free, perEndpoint, ...(total === undefined ? {} : { total }) };
  return chooseLanes(lanes, places, now, caps, turns).map(({ id }) => id);
}

describe('chooseLanes', () => {
  it('takes no more than are free', () => {
    const lanes = ['1', '2', '3'].map((id) => lane(id, `org${id}`));
    expect(choose(lanes, 2)).toEqual(['1', '2']);
  });

  it('takes no more of an endpoint than has room, the longest due first', () => {
    const lanes = ['1', '2', '3', '4'].map((id) => lane(id, 'a')).reverse();
    expect(choose(lanes, 10, { perEndpoint: 3, now: busy({ 'a e': 1 }) })).toEqual(['1', '2']);
  });

  it('goes past the lanes of a full endpoint', () => {
    const lanes = [lane('1', 'a', 'full'), lane('2', 'a', 'open'), lane('3', 'a', 'open')];
    expect(choose(lanes, 1, { perEndpoint: 1, now: busy({ full: 1 }) })).toEqual(['2']);
  });

  it('lets organizations take turns', () => {
    const lanes = [lane('a1', 'a'), lane('a2', 'a'), lane('a3', 'a'), lane('b1', 'b')];
    expect(choose(lanes, 3)).toEqual(['a1', 'b1', 'a2']);
  });

  it('lets the endpoints of an organization take turns, those that hold less first', () => {
    const lanes = ['1', '2', '3'].map((id) => lane(`x${id}`, 'a', 'x'));
    lanes.push(lane('y1', 'a', 'y'), lane('z1', 'a', 'z'));
    expect(choose(lanes, 4)).toEqual(['x1', 'y1', 'z1', 'x2']);
    expect(choose(lanes, 2, { now: busy({ x: 3, y: 1 }) })).toEqual(['z1', 'y1']);
  });

  it('gives a free place to the organization that holds less', () => {
    const lanes = [lane('a1', 'a'), lane('b1', 'b')];
    expect(choose(lanes, 1, { now: busy({}, { a: 5, b: 4 }) })).toEqual(['b1']);
  });

  it('gives places that free one by one to each organization in turn', () => {
    const turns = new LaneTurns();
    const backlog = ['a', 'b', 'c'].flatMap((org) => [1, 2, 3].map((i) => lane(`${org}${i}`, org)));
    const order: string[] = [];
    for (let i = 0; i < 5; i++) {
      const left = backlog.filter(({ id }) => !order.includes(id));
      order.push(...choose(left, 1, { turns }));
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2']);
  });

  it('counts the same host for each organization by itself', () => {
    const lanes = [lane('a1', 'a', 'a h'), lane('b1', 'b', 'b h')];
    expect(choose(lanes, 10, { now: busy({ 'a h': 10 }) })).toEqual(['b1']);
  });

  it.each(['new', 'failing', 'slow'] as const)(
    'leaves room for proven endpoints however many are %s',
    (standing) => {
      const lanes = Array.from({ length: 100 }, (_, i) => lane(`x${i}`, 'a', `x${i}`));
      const standings = Object.fromEntries(lanes.map(({ id }) => [id, standing]));
      lanes.push(lane('good', 'a', 'good'));
      const chosen = choose(lanes, 40, { total: 40, standings });
      expect(chosen).toHaveLength(11);
      expect(chosen).toContain('good');
    },
  );

  it('counts what this process has of a standing already', () => {
    const lanes = [lane('1', 'a', 'bad'), lane('2', 'a', 'good')];
    const now = busy({}, {}, { failing: 2 });
    expect(choose(lanes, 5, { total: 8, standings: { bad: 'failing' }, now })).toEqual(['2']);
  });

  it('never gives one organization all places, even when it is alone', () => {
    const lanes = Array.from({ length: 300 }, (_, i) => lane(`x${i}`, 'a', `a ${i % 60}`));
    expect(choose(lanes, 200, { total: 200 })).toHaveLength(150);
    const now = busy({}, { a: 400, b: 10 }, {}, { a: 149, b: 10 });
    const both = [...lanes, lane('b1', 'b', 'b e')];
    expect(choose(both, 41, { total: 200, now })).toEqual(['b1', 'x0']);
    expect(choose(lanes, 1, { total: 1 })).toEqual(['x0']);
  });

  it('lets every standing have at least one place', () => {
    const lanes = [lane('1', 'a', 'bad')];
    expect(choose(lanes, 1, { total: 1, standings: { bad: 'failing' } })).toEqual(['1']);
  });
});
