import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRule } from './fake-rules.js';
import type { Rule } from './rule.js';
import { added, changed, removed, reordered } from './rule-list.js';

const list = (...ids: string[]): Rule[] => ids.map((id) => aRule(id));
const idsOf = (rules: readonly Rule[]): string[] => rules.map(({ id }) => id);
const same = (rule: Rule): Rule => rule;

describe('the list of rules', () => {
  it('takes a new rule at its position, counted behind those before it, or at the end', () => {
    const rules = list('a', 'b');
    expect(idsOf(added(rules, aRule('c'), { before: 2 }))).toEqual(['a', 'b', 'c']);
    expect(idsOf(added(rules, aRule('c'), { position: 3, before: 2 }))).toEqual(['c', 'a', 'b']);
    expect(idsOf(added(rules, aRule('c'), { position: 5, before: 2 }))).toEqual(['a', 'b', 'c']);
  });

  it.each([0, 1, 2, 6])(
    'has no position %d for a third rule behind two declared ones',
    (position) => {
      expect(() => added(list('a', 'b'), aRule('c'), { position, before: 2 })).toThrow(
        expect.objectContaining({
          reason: 'INVALID_PARAMS',
          message: 'position must be from 3 to 5; the 2 declared in the configuration come first',
        }),
      );
    },
  );

  it('refuses an id that is taken, and one rule more than there may be', () => {
    const conflict = expect.objectContaining({ reason: 'CONFLICT' });
    expect(() => added(list('a'), aRule('a'), { before: 0 })).toThrow(conflict);
    const full = Array.from({ length: 500 }, (_, i) => aRule(`r${i}`));
    expect(() => added(full, aRule('a'), { before: 0 })).toThrow(conflict);
  });

  it('changes, moves and removes one rule, and knows when it is not there', () => {
    const rules = list('a', 'b', 'c');
    const named = changed(rules, 'b', (rule) => ({ ...rule, name: 'B' }), { before: 0 });
    expect(named.map(({ name }) => name)).toEqual(['a', 'B', 'c']);
    expect(idsOf(changed(rules, 'a', same, { position: 3, before: 0 }))).toEqual(['b', 'c', 'a']);
    expect(idsOf(removed(rules, 'b'))).toEqual(['a', 'c']);
    const notFound = expect.objectContaining({ reason: 'NOT_FOUND' });
    expect(() => changed(rules, 'x', same, { before: 0 })).toThrow(notFound);
    expect(() => removed(rules, 'x')).toThrow(notFound);
  });

  it('moves a rule to the position that is asked for, whatever it was', () => {
    fc.assert(
      fc.property(fc.nat(7), fc.nat(7), fc.nat(3), (from, to, before) => {
        const rules = list('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
        const id = rules[from]!.id;
        const moved = changed(rules, id, same, { position: before + to + 1, before });
        expect(moved[to]!.id).toBe(id);
        expect(idsOf(removed(moved, id))).toEqual(idsOf(removed(rules, id)));
      }),
    );
  });

  it('is put in another order only when each rule is named once', () => {
    const rules = list('a', 'b', 'c');
    expect(idsOf(reordered(rules, ['c', 'a', 'b']))).toEqual(['c', 'a', 'b']);
    expect(() => reordered(rules, ['c', 'a'])).toThrow(/ids .*b is missing/);
    expect(() => reordered(rules, ['c', 'a', 'b', 'd'])).toThrow(/there is no rule d/);
    expect(() => reordered(rules, ['c', 'a', 'b', 'b'])).toThrow(/named twice/);
  });
});
