import { describe, expect, it } from '@jest/globals';
import { mayJoin, type QueueShare } from './queue-share.js';

const ALONE: QueueShare = {
  total: 0,
  organizations: 1,
  ofOrganization: 0,
  principals: 1,
  ofPrincipal: 0,
};

describe('who may wait for an agent', () => {
  it.each<[string, Partial<QueueShare>, boolean]>([
    ['who is alone, all of it', { total: 99, ofOrganization: 99, ofPrincipal: 99 }, true],
    ['and no more', { total: 100, ofOrganization: 100, ofPrincipal: 100 }, false],
    ['a newcomer, although it is full', { total: 100, organizations: 2 }, true],
    [
      'the greedy one is over its share then',
      { total: 101, organizations: 2, ofOrganization: 100, ofPrincipal: 100 },
      false,
    ],
    [
      'the newcomer up to its share',
      { total: 149, organizations: 2, ofOrganization: 49, ofPrincipal: 49 },
      true,
    ],
    [
      'and no more than that',
      { total: 150, organizations: 2, ofOrganization: 50, ofPrincipal: 50 },
      false,
    ],
    [
      'a second principal of the greedy organization',
      { total: 100, ofOrganization: 100, principals: 2 },
      true,
    ],
    [
      'the first one is over its share then',
      { total: 100, ofOrganization: 100, principals: 2, ofPrincipal: 100 },
      false,
    ],
    [
      'many principals of one organization: not for ever',
      { total: 200, ofOrganization: 200, principals: 50 },
      false,
    ],
  ])('%s', (_, some, may) => {
    expect(mayJoin({ ...ALONE, ...some }, 100)).toBe(may);
  });
});
