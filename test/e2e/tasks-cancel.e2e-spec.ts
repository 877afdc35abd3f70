import { afterEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import { TaskState, type Task } from '../../src/protocol/a2a.js';
import { FakeAgent, type FakeAgentOptions } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import { BOB, collect, HubTasks, statusText } from '../support/hub-tasks.js';

let hub: HubTasks;
afterEach(async () => {
  await hub.runner.stop();
  expect(hub.output.errors).toEqual([]);
  await hub.database.close();
});

const busy = (id = 'a', options: FakeAgentOptions = {}): FakeAgent =>
  new FakeAgent(id, (turn) => turn.working('busy'), options);

/** A task that its agents are working on. */
async function working(...agents: FakeAgent[]): Promise<Task> {
  hub = await HubTasks.start({ agents });
  const task = await hub.begin('go', {
    directive: { strategy: agents.length > 1 ? 'all' : 'one' },
  });
  await eventually(() => agents.forEach((agent) => agent.turn));
  return hub.until(task.id, TaskState.TASK_STATE_WORKING);
}

const cancel = (task: Task): Promise<Task> => hub.service.cancel(task.id, hub.request(''));

describe('CancelTask', () => {
  for (const streaming of [true, false]) {
    it(`cancels with the agent and reports it (${streaming ? 'streaming' : 'polling'})`, async () => {
      const agent = busy('a', { streaming });
      const task = await working(agent);
      const canceled = await cancel(task);
      expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
      expect(agent.calls.find(({ call }) => call === 'cancel')?.taskId).toBe(agent.turn.taskId);
    });
  }

  it('ends the streams of the task, also of an agent that never closes its own', async () => {
    const agent = busy('a', { version: '0.3' });
    const task = await working(agent);
    agent.onCancel = (downstream) => {
      downstream.status = {
        state: TaskState.TASK_STATE_CANCELED,
        message: undefined,
        timestamp: undefined,
      };
    };
    const stream = collect(hub.service.subscribe(task.id, hub.request('')));
    await cancel(task);
    expect((await stream).at(-1)).toBe('CANCELED');
  });

  it('ends at once what waits until its agent may be asked, and nothing is sent', async () => {
    const agent = busy('a', { budgets: { firstEventMs: 60_000 } });
    hub = await HubTasks.start({ agents: [agent] });
    let requested = 0;
    hub.admit = () => {
      requested += 1;
      return { kind: 'wait', waitMs: 0, why: 'is out of service' };
    };
    const [task, other] = [await hub.begin('go'), await hub.begin('go')];
    await eventually(() => expect(requested).toBeGreaterThan(4));
    expect(statusText(await cancel(task))).toBe('Canceled by the client.');
    // The other goes back to the queue.
    await hub.runner.stop();
    const left = (await hub.log.read(other.id, EVERYTHING))!.delegations[0]!;
    expect(left).toMatchObject({ state: 'queued', calls: 0, owner: null });
    expect(agent.turns).toEqual([]);
    expect(agent.called('cancel')).toBe(0);
  });

  it('reports what the agent finished first', async () => {
    const agent = busy();
    const task = await working(agent);
    agent.onCancel = () => agent.turn.completed('too late');
    expect((await cancel(task)).status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  it('is canceled at the hub when the agent is silent, and names it', async () => {
    const agent = busy();
    const task = await working(agent);
    agent.onCancel = 'silent';
    const canceled = await cancel(task);
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(statusText(canceled)).toMatch(/Agent a .*canceled at the hub/);
  });

  it('is canceled at the hub when the agent says yes and works on', async () => {
    const agent = busy();
    const task = await working(agent);
    agent.onCancel = 'working';
    expect(statusText(await cancel(task))).toMatch(/Agent a has not confirmed/);
  });

  it('is canceled at the hub when the agent refuses, with its reason', async () => {
    const agent = busy();
    const task = await working(agent);
    const detail = { code: -32002 };
    agent.refusals.set('cancel', { kind: 'rejected', message: 'no cancel of d-4711', detail });
    expect(statusText(await cancel(task))).toBe(
      'Agent a did not take the cancel: it refused the request (the task cannot be canceled, -32002); canceled at the hub.',
    );
    expect(hub.output.warnings).toMatchObject([
      { taskId: task.id, delegationId: expect.any(String), reason: 'no cancel of d-4711' },
    ]);
  });

  it.each([
    ['could not be reached', { kind: 'unreachable' }],
    ['answered HTTP 503', { kind: 'rejected', detail: { httpStatus: 503 } }],
  ] as const)('goes to an agent again that %s', async (message, refusal) => {
    const agent = busy();
    const task = await working(agent);
    agent.refusals.set('cancel', { ...refusal, message });
    expect(statusText(await cancel(task))).toBe(
      `Agent a did not take the cancel: it ${message}; canceled at the hub.`,
    );
    const delegation = async () => (await hub.log.read(task.id, EVERYTHING))!.delegations[0]!;
    await eventually(async () =>
      expect(await delegation()).toMatchObject({ cancelPending: true, owner: null }),
    );
    agent.refusals.clear();
    const delegations = [{ id: (await delegation()).id, leaseUntil: new Date(0) }];
    await hub.log.update(task.id, () => ({
      change: { events: [], delegations },
      result: undefined,
    }));
    const canceled = TaskState.TASK_STATE_CANCELED;
    await eventually(() => expect(agent.snapshot(agent.turn.taskId).status?.state).toBe(canceled));
    await eventually(async () =>
      expect(await delegation()).toMatchObject({ cancelPending: false, owner: null }),
    );
  });

  it('takes an agent that has not answered at all', async () => {
    const silent = new FakeAgent('a', () => undefined);
    hub = await HubTasks.start({ agents: [silent] });
    const task = await hub.begin('go');
    await eventually(() => silent.turn);
    expect(statusText(await cancel(task))).toMatch(/Agent a gave no answer/);
    expect(silent.called('cancel')).toBe(0);
  });

  it('cascades to all agents at once', async () => {
    const agents = ['a', 'b', 'c'].map((id) => busy(id));
    const task = await working(...agents);
    agents[1]!.onCancel = 'silent';
    const canceled = await cancel(task);
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(agents.map((agent) => agent.called('cancel'))).toEqual([1, 1, 1]);
  });

  it('of a task that waits for the client ends it, and tells the agent', async () => {
    const agent = new FakeAgent('a', (turn) => turn.ask('who?'));
    hub = await HubTasks.start({ agents: [agent] });
    const task = await hub.send('go');
    expect((await cancel(task)).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await eventually(() => expect(agent.called('cancel')).toBe(1));
  });

  it('may be asked for twice at once; on an ended task it is refused', async () => {
    const agent = busy();
    const task = await working(agent);
    agent.onCancel = 'silent';
    const both = await Promise.all([cancel(task), cancel(task)]);
    expect(both.map((each) => each.status?.state)).toEqual(
      Array(2).fill(TaskState.TASK_STATE_CANCELED),
    );
    expect(agent.called('cancel')).toBe(1);
    await expect(cancel(task)).rejects.toMatchObject({ reason: 'TASK_NOT_CANCELABLE' });
  });

  it('with large metadata is refused and reaches no agent', async () => {
    const agent = busy();
    const task = await working(agent);
    const metadata = { why: 'x'.repeat(100_000) };
    await expect(hub.service.cancel(task.id, hub.request(''), metadata)).rejects.toMatchObject({
      reason: 'INVALID_PARAMS',
      violations: [{ field: 'metadata' }],
    });
    const record = await hub.store.record(task.id, EVERYTHING);
    expect(record?.cancelRequestedAt).toBeNull();
    expect(agent.called('cancel')).toBe(0);
  });

  it('of a stranger, or of another agent than the binding names, finds no task', async () => {
    const task = await working(busy());
    for (const call of [{ principal: BOB }, { agentId: 'b' }]) {
      await expect(hub.service.cancel(task.id, hub.request('', call))).rejects.toMatchObject({
        reason: 'TASK_NOT_FOUND',
      });
    }
  });

  it('is final: a late completion changes nothing', async () => {
    const agent = busy();
    const task = await working(agent);
    await cancel(task);
    agent.turn.chunk('late');
    agent.turn.completed('late');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await hub.get(task.id)).toMatchObject({
      status: { state: TaskState.TASK_STATE_CANCELED },
      artifacts: [],
    });
  });

  it('reaches a delegation before its message has left', async () => {
    const agent = busy();
    hub = await HubTasks.start({ agents: [agent], config: { tasks: { maxConcurrent: 1 } } });
    await hub.begin('first');
    await eventually(() => agent.turn);
    const queued = await hub.begin('second');
    expect((await cancel(queued)).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(agent.turns).toHaveLength(1);
  });
});
