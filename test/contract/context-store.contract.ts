import { beforeEach, describe, expect, it } from '@jest/globals';
import { SqlContextStore } from '../../src/tasks/persistence/sql-context.store.js';
import type { ContextStore } from '../../src/tasks/store/context-store.js';
import type { UsageOwner } from '../../src/tasks/store/usage.js';
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

  const affinity = (id: string, principalId = 'alice', since = new Date(0)): Promise<unknown> =>
    contexts.affinity(id, { principalId, organization: 'acme' }, since);

  let registrations = [new Date()];
  const downstream = (agentId: string, owner: Partial<UsageOwner> = {}): Promise<unknown> => {
    const whose = { principalId: 'alice', organization: 'acme', ...owner };
    return contexts.downstream('c1', whose, agentId, registrations);
  };

  it('prefers the agents of the newest task', async () => {
    expect(await affinity('c1')).toEqual([]);
    await hub.create({ contextId: 'c1', agents: ['a1'] });
    expect(await affinity('c1')).toEqual(['a1']);
    await hub.clock.advance(1000);
    await hub.create({ contextId: 'c1', agents: ['a2', 'a3'] });
    expect(await affinity('c1')).toEqual(['a2', 'a3']);
  });

  it('forgets what began before the time that is asked for', async () => {
    await hub.create({ contextId: 'c1', agents: ['a1'] });
    const began = hub.clock.now();
    expect(await affinity('c1', 'alice', began)).toEqual(['a1']);
    expect(await affinity('c1', 'alice', new Date(began.getTime() + 1))).toEqual([]);
  });

  it('knows nothing of what the principal did for another organization', async () => {
    await hub.create({ contextId: 'c1', agents: ['a1'] });
    const elsewhere = { principalId: 'alice', organization: 'elsewhere' };
    expect(await contexts.affinity('c1', elsewhere, new Date(0))).toEqual([]);
  });

  it('keeps the same id of two principals apart', async () => {
    await hub.create({ contextId: 'c1', agents: ['a1'] });
    expect(await affinity('c1', 'bob')).toEqual([]);
    await hub.create({ contextId: 'c1', agents: ['b'], principal: BOB });
    expect(await affinity('c1')).toEqual(['a1']);
    expect(await affinity('c1', 'bob')).toEqual(['b']);
  });

  it('takes many tasks of one context in one commit: the last of them counts', async () => {
    await Promise.all(
      ['a1', 'a2', 'a3'].map((agent, n) => hub.create({ id: `t${n}`, agents: [agent] })),
    );
    expect(hub.participant.commits).toHaveLength(1);
    expect(await affinity('context-1')).toEqual(['a3']);
  });

  it('knows what the oldest delegation to an agent in this context has learned', async () => {
    registrations = [];
    for (const downstreamContextId of ['from the first', 'from the second']) {
      const { record, delegations } = await hub.create({ contextId: 'c1' });
      registrations.push(delegations[0]!.agentSince!);
      const id = delegations[0]!.id;
      await hub.log.update(record.id, () =>
        change({ events: [], delegations: [{ id, downstreamContextId }] }),
      );
      await hub.clock.advance(1000);
    }
    expect(await downstream('a1')).toBe('from the first');
    // The first was of another agent that had the id.
    registrations.shift();
    expect(await downstream('a1')).toBe('from the second');
    registrations = [new Date(1)];
    expect(await downstream('a1')).toBeUndefined();
    expect(await downstream('a2')).toBeUndefined();
    expect(await downstream('a1', { principalId: 'bob' })).toBeUndefined();
    expect(await downstream('a1', { organization: 'elsewhere' })).toBeUndefined();
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
      expect(await affinity('c1')).toEqual(['f2', 'other']);
    });

    it('knows it from a task that was read anew, too', async () => {
      const task = await hub.create({ contextId: 'c1', agents: ['f1'] });
      hub = hub.another();
      await takeOver(task, 'f2');
      expect(await affinity('c1')).toEqual(['f2']);
    });

    it('stays with the agents of a newer task', async () => {
      const older = await hub.create({ contextId: 'c1', agents: ['f1'] });
      await hub.clock.advance(1000);
      const newer = hub.create({ contextId: 'c1', agents: ['n'] });
      await Promise.all([newer, takeOver(older, 'f2')]);
      await takeOver(older, 'f3');
      expect(await affinity('c1')).toEqual(['n']);
    });
  });

  it('says nothing of a task whose commit was refused', async () => {
    const task = newTask({ contextId: 'c1' });
    hub.participant.refuse.set(task.record.id, 1);
    await expect(hub.log.create(task)).rejects.toThrow('The task cannot be stored.');
    expect(await affinity('c1')).toEqual([]);
  });

  it('takes ids with text no column holds', async () => {
    await hub.create({ contextId: 'c\u0000\uD800' });
    expect(await affinity('c\u0000\uD800')).toEqual(['a1']);
  });
}
