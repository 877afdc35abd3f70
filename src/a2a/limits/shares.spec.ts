import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../../auth/index.js';
import { Shares } from './shares.js';

const of = (id: string, organization = id): Principal => ({ id, organization, scopes: new Set() });
const ann = of('ann');
const bob = of('bob');

function takeAll(shares: Shares, caller: Principal): number {
  for (let taken = 0; ; taken++) if (shares.take(caller, 1) !== undefined) return taken;
}

describe('Shares', () => {
  it('gives who is alone all but a tenth', () => {
    const shares = new Shares(100);
    expect(takeAll(shares, ann)).toBe(90);
    expect(shares.take(ann, 1)).toBe('share');
  });

  it('keeps the last tenth for others, and all is full then', () => {
    const shares = new Shares(100);
    takeAll(shares, ann);
    expect(takeAll(shares, bob)).toBe(10);
    expect(shares.take(bob, 1)).toBe('full');
  });

  it('gives a newcomer what one with more than its share has given back', () => {
    const shares = new Shares(100);
    takeAll(shares, ann);
    takeAll(shares, bob);
    shares.give(ann, 1);
    expect(shares.take(ann, 1)).toBe('share');
    expect(shares.take(bob, 1)).toBeUndefined();
  });

  it('counts the principals of one organization together', () => {
    const shares = new Shares(100);
    takeAll(shares, of('ann', 'us'));
    expect(shares.take(of('amy', 'us'), 1)).toBe('share');
    expect(shares.take(of('bob', 'them'), 1)).toBeUndefined();
  });

  it('lets nobody pass a ceiling, but who has nothing may have one of any size', () => {
    const shares = new Shares(64, { principal: 0.25, organization: 0.5 });
    expect(shares.take(ann, 40)).toBeUndefined();
    expect(shares.take(ann, 1)).toBe('share');
    expect(shares.take(bob, 30)).toBe('full');
    shares.give(ann, 40);
    expect(shares.take(bob, 300)).toBeUndefined();
    expect(shares.take(ann, 1)).toBe('full');
  });
});
