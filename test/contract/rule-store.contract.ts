import { beforeEach, describe, expect, it } from '@jest/globals';
import { HubError } from '../../src/common/hub-error.js';
import { aRule } from '../../src/routing/rules/domain/fake-rules.js';
import type { Rule } from '../../src/routing/rules/domain/rule.js';
import type { RuleStore } from '../../src/routing/rules/rule-store.js';

/** What every {@link RuleStore} promises; `make` gives an empty one. */
export function ruleStoreContract(make: () => Promise<RuleStore>): void {
  describe('RuleStore', () => {
    let store: RuleStore;
    const add = (...rules: Rule[]) => store.change((present) => [...present, ...rules]);
    const ids = async () => (await store.all()).map(({ id }) => id);

    beforeEach(async () => {
      store = await make();
    });

    it('gives back what was stored, every member of it', async () => {
      const rule = aRule('full', {
        name: 'Größe & "more"',
        enabled: false,
        conditions: {
          organizations: ['acme', 'grün'],
          scopes: ['push'],
          inputTypes: ['image/*'],
          tags: ['a'],
          tagMatch: 'all',
          text: { pattern: '\\bx\u0000\ud800', ignoreCase: true },
          metadata: { 'a.b': ['x', 1, true], c: 'y' },
        },
        target: { tags: ['b'], match: 'any', strategy: 'all', require: 'quorum', quorum: 2 },
      });
      expect(await add(rule)).toEqual([rule]);
      expect(await store.all()).toEqual([rule]);
    });

    it('keeps the order, whatever the ids', async () => {
      await add(aRule('c'), aRule('a'), aRule('b'));
      expect(await ids()).toEqual(['c', 'a', 'b']);
      await store.change((rules) => rules.toReversed());
      expect(await ids()).toEqual(['b', 'a', 'c']);
      await store.change((rules) => rules.filter(({ id }) => id !== 'a'));
      expect(await ids()).toEqual(['b', 'c']);
    });

    it('holds as many as there may be, and moves them all at once', async () => {
      const rules = Array.from({ length: 500 }, (_, i) => aRule(`r${i}`));
      await add(...rules);
      await store.change((present) => present.toReversed());
      expect(await store.all()).toEqual(rules.toReversed());
      await store.change(() => []);
      expect(await store.all()).toEqual([]);
    });

    it('lets changes made at once all count', async () => {
      const names = Array.from({ length: 20 }, (_, i) => `r${i}`);
      await Promise.all(names.map((id) => add(aRule(id))));
      expect((await ids()).sort()).toEqual([...names].sort());
    });

    it('changes nothing when the change throws', async () => {
      await add(aRule('a'));
      const before = await store.revision();
      const refused = store.change(() => {
        throw new HubError('CONFLICT', 'no');
      });
      await expect(refused).rejects.toMatchObject({ reason: 'CONFLICT' });
      expect(await ids()).toEqual(['a']);
      expect(await store.revision()).toBe(before);
    });

    it('raises its revision with every change and not without one', async () => {
      const seen = [await store.revision()];
      const noted = async () => seen.push(await store.revision());
      await add(aRule('a'), aRule('b'));
      await noted();
      await store.change((rules) => rules.map((rule) => ({ ...rule, enabled: false })));
      await noted();
      await store.change((rules) => rules.toReversed());
      await noted();
      await store.change((rules) => rules.slice(1));
      await noted();
      expect(new Set(seen).size).toBe(5);
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      await store.change((rules) => rules);
      expect(await store.revision()).toBe(seen.at(-1));
    });
  });
}
