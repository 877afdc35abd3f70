import { beforeEach, expect, it } from '@jest/globals';
import { TypeormContextStore } from '../../src/tasks/persistence/typeorm-context.store.js';
import type { ContextStore, HubContext } from '../../src/tasks/context-store.js';
import type { DatabaseFactory } from '../support/databases.js';
import { change, TaskHarness } from './task-harness.js';

/** What the store of contexts promises. */
export function contextStoreContract(databases: DatabaseFactory): void {
  let hub: TaskHarness;
  let contexts: ContextStore;

  beforeEach(async () => {
    const database = await databases.open();
    hub = new TaskHarness(database);
    contexts = new TypeormContextStore(database);
  });

  const context = (more: Partial<HubContext> = {}): HubContext => ({
    id: 'c1',
    principalId: 'alice',
    organization: 'acme',
    affinity: ['a1'],
    lastUsedAt: new Date('2026-01-01T00:00:00Z'),
    ...more,
  });

  it('remembers affinity and last use, the latest of them', async () => {
    expect(await contexts.get('c1', 'alice')).toBeUndefined();
    await contexts.touch(context());
    expect(await contexts.get('c1', 'alice')).toEqual(context());
    const later = context({ affinity: ['a2', 'a3'], lastUsedAt: new Date('2026-02-01T00:00:00Z') });
    await contexts.touch(later);
    expect(await contexts.get('c1', 'alice')).toEqual(later);
  });

  it('keeps the same id of two principals apart', async () => {
    await contexts.touch(context());
    expect(await contexts.get('c1', 'bob')).toBeUndefined();
    await contexts.touch(context({ principalId: 'bob', affinity: ['b'] }));
    expect((await contexts.get('c1', 'alice'))?.affinity).toEqual(['a1']);
    await contexts.learn('c1', 'alice', 'a1', 'down-alice');
    await contexts.learn('c1', 'bob', 'a1', 'down-bob');
    expect(await contexts.downstream('c1', 'alice', 'a1')).toBe('down-alice');
    expect(await contexts.downstream('c1', 'bob', 'a1')).toBe('down-bob');
  });

  it('keeps the first context id it learned of an agent', async () => {
    expect(await contexts.downstream('c1', 'alice', 'a1')).toBeUndefined();
    await contexts.learn('c1', 'alice', 'a1', 'first');
    await contexts.learn('c1', 'alice', 'a1', 'second');
    expect(await contexts.downstream('c1', 'alice', 'a1')).toBe('first');
    expect(await contexts.downstream('c1', 'alice', 'a2')).toBeUndefined();
  });

  it('knows what the oldest delegation to an agent in this context has learned', async () => {
    for (const downstreamContextId of ['from the first', 'from the second']) {
      const { record, delegations } = await hub.create({ contextId: 'c1' });
      const id = delegations[0]!.id;
      await hub.log.update(record.id, () =>
        change({ events: [], delegations: [{ id, downstreamContextId }] }),
      );
      await hub.clock.advance(1000);
    }
    expect(await contexts.downstream('c1', 'alice', 'a1')).toBe('from the first');
    expect(await contexts.downstream('c1', 'bob', 'a1')).toBeUndefined();
    await contexts.learn('c1', 'alice', 'a1', 'told');
    expect(await contexts.downstream('c1', 'alice', 'a1')).toBe('told');
  });

  it('can take part in another commit, and falls with it', async () => {
    const touch = contexts.touching(context());
    await expect(
      hub.database.write(function* (tx) {
        yield* touch(tx);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await contexts.get('c1', 'alice')).toBeUndefined();
    await hub.database.write(touch);
    expect(await contexts.get('c1', 'alice')).toEqual(context());
  });

  it('takes ids with text no column holds', async () => {
    const odd = context({ id: 'c\u0000\uD800' });
    await contexts.touch(odd);
    expect(await contexts.get(odd.id, 'alice')).toEqual(odd);
    await contexts.learn(odd.id, 'alice', 'a1', 'down\u0000');
    expect(await contexts.downstream(odd.id, 'alice', 'a1')).toBe('down');
  });
}
