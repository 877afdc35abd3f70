import { describe, expect, it } from '@jest/globals';
import { nearest } from './nearest.js';

describe('names near one that was mistyped', () => {
  it('are few, the closest first, and none that is far', () => {
    const names = ['billing-eu', 'billing-us', 'bilding', 'support', 'bill'];
    expect(nearest('biling', names)).toEqual(['bilding']);
    expect(nearest('billing', names)).toEqual(['bilding', 'bill', 'billing-eu']);
    expect(nearest('zzz', names)).toEqual([]);
  });

  it('are not short ones that have nothing of it', () => {
    expect(nearest('zz', ['a', 'b', 'c', 'zzz', 'zy'])).toEqual(['zy', 'zzz']);
    expect(nearest('z', ['a', 'b'])).toEqual([]);
    expect(nearest('support', ['s', 'up'])).toEqual([]);
    expect(nearest('agnet', ['agent', 'a'])).toEqual(['agent']);
  });

  it('begin with the one that differs in case alone', () => {
    expect(nearest('cardURL', ['card', 'cardUrl', 'id'])[0]).toBe('cardUrl');
  });
});
