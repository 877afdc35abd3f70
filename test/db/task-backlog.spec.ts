import { expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import { loadConfig } from '../../src/config/load-config.js';
import { TaskState } from '../../src/protocol/a2a.js';
import { SqlTaskBacklog } from '../../src/tasks/persistence/sql-task-backlog.js';
import { SqlStuckTasks } from '../../src/tasks/persistence/sql-stuck-tasks.js';
import { stuckSince } from '../../src/tasks/store/stuck-tasks.js';
import type { TaskSearch } from '../../src/tasks/store/task-store.js';
import {
  chunk,
  COMPLETED,
  EVE,
  status,
  TaskHarness,
  type TaskOptions,
  WORKING,
} from '../contract/task-harness.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('TaskBacklog', (databases) => {
  it('counts open tasks by state, and gives the oldest', async () => {
    const hub = new TaskHarness(await databases.openEmptied());
    const backlog = new SqlTaskBacklog(hub.database);
    const begun = hub.clock.now();
    const working = async (): Promise<string> => {
      const { record } = await hub.create();
      await hub.append(record.id, status(WORKING, hub.clock.now()));
      return record.id;
    };
    await hub.create();
    await working();
    await working();
    const ended = await working();
    await hub.append(ended, status(COMPLETED, hub.clock.now()));
    const found = await backlog.read();
    expect(found).toEqual([
      { state: TaskState.TASK_STATE_SUBMITTED, count: 1, oldestAt: begun },
      { state: TaskState.TASK_STATE_WORKING, count: 2, oldestAt: begun },
      { state: TaskState.TASK_STATE_INPUT_REQUIRED, count: 0, oldestAt: null },
      { state: TaskState.TASK_STATE_AUTH_REQUIRED, count: 0, oldestAt: null },
    ]);
  });
});

describeDatabases('StuckTasks', (databases) => {
  const config = loadConfig({});
  const { stuckQueuedMs, stuckSilentMs } = config.tasks;

  async function begin() {
    const hub = new TaskHarness(await databases.openEmptied());
    const stuck = new SqlStuckTasks(hub.database, hub.clock, config);
    const listed = async (search: TaskSearch = {}): Promise<string[]> => {
      const since = stuckSince(config.tasks, hub.clock.now());
      const wanted = { ...search, stuckSince: since };
      const { tasks } = await hub.store.search(wanted, EVERYTHING, 10, null);
      return tasks.map(({ record }) => record.id);
    };
    const named = async (organization: string | null = null, most = 10): Promise<string[]> =>
      (await stuck.longest(organization, most)).map(({ id }) => id);
    const make = async (options: TaskOptions = {}, state?: TaskState): Promise<string> => {
      await hub.clock.advance(1000);
      const { record } = await hub.create(options);
      if (state !== undefined) await hub.append(record.id, status(state, hub.clock.now()));
      return record.id;
    };
    return { hub, stuck, listed, named, make };
  }

  it('counts, names and lists the same: what no agent begins, and what is silent', async () => {
    const { hub, stuck, listed, named, make } = await begin();
    const working = await make({}, WORKING);
    const speaking = await make({}, WORKING);
    const queued = await make();
    await make({}, TaskState.TASK_STATE_INPUT_REQUIRED);
    await make({}, COMPLETED);
    expect(await stuck.count(null)).toEqual({ submitted: 0, working: 0, isLeast: false });
    expect([await named(), await listed()]).toEqual([[], []]);
    await hub.clock.advance(stuckQueuedMs);
    expect(await stuck.count(null)).toEqual({ submitted: 1, working: 0, isLeast: false });
    expect([await named(), await listed()]).toEqual([[queued], [queued]]);
    await hub.clock.advance(stuckSilentMs - stuckQueuedMs);
    // An artifact is no status: the time of that stays.
    await hub.append(speaking, chunk('news'));
    expect(await stuck.count(null)).toEqual({ submitted: 1, working: 1, isLeast: false });
    expect([await named(), await listed()]).toEqual([
      [working, queued],
      [queued, working],
    ]);
    expect(await named(null, 1)).toEqual([working]);
    await hub.append(working, chunk('news'));
    expect(await listed()).toEqual([queued]);
  });

  it('keeps to an organization, and to what else is searched for', async () => {
    const { hub, stuck, listed, named, make } = await begin();
    const mine = await make({ agents: ['x'] }, WORKING);
    const theirs = await make({ principal: EVE });
    await hub.clock.advance(stuckSilentMs);
    expect(await stuck.count('evil')).toEqual({ submitted: 1, working: 0, isLeast: false });
    expect([await named('evil'), await named('acme')]).toEqual([[theirs], [mine]]);
    expect(await named('no\u0000thing')).toEqual([]);
    expect(await listed({ organization: 'evil' })).toEqual([theirs]);
    expect(await listed({ states: [WORKING] })).toEqual([mine]);
    for (const search of [{}, { text: mine }, { agentId: 'x' }]) {
      expect(await listed({ ...search, states: [COMPLETED] })).toEqual([]);
    }
    expect(await listed({ text: mine })).toEqual([mine]);
    expect(await listed({ agentId: 'x' })).toEqual([mine]);
    expect(await listed({ statusBefore: new Date(0) })).toEqual([]);
  });

  it('reads no more than the beginning of an index', async () => {
    const { database } = new TaskHarness(await databases.openEmptied());
    if (database.dialect !== 'sqlite') return;
    const plan = await database.read<{ detail: string }>(
      'EXPLAIN QUERY PLAN SELECT updated_at FROM tasks WHERE state = 2 AND status_at < 9 ORDER BY status_at LIMIT 1000',
    );
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(
        /^SEARCH tasks USING INDEX tasks_state_idx \(state=\? AND status_at<\?\)$/,
      ),
    ]);
    const own = await database.read<{ detail: string }>(
      'EXPLAIN QUERY PLAN SELECT updated_at FROM tasks WHERE organization = 1 AND state = 2 AND status_at < 9 ORDER BY status_at LIMIT 1000',
    );
    expect(own.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('USING INDEX tasks_organization_idx (organization=? AND state=? AND'),
    ]);
  });
});
