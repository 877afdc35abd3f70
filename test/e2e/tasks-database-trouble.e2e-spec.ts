import { afterEach, describe, expect, it } from '@jest/globals';
import { TaskState } from '../../src/protocol/a2a.js';
import { FakeAgent } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import { artifactTexts, HubTasks } from '../support/hub-tasks.js';

let hub: HubTasks;
afterEach(async () => {
  await hub.runner.stop();
  await hub.database.close();
});

type Read = 'version' | 'open' | 'load';

/** The next `times` reads of a task by this process fail, as on a disk that does not answer. */
function failReads({ store }: HubTasks, times: number, names: readonly Read[]): () => number {
  let left = times;
  for (const name of names) {
    const read = store[name].bind(store) as (...all: unknown[]) => Promise<never>;
    store[name] = (...all: unknown[]): Promise<never> => {
      if (left === 0) return read(...all);
      left -= 1;
      return Promise.reject(Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' }));
    };
  }
  return () => left;
}

describe('a database that cannot be read for a moment', () => {
  it('puts back what has not been sent, and no agent is blamed', async () => {
    const agent = new FakeAgent('a', (turn) => turn.completed('done'));
    hub = await HubTasks.start({ agents: [agent], worker: false });
    const { id } = await hub.begin('go');
    hub = await hub.successor({ worker: false });
    const left = failReads(hub, 2, ['version', 'open', 'load']);
    await hub.runner.start();
    await eventually(() => expect(left()).toBe(0));
    await eventually(() => expect(agent.turns).toHaveLength(1), 10_000);
    await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    expect(hub.output.errors).not.toEqual([]);
  });

  it('leaves what an agent works on to whoever takes it over', async () => {
    const agent = new FakeAgent('a', (turn) => turn.working());
    hub = await HubTasks.start({
      agents: [agent],
      config: { tasks: { leaseMs: 1000 } },
      soleProcess: true,
    });
    const { id } = await hub.begin('go');
    await hub.until(id, TaskState.TASK_STATE_WORKING);
    const left = failReads(hub, 1, ['open']);
    // It is forgotten only while nothing of it is under way.
    await eventually(() => {
      hub.log.forget([id]);
      agent.turn.chunk('result', { append: false });
      expect(left()).toBe(0);
    });
    agent.turn.completed('done');
    const done = await eventually(async () => {
      const task = await hub.get(id);
      expect(task.status?.state).not.toBe(TaskState.TASK_STATE_WORKING);
      return task;
    }, 10_000);
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(artifactTexts(done)).toEqual(['result']);
    expect(agent.turns).toHaveLength(1);
  });
});
