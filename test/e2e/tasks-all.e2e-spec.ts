import { afterEach, describe, expect, it } from '@jest/globals';
import { TaskState } from '../../src/protocol/a2a.js';
import { FakeAgent, type FakeAgentOptions } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import { artifactTexts, HubTasks, statusText } from '../support/hub-tasks.js';

let hub: HubTasks;
afterEach(async () => {
  await hub.runner.stop();
  await hub.cleanup.stop();
  expect(hub.output.errors).toEqual([]);
  await hub.database.close();
});

async function start(...agents: FakeAgent[]): Promise<void> {
  hub = await HubTasks.start({ agents });
}

const worker = (id: string, options: FakeAgentOptions = {}): FakeAgent =>
  new FakeAgent(
    id,
    (turn) => {
      turn.working();
      turn.chunk(`from ${id}`, { last: true });
      turn.completed();
    },
    options,
  );
const failing = (id: string): FakeAgent =>
  new FakeAgent(id, (turn) => turn.status(TaskState.TASK_STATE_FAILED, `${id} broke`));
const busy = (id: string): FakeAgent => new FakeAgent(id, (turn) => turn.working());

const ALL = { directive: { strategy: 'all' } } as const;
const BEST_EFFORT = { directive: { strategy: 'all', require: 'best-effort' } } as const;

describe('a task for all agents', () => {
  it('merges the artifacts of all, each with its origin', async () => {
    await start(worker('a'), worker('b', { streaming: false }), worker('c', { version: '0.3' }));
    const task = await hub.send('go', ALL);
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(artifactTexts(task).sort()).toEqual(['from a', 'from b', 'from c']);
    expect(new Set(task.artifacts.map(({ artifactId }) => artifactId)).size).toBe(3);
    expect(JSON.stringify(task.artifacts[0]?.metadata)).toContain('delegationId');
  });

  it('fails when one of the required ones does, and cancels the rest', async () => {
    const slow = busy('slow');
    const bad = new FakeAgent('bad', () => undefined);
    await start(slow, bad);
    const pending = hub.send('go', ALL);
    await eventually(() => [slow.turn, bad.turn]);
    await eventually(async () => {
      const { tasks } = await hub.service.list({}, hub.request(''));
      expect(tasks[0]?.status?.state).toBe(TaskState.TASK_STATE_WORKING);
    });
    bad.turn.status(TaskState.TASK_STATE_FAILED, 'bad broke');
    const task = await pending;
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(statusText(task)).toContain('bad broke');
    await eventually(() => expect(slow.called('cancel')).toBe(1));
  });

  it('completes on best effort and names who is missing', async () => {
    await start(worker('a'), failing('b'));
    const task = await hub.send('go', BEST_EFFORT);
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(artifactTexts(task)).toEqual(['from a']);
    expect(statusText(task)).toContain('Agent b');
  });

  it('takes a Message of one of several as its artifact', async () => {
    await start(worker('a'), new FakeAgent('b', (turn) => turn.reply('said b')));
    expect(artifactTexts(await hub.send('go', ALL)).sort()).toEqual(['from a', 'said b']);
  });

  it('cancels what still runs at its deadline, and says so', async () => {
    const slow = busy('slow');
    await start(worker('a'), slow);
    hub.cleanup.start();
    const task = await hub.send('go', {
      directive: { strategy: 'all', require: 'best-effort', deadlineSeconds: 0.1 },
    });
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(statusText(task)).toContain('Agent slow');
    await eventually(() => expect(slow.called('cancel')).toBe(1));
  });
});
