import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PolicyDefinition } from '../../src/policies/domain/policy.js';
import { PoliciesChanged, type PolicyStore } from '../../src/policies/policy-store.js';

const NOW = new Date(1000);
const LATER = new Date(2000);

/** What every {@link PolicyStore} does. */
export function policyStoreContract(open: () => Promise<PolicyStore>): void {
  let store: PolicyStore;
  beforeEach(async () => {
    store = await open();
  });
  const definition = (members: Partial<PolicyDefinition> = {}): PolicyDefinition => ({
    organization: null,
    description: 'd',
    enabled: true,
    text: 'permit(principal, action, resource);',
    tests: [{ name: 't', caller: { groups: ['g'] }, agentId: 'a', expect: 'allow' }],
    ...members,
  });

  describe('a policy', () => {
    it('is stored as it is written, and read by id', async () => {
      await store.add('b', definition({ organization: 'acme\u{1F511}' }), 10, NOW);
      const added = await store.add('a', definition(), 10, LATER);
      expect(added).toEqual({
        ...definition(),
        ...{ id: 'a', version: 1, source: 'api', createdAt: LATER, updatedAt: LATER },
      });
      const all = await store.all();
      expect(all.map(({ id, organization }) => [id, organization])).toEqual([
        ['a', null],
        ['b', 'acme\u{1F511}'],
      ]);
      expect(all[0]).toEqual(added);
    });

    it('is refused with an id that is taken, and when there are enough of its organization', async () => {
      await store.add('a', definition(), 2, NOW);
      await expect(store.add('a', definition(), 2, NOW)).rejects.toMatchObject({
        reason: 'CONFLICT',
      });
      await store.add('b', definition(), 2, NOW);
      await expect(store.add('c', definition(), 2, NOW)).rejects.toThrow('has 2 policies');
      await store.add('c', definition({ organization: 'acme' }), 1, NOW);
      await expect(store.add('d', definition({ organization: 'acme' }), 1, NOW)).rejects.toThrow(
        'The organization acme has 1 policies',
      );
      expect(await store.all()).toHaveLength(3);
    });

    it('has a version for each change, as it was', async () => {
      await store.add('a', definition(), 2, NOW);
      const changed = await store.update('a', (policy) => ({ ...policy, enabled: false }), LATER);
      expect(changed).toMatchObject({
        version: 2,
        enabled: false,
        createdAt: NOW,
        updatedAt: LATER,
      });
      expect(await store.versions('a', 5)).toEqual([
        { ...definition({ enabled: false }), version: 2, at: LATER },
        { ...definition(), version: 1, at: NOW },
      ]);
      expect(await store.versions('a', 1)).toHaveLength(1);
      expect(await store.update('none', (policy) => policy, NOW)).toBeUndefined();
    });

    it('is as it was when a change throws, and counts two changes at once', async () => {
      await store.add('a', definition(), 2, NOW);
      const boom = store.update(
        'a',
        () => {
          throw new Error('boom');
        },
        NOW,
      );
      await expect(boom).rejects.toThrow('boom');
      await Promise.all(
        ['1', '2'].map((n) =>
          store.update(
            'a',
            (policy) => ({ ...policy, description: `${policy.description}${n}` }),
            NOW,
          ),
        ),
      );
      const [policy] = await store.all();
      expect([policy!.version, policy!.description.length]).toEqual([3, 3]);
    });

    it('is changed at the revision that the change was decided on, and at no newer one', async () => {
      const first = await store.revision();
      await store.add('a', definition(), 9, NOW, first);
      const second = await store.revision();
      for (const change of [
        () => store.add('b', definition(), 9, NOW, first),
        () => store.update('a', (policy) => ({ ...policy, enabled: false }), NOW, first),
        () => store.remove('a', first),
      ]) {
        await expect(change()).rejects.toThrow(PoliciesChanged);
      }
      expect([await store.all(), await store.revision()]).toEqual([
        [expect.objectContaining({ id: 'a', version: 1, enabled: true })],
        second,
      ]);
      const atOnce = ['b', 'c', 'd'].map((id) => store.add(id, definition(), 9, NOW, second));
      const outcomes = (await Promise.allSettled(atOnce)).map(({ status }) => status);
      expect(outcomes.sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
      expect(await store.all()).toHaveLength(2);
      expect(await store.remove('a', await store.revision())).toBe(true);
    });

    it('is deleted with its versions', async () => {
      await store.add('a', definition(), 2, NOW);
      expect(await store.remove('a')).toBe(true);
      expect(await store.remove('a')).toBe(false);
      expect([await store.all(), await store.versions('a', 5)]).toEqual([[], []]);
      expect((await store.add('a', definition(), 2, NOW)).version).toBe(1);
    });

    it('raises the revision with each change', async () => {
      const seen = [await store.revision()];
      await store.add('a', definition(), 2, NOW);
      seen.push(await store.revision());
      await store.update('a', (policy) => policy, NOW);
      seen.push(await store.revision());
      await store.remove('a');
      seen.push(await store.revision());
      expect(new Set(seen).size).toBe(4);
    });
  });
}
