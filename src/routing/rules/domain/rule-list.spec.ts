import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRule } from './fake-rules.js';
import type { Rule } from './rule.js';
import { added, changed, removed, reordered } from './rule-list.js';

const list = (...ids: string[]): Rule[] => ids.map((id) => aRule(id));
const idsOf = (rules: readonly Rule[]): string[] => rules.map(({ id }) => id);
/** The ids of as many declared rules that stand in for none of the list. */
const declared = (count: number): ReadonlySet<string> =>
  new Set(Array.from({ length: count }, (_, i) => `declared-${i}`));
const none = declared(0);
const same = (rule: Rule): Rule => rule;

describe('the list of rules', () => {
  it('takes a new rule at its position, counted behind those before it, or at the end', () => {
    const rules = list('a', 'b');
    expect(idsOf(added(rules, aRule('c'), { declared: declared(2) }))).toEqual(['a', 'b', 'c']);
    expect(idsOf(added(rules, aRule('c'), { position: 3, declared: declared(2) }))).toEqual([
      'c',
      'a',
      'b',
    ]);
    expect(idsOf(added(rules, aRule('c'), { position: 5, declared: declared(2) }))).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it.each([0, 1, 2, 6])(
    'has no position %d for a third rule behind two declared ones',
    (position) => {
      expect(() => added(list('a', 'b'), aRule('c'), { position, declared: declared(2) })).toThrow(
        expect.objectContaining({
          reason: 'INVALID_PARAMS',
          message: 'position must be from 3 to 5; the 2 declared in the configuration come first',
        }),
      );
    },
  );

  it('refuses an id that is taken, and one rule more than there may be', () => {
    const conflict = expect.objectContaining({ reason: 'CONFLICT' });
    expect(() => added(list('a'), aRule('a'), { declared: none })).toThrow(conflict);
    const full = Array.from({ length: 500 }, (_, i) => aRule(`r${i}`));
    expect(() => added(full, aRule('a'), { declared: none })).toThrow(conflict);
  });

  it('changes, moves and removes one rule, and knows when it is not there', () => {
    const rules = list('a', 'b', 'c');
    const named = changed(rules, 'b', (rule) => ({ ...rule, name: 'B' }), { declared: none });
    expect(named.map(({ name }) => name)).toEqual(['a', 'B', 'c']);
    expect(idsOf(changed(rules, 'a', same, { position: 3, declared: none }))).toEqual([
      'b',
      'c',
      'a',
    ]);
    expect(idsOf(removed(rules, 'b'))).toEqual(['a', 'c']);
    const notFound = expect.objectContaining({ reason: 'NOT_FOUND' });
    expect(() => changed(rules, 'x', same, { declared: none })).toThrow(notFound);
    expect(() => removed(rules, 'x')).toThrow(notFound);
  });

  it('moves a rule to the position that is asked for, whatever it was', () => {
    fc.assert(
      fc.property(fc.nat(7), fc.nat(7), fc.nat(3), (from, to, before) => {
        const rules = list('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
        const id = rules[from]!.id;
        const moved = changed(rules, id, same, {
          position: before + to + 1,
          declared: declared(before),
        });
        expect(moved[to]!.id).toBe(id);
        expect(idsOf(removed(moved, id))).toEqual(idsOf(removed(rules, id)));
      }),
    );
  });

  it('is put in another order only when each rule is named once', () => {
    const rules = list('a', 'b', 'c');
    expect(idsOf(reordered(rules, ['c', 'a', 'b'], none))).toEqual(['c', 'a', 'b']);
    expect(() => reordered(rules, ['c', 'a'], none)).toThrow(/ids .*b is missing/);
    expect(() => reordered(rules, ['c', 'a', 'b', 'd'], none)).toThrow(/there is no rule d/);
    expect(() => reordered(rules, ['c', 'a', 'b', 'b'], none)).toThrow(/named twice/);
  });

  describe('while declared rules replace some of them', () => {
    // What the operator sees: 1 b (declared), 2 d (declared), 3 a, 4 c, 5 e.
    const rules = list('a', 'b', 'c', 'd', 'e');
    const shadow = new Set(['b', 'd']);
    const shown = (all: readonly Rule[]): string[] => idsOf(all).filter((id) => !shadow.has(id));

    it.each([
      [3, ['new', 'a', 'c', 'e']],
      [4, ['a', 'new', 'c', 'e']],
      [5, ['a', 'c', 'new', 'e']],
      [6, ['a', 'c', 'e', 'new']],
    ])('takes a new rule at position %d as it is shown', (position, expected) => {
      const next = added(rules, aRule('new'), { position, declared: shadow });
      expect(shown(next)).toEqual(expected);
      expect(next).toHaveLength(6);
    });

    it('moves a rule to its position as it is shown, and knows the last one', () => {
      const moved = changed(rules, 'a', same, { position: 5, declared: shadow });
      expect(shown(moved)).toEqual(['c', 'e', 'a']);
      expect(() => changed(rules, 'a', same, { position: 6, declared: shadow })).toThrow(
        /must be from 3 to 5/,
      );
    });

    it('is put in another order by the ids that are shown; the others keep their positions', () => {
      expect(idsOf(reordered(rules, ['e', 'a', 'c'], shadow))).toEqual(['e', 'b', 'a', 'd', 'c']);
      expect(() => reordered(rules, ['a', 'b', 'c', 'd', 'e'], shadow)).toThrow(/no rule b, d/);
    });
  });
});
