import { afterEach, describe, expect, it } from '@jest/globals';
import { TaskState } from '../../src/protocol/a2a.js';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { FakeAgent } from '../support/fake-agents.js';
import { HubTasks, statusText } from '../support/hub-tasks.js';

const WAITS = [TaskState.TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_AUTH_REQUIRED];

describe.each([
  ['JSONRPC', '1.0'],
  ['JSONRPC', '0.3'],
  ['HTTP+JSON', '1.0'],
  ['HTTP+JSON', '0.3'],
  ['GRPC', '1.0'],
  ['GRPC', '0.3'],
] as const)('an agent over %s %s that has lost a task which waits', (binding, version) => {
  let hub: Hub | undefined;
  let agent: RunningAgent | undefined;
  afterEach(async () => {
    await hub?.close();
    await agent?.close();
  });

  it('ends it as one that it works on: AGENT_LOST_TASK', async () => {
    let wait = WAITS[0]!;
    agent = await startSdkAgent({
      binding,
      version,
      // With a stream that stays open there is nothing to ask.
      streaming: false,
      execute: (turn) => void turn.task().status(wait, 'which?'),
    });
    const config = { agents: { pollMinMs: 20, pollMaxMs: 50 } };
    hub = await startHub({ config });
    await hub.registerAgent(agent.url, { id: 'a' });
    const ids: unknown[] = [];
    for (wait of WAITS) {
      const { id } = await hub.submit('go', { tenant: 'a' });
      await hub.waitForTask(String(id), TaskState[wait]);
      ids.push(id);
    }
    agent.forget();
    await eventually(async () => {
      for (const id of ids) {
        const { body } = await hub!.admin('GET', `/api/v1/tasks/${String(id)}`);
        expect(body).toMatchObject({ state: 'failed', reason: 'AGENT_LOST_TASK' });
        expect(body.delegations[0]).toMatchObject({
          state: 'failed',
          reason: expect.stringMatching(/ does not know its task any more\.$/),
          trouble: { kind: 'not-found' },
        });
      }
    }, 20_000);
  }, 60_000);
});

describe('a task that waits for input', () => {
  let hub: HubTasks;
  let agent: FakeAgent;
  afterEach(async () => {
    await hub.runner.stop();
    expect(hub.output.errors).toEqual([]);
    await hub.database.close();
  });

  async function ask(): Promise<Awaited<ReturnType<HubTasks['send']>>> {
    agent = new FakeAgent('a', (turn) => {
      if (turn.text === 'go') return turn.ask('who?');
      turn.working();
      return turn.completed(`hello ${turn.text}`);
    });
    hub = await HubTasks.start({ agents: [agent] });
    return hub.send('go');
  }

  it('is given up after three such answers in a row, and not before', async () => {
    const task = await ask();
    agent.refusals.set('getTask', { kind: 'not-found', message: 'Task not found' });
    const failed = await eventually(async () => {
      const found = await hub.get(task.id);
      expect(found.status?.state).toBe(TaskState.TASK_STATE_FAILED);
      return found;
    });
    expect(statusText(failed)).toBe('Agent a does not know its task any more.');
    expect(agent.called('getTask')).toBe(3);
  });

  it('goes on when the agent knows it again, or cannot be reached, and is answered', async () => {
    const task = await ask();
    for (const [kind, times] of [
      ['not-found', 2],
      ['unreachable', 4],
      ['not-found', 2],
    ] as const) {
      let left: number = times;
      agent.refusals.set('getTask', {
        kind,
        message: 'no',
        get once() {
          return --left === 0;
        },
      });
      await eventually(() => expect(agent.refusals.size).toBe(0));
      const refused = agent.called('getTask');
      await eventually(() => expect(agent.called('getTask')).toBeGreaterThan(refused));
    }
    expect((await hub.get(task.id)).status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect((await hub.reply(task, 'Ann')).status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  });
});
