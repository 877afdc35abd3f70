import { beforeEach, describe, expect, it } from '@jest/globals';
import { HubError } from '../../src/common/hub-error.js';
import type { CompositeStore, NewComposite } from '../../src/routing/composites/composite-store.js';

const NOW = new Date(1_700_000_000_000);
const LATER = new Date(1_700_000_060_000);

function aComposite(id: string, changes: Partial<NewComposite> = {}): NewComposite {
  return {
    id,
    name: `Composite ${id}`,
    description: 'Does several things',
    tags: ['legal'],
    examples: ['Review this'],
    inputModes: ['text/plain'],
    outputModes: ['text/markdown'],
    organizations: ['acme'],
    enabled: true,
    deadlineSeconds: 1.5,
    maxCalls: 7,
    steps: [
      { name: 'extract', agentId: 'extractor', deadlineSeconds: 2 },
      {
        name: 'review',
        tags: ['legal', 'nul \u0000 and half \uD800'],
        match: 'any',
        strategy: 'all',
        require: 'quorum',
        quorum: 2,
        inputs: ['message', 'extract'],
        after: [{ step: 'extract', outcome: 'ended' }],
        optional: true,
        result: true,
      },
    ],
    source: 'api',
    ...changes,
  };
}

/** What every {@link CompositeStore} promises; `make` gives an empty one. */
export function compositeStoreContract(make: () => Promise<CompositeStore>): void {
  describe('CompositeStore', () => {
    let store: CompositeStore;

    beforeEach(async () => {
      store = await make();
    });

    it('gives back what was added, every member of it, as version 1', async () => {
      const added = await store.add(aComposite('review'), NOW);
      const expected = { ...aComposite('review'), version: 1, createdAt: NOW, updatedAt: NOW };
      expect(added).toEqual(expected);
      expect(await store.get('review')).toEqual(expected);
      expect(await store.all()).toEqual([expected]);
      const first = { ...aComposite('review'), version: 1, createdAt: NOW };
      expect(await store.version('review', 1)).toEqual(first);
    });

    it('refuses an id that is taken and keeps what is there', async () => {
      await store.add(aComposite('review'), NOW);
      const again = store.add(aComposite('review', { name: 'Another' }), LATER);
      await expect(again).rejects.toThrow(HubError);
      await expect(again).rejects.toMatchObject({ reason: 'CONFLICT' });
      expect(await store.get('review')).toMatchObject({ name: 'Composite review', version: 1 });
    });

    it('makes a version of every change and keeps those before', async () => {
      await store.add(aComposite('review'), NOW);
      const changed = await store.update('review', (one) => ({ ...one, enabled: false }), LATER);
      expect(changed).toMatchObject({ version: 2, enabled: false, updatedAt: LATER });
      expect(await store.get('review')).toEqual({
        ...aComposite('review', { enabled: false }),
        version: 2,
        createdAt: NOW,
        updatedAt: LATER,
      });
      expect(await store.version('review', 1)).toMatchObject({ enabled: true, createdAt: NOW });
      expect(await store.version('review', 2)).toMatchObject({ enabled: false, createdAt: LATER });
      expect(await store.version('review', 3)).toBeUndefined();
    });

    it('makes no version of a change that changes nothing, in whatever order it is written', async () => {
      await store.add(aComposite('review'), NOW);
      const revision = await store.revision();
      const same = await store.update(
        'review',
        ({ steps, name, ...rest }) => ({
          steps: steps.map(({ name: step, ...others }) => ({ ...others, name: step })),
          ...rest,
          name,
        }),
        LATER,
      );
      expect(same).toMatchObject({ version: 1, updatedAt: NOW });
      expect(await store.revision()).toBe(revision);
      expect(await store.version('review', 2)).toBeUndefined();
    });

    it('leaves everything as it is when the change throws', async () => {
      await store.add(aComposite('review'), NOW);
      const refused = store.update(
        'review',
        () => {
          throw new HubError('INVALID_PARAMS', 'no');
        },
        LATER,
      );
      await expect(refused).rejects.toMatchObject({ reason: 'INVALID_PARAMS' });
      expect(await store.get('review')).toMatchObject({ version: 1 });
    });

    it('counts every one of many changes at once', async () => {
      await store.add(aComposite('review', { maxCalls: 1 }), NOW);
      await Promise.all(
        Array.from({ length: 8 }, () =>
          store.update('review', (one) => ({ ...one, maxCalls: (one.maxCalls ?? 0) + 1 }), LATER),
        ),
      );
      expect(await store.get('review')).toMatchObject({ version: 9, maxCalls: 9 });
    });

    it('knows nothing of an id that was never there', async () => {
      expect(await store.get('nobody')).toBeUndefined();
      expect(await store.update('nobody', (one) => one, NOW)).toBeUndefined();
      expect(await store.remove('nobody', NOW)).toBe(false);
      expect((await store.versions('nobody', 10)).items).toEqual([]);
    });

    it('keeps the versions of a deleted one and goes on counting when the id comes back', async () => {
      await store.add(aComposite('review'), NOW);
      await store.update('review', (one) => ({ ...one, name: 'Second' }), NOW);
      expect(await store.remove('review', LATER)).toBe(true);
      expect(await store.remove('review', LATER)).toBe(false);
      expect(await store.get('review')).toBeUndefined();
      expect(await store.all()).toEqual([]);
      expect((await store.list(10)).items).toEqual([]);
      expect(await store.version('review', 2)).toMatchObject({ name: 'Second' });
      const back = await store.add(aComposite('review', { source: 'config' }), LATER);
      expect(back).toMatchObject({ version: 3, source: 'config', createdAt: LATER });
      expect(await store.version('review', 3)).toMatchObject({ source: 'config' });
    });

    it('does not delete what the check wants kept', async () => {
      await store.add(aComposite('review'), NOW);
      const kept = store.remove('review', LATER, () => {
        throw new HubError('CONFLICT', 'no');
      });
      await expect(kept).rejects.toMatchObject({ reason: 'CONFLICT' });
      expect(await store.get('review')).toBeDefined();
    });

    it('lists by id and versions from the newest, page by page', async () => {
      for (const id of ['c', 'a', 'b']) await store.add(aComposite(id), NOW);
      const first = await store.list(2);
      expect(first.items.map(({ id }) => id)).toEqual(['a', 'b']);
      const second = await store.list(2, first.nextCursor ?? '');
      expect(second.items.map(({ id }) => id)).toEqual(['c']);
      expect(second.nextCursor).toBeNull();

      for (let i = 2; i <= 11; i++) {
        await store.update('a', (one) => ({ ...one, maxCalls: i * 100 }), NOW);
      }
      const newest = await store.versions('a', 2);
      expect(newest.items.map(({ version }) => version)).toEqual([11, 10]);
      const older = await store.versions('a', 20, newest.nextCursor ?? '');
      expect(older.items.map(({ version }) => version)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
      expect(older.nextCursor).toBeNull();
    });

    it('lists by the characters of the ids', async () => {
      for (const id of ['ab', 'a-c', 'a0']) await store.add(aComposite(id), NOW);
      const inOrder = ['a-c', 'a0', 'ab'];
      expect((await store.all()).map(({ id }) => id)).toEqual(inOrder);
      const first = await store.list(1);
      const rest = await store.list(2, first.nextCursor ?? '');
      expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(inOrder);
    });

    it('raises its revision with every change', async () => {
      const seen = [await store.revision()];
      await store.add(aComposite('a'), NOW);
      seen.push(await store.revision());
      await store.update('a', (one) => ({ ...one, enabled: false }), NOW);
      seen.push(await store.revision());
      await store.remove('a', NOW);
      seen.push(await store.revision());
      expect(new Set(seen).size).toBe(4);
      expect([...seen].sort((x, y) => x - y)).toEqual(seen);
    });
  });
}
