import { describe, expect, it } from '@jest/globals';
import { type BusyLanes, type LaneCandidate, LaneTurns, chooseLanes } from './lane-choice.js';

const lane = (id: string, organization: string, endpoint = `${organization} e`): LaneCandidate => ({
  id,
  organization,
  endpoint,
});

const busy = (
  endpoints: Record<string, number> = {},
  organizations: Record<string, number> = {},
): BusyLanes => ({
  endpoints: new Map(Object.entries(endpoints)),
  organizations: new Map(Object.entries(organizations)),
});

const choose = (
  due: readonly LaneCandidate[],
  free: number,
  { perEndpoint = 10, now = busy(), turns = new LaneTurns() } = {},
): string[] => chooseLanes(due, now, { free, perEndpoint }, turns);

describe('chooseLanes', () => {
  it('takes no more than are free', () => {
    const due = ['1', '2', '3'].map((id) => lane(id, `org${id}`));
    expect(choose(due, 2)).toEqual(['1', '2']);
  });

  it('takes no more of an endpoint than allowed, counting the busy ones', () => {
    const due = ['1', '2', '3', '4'].map((id) => lane(id, 'a'));
    expect(choose(due, 10, { perEndpoint: 3, now: busy({ 'a e': 1 }) })).toEqual(['1', '2']);
  });

  it('goes past the lanes of a full endpoint', () => {
    const due = [lane('1', 'a', 'full'), lane('2', 'a', 'open'), lane('3', 'a', 'open')];
    expect(choose(due, 1, { perEndpoint: 1, now: busy({ full: 1 }) })).toEqual(['2']);
  });

  it('lets organizations take turns', () => {
    const due = [lane('a1', 'a'), lane('a2', 'a'), lane('a3', 'a'), lane('b1', 'b')];
    expect(choose(due, 3)).toEqual(['a1', 'b1', 'a2']);
  });

  it('gives a free place to the organization that holds less', () => {
    const due = [lane('a1', 'a'), lane('b1', 'b')];
    expect(choose(due, 1, { now: busy({}, { a: 5, b: 4 }) })).toEqual(['b1']);
  });

  it('gives places that free one by one to each organization in turn', () => {
    const turns = new LaneTurns();
    const due = [1, 2, 3].flatMap((i) => ['a', 'b', 'c'].map((org) => lane(`${org}${i}`, org)));
    const backlog = [...due].sort((x, y) => x.id.localeCompare(y.id));
    const order: string[] = [];
    for (let i = 0; i < 5; i++) {
      const left = backlog.filter(({ id }) => !order.includes(id));
      order.push(...choose(left, 1, { turns }));
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2']);
  });

  it('counts the same host for each organization by itself', () => {
    const due = [lane('a1', 'a', 'a h'), lane('b1', 'b', 'b h')];
    expect(choose(due, 10, { now: busy({ 'a h': 10 }) })).toEqual(['b1']);
  });
});
