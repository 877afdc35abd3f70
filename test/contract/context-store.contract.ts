import { beforeEach, describe, expect, it } from '@jest/globals';
import { SqlContextStore } from '../../src/tasks/persistence/sql-context.store.js';
import type { ContextStore, HubContext } from '../../src/tasks/store/context-store.js';
import type { TaskAggregate } from '../../src/tasks/task.js';
import type { DatabaseFactory } from '../support/databases.js';
import { BOB, change, newTask, TaskHarness } from './task-harness.js';

/** What the store of contexts promises. */
export function contextStoreContract(databases: DatabaseFactory): void {
  let hub: TaskHarness;
  let contexts: ContextStore;

  beforeEach(async () => {
    const database = await databases.openEmptied();
    hub = new TaskHarness(database);
    contexts = new SqlContextStore(database);
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
    const first = hub.clock.now();
    await hub.create({ contextId: 'c1', agents: ['a1'] });
    expect(await contexts.get('c1', 'alice')).toEqual(context({ lastUsedAt: first }));
    await hub.clock.advance(1000);
    const later = context({ affinity: ['a2', 'a3'], lastUsedAt: hub.clock.now() });
    await hub.create({ contextId: 'c1', agents: ['a2', 'a3'] });
    expect(await contexts.get('c1', 'alice')).toEqual(later);
  });

  it('keeps the same id of two principals apart', async () => {
    await hub.create({ contextId: 'c1', agents: ['a1'] });
    expect(await contexts.get('c1', 'bob')).toBeUndefined();
    await hub.create({ contextId: 'c1', agents: ['b'], principal: BOB });
    expect((await contexts.get('c1', 'alice'))?.affinity).toEqual(['a1']);
    expect((await contexts.get('c1', 'bob'))?.affinity).toEqual(['b']);
  });

  it('takes many tasks of one context in one commit: the last of them counts', async () => {
    await Promise.all(
      ['a1', 'a2', 'a3'].map((agent, n) => hub.create({ id: `t${n}`, agents: [agent] })),
    );
    expect(hub.participant.commits).toHaveLength(1);
    expect((await contexts.get('context-1', 'alice'))?.affinity).toEqual(['a3']);
  });

  it('writes the contexts of a commit in one order, whatever the order of its tasks', async () => {
    const order: unknown[] = [];
    const { database } = hub;
    const write = database.write.bind(database);
    database.write = (work) =>
      write(function* (tx) {
        const run = tx.run.bind(tx);
        const watched = Object.create(tx) as typeof tx;
        watched.run = (sql, params) => {
          if (sql.includes('INTO contexts'))
            order.push(...(params ?? []).filter((_, n) => n % 5 === 0));
          return run(sql, params);
        };
        return yield* work(watched);
      });
    await Promise.all(
      [
        ['1', 'X'],
        ['2', 'M'],
        ['3', 'A'],
      ].map(([id, contextId]) => hub.create({ id, contextId })),
    );
    database.write = write;
    expect(order).toEqual(['A', 'M', 'X']);
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
    expect(await contexts.downstream('c1', 'alice', 'a2')).toBeUndefined();
  });

  describe('when another agent takes over', () => {
    const takeOver = ({ record, delegations }: TaskAggregate, to: string): Promise<void> => {
      const { id } = delegations[0]!;
      const delegation = { id, agentId: to, agentName: to };
      return hub.log.update(record.id, () => change({ events: [], delegations: [delegation] }));
    };

    it('goes on with that one', async () => {
      const task = await hub.create({ contextId: 'c1', agents: ['f1', 'other'] });
      await hub.clock.advance(1000);
      await takeOver(task, 'f2');
      expect(await contexts.get('c1', 'alice')).toEqual(
        context({ affinity: ['f2', 'other'], lastUsedAt: task.record.createdAt }),
      );
    });

    it('knows it from a task that was read anew, too', async () => {
      const task = await hub.create({ contextId: 'c1', agents: ['f1'] });
      hub = hub.another();
      await takeOver(task, 'f2');
      expect((await contexts.get('c1', 'alice'))?.affinity).toEqual(['f2']);
    });

    it('stays with the agents of a newer task', async () => {
      const older = await hub.create({ contextId: 'c1', agents: ['f1'] });
      await hub.clock.advance(1000);
      const newer = hub.create({ contextId: 'c1', agents: ['n'] });
      await Promise.all([newer, takeOver(older, 'f2')]);
      await takeOver(older, 'f3');
      expect((await contexts.get('c1', 'alice'))?.affinity).toEqual(['n']);
    });
  });

  it('falls with the commit of its task', async () => {
    const task = newTask({ contextId: 'c1' });
    hub.participant.refuse.set(task.record.id, 1);
    await expect(hub.log.create(task)).rejects.toThrow('The task cannot be stored.');
    expect(await contexts.get('c1', 'alice')).toBeUndefined();
  });

  it('takes ids with text no column holds', async () => {
    await hub.create({ contextId: 'c\u0000\uD800' });
    expect((await contexts.get('c\u0000\uD800', 'alice'))?.affinity).toEqual(['a1']);
  });
}
