import { expect, it } from '@jest/globals';
import { TaskState } from '../../src/protocol/a2a.js';
import { SqlTaskBacklog } from '../../src/tasks/persistence/sql-task-backlog.js';
import type { OpenState } from '../../src/tasks/store/task-backlog.js';
import { chunk, COMPLETED, status, TaskHarness, WORKING } from '../contract/task-harness.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('TaskBacklog', (databases) => {
  const before = (time: Date): Record<OpenState, Date> => ({
    [TaskState.TASK_STATE_SUBMITTED]: time,
    [TaskState.TASK_STATE_WORKING]: time,
    [TaskState.TASK_STATE_INPUT_REQUIRED]: time,
    [TaskState.TASK_STATE_AUTH_REQUIRED]: time,
  });

  it('counts open tasks by state, and tells the oldest and those that are silent', async () => {
    const hub = new TaskHarness(await databases.openEmptied());
    const backlog = new SqlTaskBacklog(hub.database);
    const begun = hub.clock.now();
    const working = async (): Promise<string> => {
      const { record } = await hub.create();
      await hub.append(record.id, status(WORKING, hub.clock.now()));
      return record.id;
    };
    await hub.create();
    const silent = await working();
    const speaking = await working();
    const ended = await working();
    await hub.append(ended, status(COMPLETED, hub.clock.now()));
    await hub.clock.advance(60_000);
    // An artifact is no status: the time of that stays.
    await hub.append(speaking, chunk('news'));
    const found = await backlog.read(before(hub.clock.now()));
    expect(found).toEqual([
      { state: TaskState.TASK_STATE_SUBMITTED, count: 1, oldestAt: begun, silent: 1 },
      { state: TaskState.TASK_STATE_WORKING, count: 2, oldestAt: begun, silent: 1 },
      { state: TaskState.TASK_STATE_INPUT_REQUIRED, count: 0, oldestAt: null, silent: 0 },
      { state: TaskState.TASK_STATE_AUTH_REQUIRED, count: 0, oldestAt: null, silent: 0 },
    ]);
    await hub.append(silent, chunk('news'));
    const [, working2] = await backlog.read(before(hub.clock.now()));
    expect(working2).toMatchObject({ count: 2, silent: 0 });
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
  });
});
