import { describe, expect, it } from '@jest/globals';
import { type LaneCandidate, chooseLanes } from './lane-choice.js';

const lane = (id: string, organization: string, endpoint = `${organization} e`): LaneCandidate => ({
  id,
  organization,
  endpoint,
});

describe('chooseLanes', () => {
  it('takes no more than are free', () => {
    const due = ['1', '2', '3'].map((id) => lane(id, `org${id}`));
    expect(chooseLanes(due, new Map(), { free: 2, perEndpoint: 10 })).toEqual(['1', '2']);
  });

  it('takes no more of an endpoint than allowed, counting the busy ones', () => {
    const due = ['1', '2', '3', '4'].map((id) => lane(id, 'a'));
    const busy = new Map([['a e', 1]]);
    expect(chooseLanes(due, busy, { free: 10, perEndpoint: 3 })).toEqual(['1', '2']);
  });

  it('lets organizations take turns', () => {
    const due = [lane('a1', 'a'), lane('a2', 'a'), lane('a3', 'a'), lane('b1', 'b')];
    expect(chooseLanes(due, new Map(), { free: 3, perEndpoint: 10 })).toEqual(['a1', 'b1', 'a2']);
  });

  it('counts the same host for each organization by itself', () => {
    const due = [lane('a1', 'a', 'a h'), lane('b1', 'b', 'b h')];
    const busy = new Map([['a h', 10]]);
    expect(chooseLanes(due, busy, { free: 10, perEndpoint: 10 })).toEqual(['b1']);
  });
});
