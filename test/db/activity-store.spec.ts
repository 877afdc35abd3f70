import { expect, it } from '@jest/globals';
import { SqlActivityStore } from '../../src/observability/persistence/sql-activity.store.js';
import { TaskState } from '../../src/protocol/a2a.js';
import { SqlOpenWork } from '../../src/tasks/persistence/sql-open-work.js';
import { activityStoreContract } from '../contract/activity-store.contract.js';
import { TaskHarness } from '../contract/task-harness.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('activity', (databases) => {
  activityStoreContract(async () => new SqlActivityStore(await databases.openEmptied()));
});

describeDatabases('open work', (databases) => {
  const { TASK_STATE_SUBMITTED: SUBMITTED, TASK_STATE_WORKING: WORKING } = TaskState;

  it('counts the tasks of a state, of all or of one organization, up to a limit', async () => {
    const database = await databases.openEmptied();
    const hub = new TaskHarness(database);
    const work = new SqlOpenWork(database);
    for (let n = 0; n < 3; n++) await hub.create();
    expect(await work.inState(SUBMITTED, null, 10)).toBe(3);
    expect(await work.inState(SUBMITTED, null, 2)).toBe(2);
    expect(await work.inState(SUBMITTED, 'acme', 10)).toBe(3);
    expect(await work.inState(SUBMITTED, 'other', 10)).toBe(0);
    expect(await work.inState(WORKING, null, 10)).toBe(0);
  });

  it('knows since when the first of some queues waits', async () => {
    const database = await databases.openEmptied();
    const hub = new TaskHarness(database);
    const work = new SqlOpenWork(database);
    expect(await work.oldestQueued([])).toBeNull();
    const { record } = await hub.create();
    const first = hub.clock.now();
    await hub.clock.advance(60_000);
    await hub.create();
    const [{ agentId }] = (await hub.load(record.id)).delegations as unknown as [
      { agentId: string },
    ];
    expect(await work.oldestQueued([{ agentId, organization: 'acme' }])).toEqual(first);
    const both = [
      { agentId: 'none', organization: 'acme' },
      { agentId, organization: 'acme' },
    ];
    expect(await work.oldestQueued(both)).toEqual(first);
    expect(await work.oldestQueued([{ agentId, organization: 'other' }])).toBeNull();
    await hub.store.claim('p1', hub.clock.now(), 1000, 100);
    expect(await work.oldestQueued(both)).toBeNull();
  });
});
