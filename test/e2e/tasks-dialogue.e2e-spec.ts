import { afterEach, describe, expect, it } from '@jest/globals';
import { TaskState } from '../../src/protocol/a2a.js';
import { agentMessage, statusUpdate } from '../../src/protocol/build.js';
import { FakeAgent, type Turn } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import {
  artifactTexts,
  BOB,
  collect,
  HubTasks,
  statusText,
  userMessage,
} from '../support/hub-tasks.js';

let hub: HubTasks;
afterEach(async () => {
  await hub.runner.stop();
  expect(hub.output.errors).toEqual([]);
  await hub.database.close();
});

async function start(...agents: FakeAgent[]): Promise<void> {
  hub = await HubTasks.start({ agents });
}

/** The agent's word that its task is completed. */
const finished = (taskId: string): ReturnType<typeof statusUpdate> => {
  const ref = { taskId, contextId: '' };
  const word = agentMessage('m-end', ref, 'done without');
  return statusUpdate(ref, TaskState.TASK_STATE_COMPLETED, new Date(), word);
};

/** Asks for a name, then greets. */
const greeter = (id = 'a', options = {}): FakeAgent =>
  new FakeAgent(
    id,
    (turn) => {
      if (turn.text === 'go') return turn.ask(`${id} asks: who?`);
      turn.working();
      turn.chunk(`hello ${turn.text}`, { last: true });
      return turn.completed();
    },
    options,
  );

describe('input-required through the hub and back', () => {
  for (const streaming of [true, false]) {
    it(`goes to the same task of the agent (${streaming ? 'streaming' : 'polling'})`, async () => {
      const agent = greeter('a', { streaming });
      await start(agent);
      const requested = await hub.send('go');
      expect(requested.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      expect(statusText(requested)).toBe('a asks: who?');
      const done = await hub.reply(requested, 'Ann');
      expect(done.id).toBe(requested.id);
      expect(artifactTexts(done)).toEqual(['hello Ann']);
      const [first, second] = agent.turns;
      expect(second?.send.message).toMatchObject({
        taskId: first?.taskId,
        contextId: first?.contextId,
      });
    });
  }

  it('streams the rest after the answer', async () => {
    await start(greeter());
    const requested = await hub.send('go');
    const request = hub.request('Ann', { message: { taskId: requested.id } });
    const items = await collect(hub.service.sendStream(request));
    expect(items[0]).toBe('task WORKING');
    expect(items.slice(-2)).toEqual(['artifact hello Ann', 'COMPLETED']);
  });

  it('adds the same answer once while it is being worked on', async () => {
    const agent = new FakeAgent('a', (turn) =>
      turn.text === 'go' ? turn.ask('who?') : turn.working(),
    );
    await start(agent);
    const requested = await hub.send('go');
    const answer = { ...userMessage('Ann'), taskId: requested.id };
    const options = { returnImmediately: true, message: answer };
    await hub.send('Ann', options);
    await hub.send('Ann', options);
    await eventually(() => expect(agent.turns).toHaveLength(2));
    await hub.send('Ann', options);
    expect((await hub.kinds(requested.id)).filter((kind) => kind === 'message')).toHaveLength(2);
  });

  it.each([
    ['away', { kind: 'unreachable' }],
    ['busy', { kind: 'rejected', detail: { httpStatus: 503 } }],
  ] as const)('asks the agent again when it was %s for a moment', async (message, refusal) => {
    const agent = greeter();
    await start(agent);
    const requested = await hub.send('go');
    agent.refusals.set('stream', { ...refusal, message, once: true });
    expect(artifactTexts(await hub.reply(requested, 'Ann'))).toEqual(['hello Ann']);
  });

  for (const streaming of [true, false]) {
    const call = streaming ? 'stream' : 'send';

    it(`takes the end of a task that its agent has just ended and adds nothing to (${call})`, async () => {
      const agent = greeter('a', { streaming });
      await start(agent);
      const requested = await hub.send('go');
      // Ended behind the hub's back: nothing tells it, and it has not looked again.
      agent.store(agent.turn.taskId, finished(agent.turn.taskId));
      agent.refusals.set(call, { kind: 'rejected', message: 'the task is terminal' });
      const done = await hub.reply(requested, 'Ann');
      expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      expect(statusText(done)).toBe('done without');
      expect(agent.called('cancel')).toBe(0);
    });
  }

  it('fails when its agent refuses the answer and its task has not ended, or is gone', async () => {
    const agent = greeter();
    await start(agent);
    for (const isGone of [false, true]) {
      const requested = await hub.send('go');
      if (isGone) agent.refusals.set('getTask', { kind: 'not-found', message: 'Task not found' });
      agent.refusals.set('stream', { kind: 'rejected', message: 'not that', once: true });
      const before = agent.called('getTask');
      const failed = await hub.reply(requested, 'Ann');
      expect(failed.status?.state).toBe(TaskState.TASK_STATE_FAILED);
      expect(statusText(failed)).toContain('refused');
      expect(agent.called('getTask')).toBeGreaterThan(before);
    }
  });

  it('follows an agent that opens another task for every message', async () => {
    const agent = greeter();
    await start(agent);
    const requested = await hub.send('go');
    agent.script = (turn) => {
      const other = agent.begin({ ...turn.send, message: { ...turn.send.message, taskId: '' } });
      turn.emit({ payload: { $case: 'task', value: agent.snapshot(other.taskId) } }, false);
      turn.close();
      agent.script = () => undefined;
    };
    agent.script = ((original) => (turn) => {
      agent.script = () => undefined;
      original(turn);
    })(agent.script);
    await hub.reply(requested, 'Ann', { returnImmediately: true });
    await eventually(() => expect(agent.turns).toHaveLength(3));
    agent.turn.completed('from the other task');
    const done = await hub.until(requested.id, TaskState.TASK_STATE_COMPLETED);
    expect(statusText(done)).toBe('from the other task');
    // The task before waits for nobody any more.
    const [first] = agent.turns;
    await eventually(() =>
      expect(agent.snapshot(first!.taskId).status?.state).toBe(TaskState.TASK_STATE_CANCELED),
    );
    expect(statusText(await hub.get(requested.id))).toBe('from the other task');
  });
});

describe('an agent that opens another task for a further message, and does not begin with it', () => {
  /** It asks in its first task; what `goOn` does for the second one is all that the stream of the answer brings. */
  async function inAnotherTask(goOn: (other: Turn, stream: Turn) => void) {
    const agent: FakeAgent = new FakeAgent('a', (turn) => {
      if (turn.text === 'go') return turn.ask('who?');
      agent.script = () => undefined;
      const message = { ...turn.send.message, taskId: '' };
      return goOn(agent.begin({ ...turn.send, message }), turn);
    });
    await start(agent);
    const { id } = await hub.send('go');
    await hub.send('Ann', { returnImmediately: true, message: { taskId: id } });
    await eventually(() => expect(agent.turns).toHaveLength(3));
    return { id, agent };
  }

  /** A status of the second task, on the stream of the answer. */
  function say({ agent, taskId, contextId }: Turn, stream: Turn, state: TaskState): void {
    const ref = { taskId, contextId };
    const payload = statusUpdate(ref, state, new Date(), agentMessage('m', ref, 'which Ann?'));
    agent.store(taskId, payload);
    stream.emit({ payload }, false);
  }

  it('is asked for that one when its stream breaks off', async () => {
    const { id, agent } = await inAnotherTask((other, stream) => {
      say(other, stream, TaskState.TASK_STATE_WORKING);
      stream.cut();
    });
    agent.turn.completed('from the other task');
    const done = await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    expect(statusText(done)).toBe('from the other task');
  });

  it('is watched there while it asks again', async () => {
    const { id, agent } = await inAnotherTask((other, stream) => {
      say(other, stream, TaskState.TASK_STATE_INPUT_REQUIRED);
      stream.close();
    });
    await eventually(async () => expect(statusText(await hub.get(id))).toBe('which Ann?'));
    agent.turn.completed('never mind');
    const done = await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    expect(statusText(done)).toBe('never mind');
  });

  it('is canceled there', async () => {
    const { id, agent } = await inAnotherTask((other, stream) =>
      say(other, stream, TaskState.TASK_STATE_WORKING),
    );
    await eventually(async () => expect(statusText(await hub.get(id))).toBe('which Ann?'));
    const canceled = await hub.service.cancel(id, hub.request(''));
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const cancels = agent.calls.filter(({ call }) => call === 'cancel');
    expect(cancels.map(({ taskId }) => taskId)).toContain(agent.turn.taskId);
  });
});

describe('a follow-up is refused', () => {
  it("on a finished task, an unknown one and a stranger's", async () => {
    await start(greeter());
    const done = await hub.reply(await hub.send('go'), 'Ann');
    await expect(hub.reply(done, 'more')).rejects.toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
    });
    const unknown = { message: { taskId: 'unknown' } };
    await expect(hub.send('x', unknown)).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
    await expect(hub.reply(done, 'x', { principal: BOB })).rejects.toMatchObject({
      reason: 'TASK_NOT_FOUND',
      message: 'Task not found',
    });
  });

  it('when its context is another one, or the binding names another agent', async () => {
    await start(greeter());
    const requested = await hub.send('go');
    const wrong = { message: { taskId: requested.id, contextId: 'other' } };
    await expect(hub.send('x', wrong)).rejects.toMatchObject({ reason: 'INVALID_PARAMS' });
    await expect(hub.reply(requested, 'x', { agentId: 'b' })).rejects.toMatchObject({
      reason: 'TASK_NOT_FOUND',
    });
  });
});

describe('several agents that ask', () => {
  it('are answered by name, and each gets its own answer', async () => {
    const a = greeter('a');
    const b = greeter('b');
    await start(a, b);
    const requested = await hub.send('go', { directive: { strategy: 'all' } });
    expect(requested.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    await expect(hub.reply(requested, 'Ann')).rejects.toMatchObject({ reason: 'INVALID_PARAMS' });
    await hub.reply(requested, 'Ann', { directive: { replyTo: 'b' } });
    expect(a.turns).toHaveLength(1);
    const done = await hub.reply(requested, 'Bob');
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(artifactTexts(done).sort()).toEqual(['hello Ann', 'hello Bob']);
    expect(a.turn.text).toBe('Bob');
  });
});

describe('a message to a working task', () => {
  it('is sent to the agent that works on it', async () => {
    const agent = new FakeAgent('a', (turn) => {
      if (turn.text === 'go') turn.working();
      else {
        turn.task();
        turn.completed(`stopped by ${turn.text}`);
      }
    });
    await start(agent);
    const task = await hub.begin('go');
    await hub.until(task.id, TaskState.TASK_STATE_WORKING);
    const done = await hub.reply(task, 'you');
    expect(statusText(done)).toBe('stopped by you');
    expect(agent.turn.send.message.taskId).toBe(agent.turns[0]?.taskId);
  });

  it('that has not been taken yet waits for its turn', async () => {
    const agent = new FakeAgent('a', () => undefined);
    await start(agent);
    const task = await hub.begin('go');
    await eventually(() => agent.turn);
    await hub.reply(task, 'second', { returnImmediately: true });
    expect(agent.turns).toHaveLength(1);
    agent.turn.working();
    await eventually(() => expect(agent.turns).toHaveLength(2));
    expect(agent.turn.text).toBe('second');
    agent.turn.completed();
    await hub.until(task.id, TaskState.TASK_STATE_COMPLETED);
  });
});

describe('a task id of the client', () => {
  it('creates the task under it when that is allowed, and follows it up after', async () => {
    hub = await HubTasks.start({
      agents: [greeter()],
      config: { tasks: { acceptClientTaskIds: true } },
    });
    const requested = await hub.send('go', { message: { taskId: 'mine' } });
    expect(requested.id).toBe('mine');
    expect(artifactTexts(await hub.reply(requested, 'Ann'))).toEqual(['hello Ann']);
    const stranger = hub.send('go', { principal: BOB, message: { taskId: 'mine' } });
    await expect(stranger).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
  });
});
