import { beforeEach, describe, expect, it } from '@jest/globals';
import { HubError } from '../../src/common/hub-error.js';
import { aRule } from '../../src/routing/rules/domain/fake-rules.js';
import type { Rule } from '../../src/routing/rules/domain/rule.js';
import type { RuleStore } from '../../src/routing/rules/rule-store.js';

const NOW = new Date(1_700_000_000_000);
const LATER = new Date(1_700_000_060_000);

/** What every {@link RuleStore} promises; `make` gives an empty one. */
export function ruleStoreContract(make: () => Promise<RuleStore>): void {
  describe('RuleStore', () => {
    let store: RuleStore;
    const change = (made: (rules: readonly Rule[]) => readonly Rule[], now = NOW) =>
      store.change(made, now);
    const add = (...rules: Rule[]) => change((present) => [...present, ...rules]);
    const edit = (id: string, changes: Partial<Rule>, now = LATER) =>
      change(
        (rules) => rules.map((rule) => (rule.id === id ? { ...rule, ...changes } : rule)),
        now,
      );
    const drop = (id: string) => change((rules) => rules.filter((rule) => rule.id !== id), LATER);
    const declared = (id: string, changes: Partial<Rule> = {}) =>
      aRule(id, { version: 0, source: 'config', createdAt: null, updatedAt: null, ...changes });
    const told = async (id: string) =>
      (await store.versions(id, 20)).items.map(({ version, source, name }) => [
        version,
        source,
        name,
      ]);
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
      await change((rules) => rules.toReversed());
      expect(await ids()).toEqual(['b', 'a', 'c']);
      await change((rules) => rules.filter(({ id }) => id !== 'a'));
      expect(await ids()).toEqual(['b', 'c']);
    });

    it('holds as many as there may be, and moves them all at once', async () => {
      const rules = Array.from({ length: 500 }, (_, i) => aRule(`r${i}`));
      await add(...rules);
      await change((present) => present.toReversed());
      expect(await store.all()).toEqual(rules.toReversed());
      await change(() => []);
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
      const refused = change(() => {
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
      await change((rules) => rules.map((rule) => ({ ...rule, enabled: false })));
      await noted();
      await change((rules) => rules.toReversed());
      await noted();
      await change((rules) => rules.slice(1));
      await noted();
      expect(new Set(seen).size).toBe(5);
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      await change((rules) => rules);
      expect(await store.revision()).toBe(seen.at(-1));
    });

    it('keeps what was added, every member of it, as version 1', async () => {
      const rule = aRule('full', {
        version: 0,
        name: 'Größe & "more"',
        enabled: false,
        conditions: { text: { pattern: '\\bx\u0000\ud800' }, metadata: { 'a.b': ['x', 1, true] } },
        target: { tags: ['b'], match: 'any', strategy: 'all', require: 'quorum', quorum: 2 },
      });
      expect(await add(rule)).toEqual([{ ...rule, version: 1 }]);
      const { id, name, enabled, conditions, target } = rule;
      const first = { id, name, enabled, conditions, target, version: 1, source: 'api' };
      expect(await store.version('full', 1)).toEqual({ ...first, createdAt: NOW });
      expect((await store.versions('full', 10)).items).toEqual([{ ...first, createdAt: NOW }]);
    });

    it('makes a version of every change of a rule and keeps those before', async () => {
      await add(aRule('a'), aRule('b'));
      const [changed, other] = await edit('a', { enabled: false, version: 77 });
      expect([changed?.version, other?.version]).toEqual([2, 1]);
      expect((await store.all()).map(({ id, version }) => [id, version])).toEqual([
        ['a', 2],
        ['b', 1],
      ]);
      expect(await store.version('a', 1)).toMatchObject({ enabled: true, createdAt: NOW });
      expect(await store.version('a', 2)).toMatchObject({ enabled: false, createdAt: LATER });
      expect(await store.version('a', 3)).toBeUndefined();
      expect(await store.version('b', 2)).toBeUndefined();
    });

    it('makes no version of another place, of the same in another order of members, or when it throws', async () => {
      await add(aRule('a', { target: { agentId: 'x', maxCalls: 2 } }), aRule('b'));
      await change((rules) => rules.toReversed(), LATER);
      await edit('a', { target: { maxCalls: 2, agentId: 'x' }, updatedAt: LATER });
      const refused = change(() => {
        throw new HubError('CONFLICT', 'no');
      });
      await expect(refused).rejects.toMatchObject({ reason: 'CONFLICT' });
      expect(await told('a')).toEqual([[1, 'api', 'a']]);
      expect(await told('b')).toEqual([[1, 'api', 'b']]);
    });

    it('keeps the versions of a deleted rule and goes on counting when its id comes back', async () => {
      await add(aRule('a'));
      await edit('a', { name: 'second' });
      await drop('a');
      expect(await store.all()).toEqual([]);
      expect(await store.version('a', 2)).toMatchObject({ name: 'second' });
      // The very same as before is another rule all the same.
      const [back] = await add(aRule('a', { name: 'second' }));
      expect(back).toMatchObject({ version: 3 });
      expect((await told('a')).map(([version]) => version)).toEqual([3, 2, 1]);
      expect((await store.versions('nobody', 10)).items).toEqual([]);
    });

    it('gives versions from the newest, page by page', async () => {
      await add(aRule('a'), aRule('ab'));
      for (let i = 2; i <= 11; i++) await edit('a', { name: `no. ${i}` });
      const newest = await store.versions('a', 2);
      expect(newest.items.map(({ version }) => version)).toEqual([11, 10]);
      const older = await store.versions('a', 20, newest.nextCursor ?? '');
      expect(older.items.map(({ version }) => version)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
      expect(older.nextCursor).toBeNull();
    });

    it('counts every one of many changes at once', async () => {
      await add(aRule('a'));
      const names = Array.from({ length: 8 }, (_, i) => `change ${i}`);
      await Promise.all(names.map((name) => edit('a', { name })));
      expect((await store.all())[0]).toMatchObject({ version: 9 });
      const kept = (await told('a')).map(([, , name]) => String(name));
      expect(kept.toSorted()).toEqual(['a', ...names].toSorted());
    });

    it('keeps versions of many rules at once', async () => {
      const ids = Array.from({ length: 500 }, (_, i) => `r${i}`);
      await add(...ids.map((id) => aRule(id)));
      await change((rules) => rules.map((rule) => ({ ...rule, enabled: false })), LATER);
      for (const id of ['r0', 'r63', 'r64', 'r499']) {
        expect(await store.version(id, 2)).toMatchObject({ enabled: false });
      }
      expect(new Set((await store.all()).map(({ version }) => version))).toEqual(new Set([2]));
    });

    it('keeps a version of what a file declares when it has changed, and only then', async () => {
      const first = await store.keepDeclared([declared('a'), declared('b')], NOW);
      expect(first).toEqual([declared('a', { version: 1 }), declared('b', { version: 1 })]);
      expect(await store.all()).toEqual([]);
      const same = await store.keepDeclared([declared('b'), declared('a')], LATER);
      expect(same.map(({ id, version }) => [id, version])).toEqual([
        ['b', 1],
        ['a', 1],
      ]);
      await store.keepDeclared([declared('a', { name: 'other' })], LATER);
      expect(await told('a')).toEqual([
        [2, 'config', 'other'],
        [1, 'config', 'a'],
      ]);
      expect(await store.version('a', 2)).toMatchObject({ createdAt: LATER });
      expect(await told('b')).toEqual([[1, 'config', 'b']]);
    });

    it('keeps both where a declared rule takes the place of one of the API and leaves it again', async () => {
      await add(aRule('a'), aRule('b'));
      const kept = await store.keepDeclared([declared('a')], NOW);
      expect(kept).toEqual([declared('a', { version: 2 })]);
      const revision = await store.revision();
      await store.keepDeclared([], LATER);
      expect(await told('a')).toEqual([
        [3, 'api', 'a'],
        [2, 'config', 'a'],
        [1, 'api', 'a'],
      ]);
      expect(await store.version('a', 3)).toMatchObject({ createdAt: LATER });
      expect((await store.all()).map(({ id, version }) => [id, version])).toEqual([
        ['a', 3],
        ['b', 1],
      ]);
      expect(await store.revision()).toBeGreaterThan(revision);
      await store.keepDeclared([], LATER);
      expect(await told('a')).toHaveLength(3);
      expect(await told('b')).toHaveLength(1);
    });
  });
}
