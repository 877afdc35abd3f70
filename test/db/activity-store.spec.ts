import { expect, it } from '@jest/globals';
import { SqlActivityStore } from '../../src/observability/persistence/sql-activity.store.js';
import { TaskState } from '../../src/protocol/a2a.js';
import { SqlOpenWork } from '../../src/tasks/persistence/sql-open-work.js';
import { activityStoreContract } from '../contract/activity-store.contract.js';
import { TaskHarness } from '../contract/task-harness.js';
import { describeDatabases } from '../support/databases.js';
import { stepsOf } from '../support/query-plans.js';

describeDatabases('activity', (databases) => {
  activityStoreContract(async () => new SqlActivityStore(await databases.openEmptied()));

  it('reads what was counted of agents with what others did left alone, in pieces on SQLite', async () => {
    const database = await databases.openEmptied();
    const store = new SqlActivityStore(database);
    const agentIds = Array.from({ length: 200 }, (_, n) => `agent-${n}`);
    const query = { span: 1, kinds: ['calls', 'parts'], from: 0, to: 60 * 60_000 } as const;
    const reads = [
      () => store.read({ ...query, agentIds: ['agent-1'] }),
      () => store.read({ ...query, organization: 'acme' }),
      () => store.read({ ...query, agentIds }),
      () => store.points({ ...query, agentIds }),
      () => store.sums({ ...query, agentIds }),
      () => store.latest('conditions', 'agent-1', 1),
    ];
    if (database.dialect === 'postgres') {
      for (const read of reads) await read();
      return;
    }
    let turns = 0;
    const turn = (): void => void (turns++, (timer = setImmediate(turn)));
    let timer = setImmediate(turn);
    const pieces: number[] = [];
    for (const read of reads) {
      const before = turns;
      const steps = await stepsOf(database, read, ['activity']);
      const searches = steps.filter((step) => step.startsWith('SEARCH'));
      for (const step of searches)
        expect(step).toMatch(/kind=\? AND organization=\? AND agent_id=\?/);
      pieces.push(Math.min(searches.length, 1 + turns - before));
    }
    clearImmediate(timer);
    const [ofOne, ofOrganization, read, points, sums] = pieces;
    expect([ofOne, ofOrganization]).toEqual([1, 1]);
    for (const many of [read, points, sums]) expect(many).toBeGreaterThan(8);
  });
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
