import { describe, expect, it } from '@jest/globals';
import { type Watch, watches } from './subscription-filter.js';

const key = (tag: string): string => tag.toLowerCase();
const agent = (id: string, ...tags: string[]) => ({ id, tags: new Set(tags) });
const ALL = { agents: null, tags: null };

const watch = (changes: Partial<Watch> = {}): Watch => ({
  organization: 'acme',
  principalId: 'alice',
  scope: 'organization',
  filter: ALL,
  ...changes,
});

const sees = (
  changes: Partial<Watch>,
  agents: ReturnType<typeof agent>[] = [agent('billing', 'money')],
  owner: { organization?: string; principalId?: string } = {},
): boolean =>
  watches(watch(changes), { organization: 'acme', principalId: 'bob', ...owner, agents }, key);

describe('the filter of a subscription', () => {
  it('lets every task of its organization through when it says nothing', () => {
    expect(sees({})).toBe(true);
    expect(sees({}, [])).toBe(true);
    expect(sees({}, undefined, { organization: 'evil' })).toBe(false);
  });

  it('keeps to the tasks of its owner when its scope is own', () => {
    expect(sees({ scope: 'own' })).toBe(false);
    expect(sees({ scope: 'own' }, undefined, { principalId: 'alice' })).toBe(true);
    const stranger = { principalId: 'alice', organization: 'evil' };
    expect(sees({ scope: 'own' }, undefined, stranger)).toBe(false);
  });

  it('asks for one of its agents', () => {
    const filter = { agents: ['x', 'billing'], tags: null };
    expect(sees({ filter })).toBe(true);
    expect(sees({ filter }, [agent('other')])).toBe(false);
    expect(sees({ filter }, [agent('other'), agent('x')])).toBe(true);
    expect(sees({ filter }, [])).toBe(false);
  });

  it('asks for one of its tags, whatever their case', () => {
    const filter = { agents: null, tags: ['Money', 'law'] };
    expect(sees({ filter })).toBe(true);
    expect(sees({ filter }, [agent('billing', 'cash')])).toBe(false);
  });

  it('wants agent and tag of one and the same agent', () => {
    const filter = { agents: ['billing'], tags: ['law'] };
    expect(sees({ filter }, [agent('billing', 'money'), agent('lawyer', 'law')])).toBe(false);
    expect(sees({ filter }, [agent('billing', 'law')])).toBe(true);
  });

  it('lets nothing through a list of nothing', () => {
    expect(sees({ filter: { agents: [], tags: null } })).toBe(false);
  });
});
