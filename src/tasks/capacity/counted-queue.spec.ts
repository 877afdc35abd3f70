import { describe, expect, it } from '@jest/globals';
import { CountedQueue } from './counted-queue.js';

const alice = { organization: 'acme', id: 'alice' };
const bob = { organization: 'acme', id: 'bob' };
const eve = { organization: 'evil', id: 'eve' };

describe('those who wait for an agent', () => {
  it('are counted as each of them sees it', () => {
    const queue = new CountedQueue();
    for (const each of [alice, alice, alice, bob]) queue.add(each, 1);
    const acme = { total: 4, organizations: 1, ofOrganization: 4, principals: 2 };
    expect(queue.shareOf(alice)).toEqual({ ...acme, ofPrincipal: 3 });
    expect(queue.shareOf({ ...alice, id: 'carol' })).toEqual({
      ...acme,
      principals: 3,
      ofPrincipal: 0,
    });
    const newcomer = { organizations: 2, ofOrganization: 0, principals: 1, ofPrincipal: 0 };
    expect(queue.shareOf(eve)).toEqual({ total: 4, ...newcomer });
    queue.add(bob, -1);
    queue.add(bob, -1);
    queue.add(eve, -1);
    expect(queue.shareOf(alice)).toEqual({
      ...acme,
      total: 3,
      ofOrganization: 3,
      principals: 1,
      ofPrincipal: 3,
    });
  });
});
