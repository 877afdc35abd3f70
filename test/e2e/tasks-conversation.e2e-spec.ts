import { afterEach, describe, expect, it } from '@jest/globals';
import type { ConfigOverrides } from '../../src/config/index.js';
import { TaskState, type Message } from '../../src/protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../src/protocol/routing-extension.js';
import { eventually } from '../support/eventually.js';
import { FakeAgent } from '../support/fake-agents.js';
import { BOB, HubTasks, statusText } from '../support/hub-tasks.js';

const { TASK_STATE_AUTH_REQUIRED, TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED } = TaskState;

let hub: HubTasks;
afterEach(async () => {
  await hub.runner.stop();
  expect(hub.output.errors).toEqual([]);
  await hub.database.close();
});

async function start(agents: FakeAgent[], config: ConfigOverrides = {}): Promise<void> {
  hub = await HubTasks.start({ agents, config });
}

/** Waits for its client in this state, whatever it is told. */
const waiting = (state: TaskState, options: object): FakeAgent =>
  new FakeAgent(
    'a',
    (turn) => {
      turn.task();
      turn.status(state, 'may I?');
    },
    options,
  );

describe('an agent that waits for its client goes on by itself', () => {
  for (const state of [TASK_STATE_INPUT_REQUIRED, TASK_STATE_AUTH_REQUIRED]) {
    for (const streaming of [true, false]) {
      const what = `${TaskState[state]}, ${streaming ? 'streaming' : 'polling'}`;

      it(`which is noticed (${what})`, async () => {
        const agent = waiting(state, { streaming });
        await start([agent]);
        const task = await hub.begin('go');
        await hub.until(task.id, state);
        agent.turn.working('never mind');
        agent.turn.completed('done without');
        expect(statusText(await hub.until(task.id, TASK_STATE_COMPLETED))).toBe('done without');
      });

      it(`which is noticed after the hub was started again (${what})`, async () => {
        const agent = waiting(state, { streaming });
        await start([agent]);
        const task = await hub.begin('go');
        await hub.until(task.id, state);
        await hub.runner.stop();
        hub = await hub.successor();
        agent.turn.close();
        agent.turn.completed('done without');
        expect(statusText(await hub.until(task.id, TASK_STATE_COMPLETED))).toBe('done without');
        expect(agent.turns).toHaveLength(1);
      });
    }
  }

  it('or not: after a new start it is answered, and canceled, like before', async () => {
    const agent = new FakeAgent('a', (turn) =>
      turn.text === 'go' ? turn.ask('who?') : turn.completed(`hello ${turn.text}`),
    );
    await start([agent]);
    const [answered, canceled] = [await hub.send('go'), await hub.send('go')];
    await hub.runner.stop();
    hub = await hub.successor();
    await eventually(() => expect(agent.called('getTask')).toBeGreaterThan(1));
    expect(statusText(await hub.reply(answered, 'Ann'))).toBe('hello Ann');
    const end = await hub.service.cancel(canceled.id, hub.request(''));
    expect(end.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await eventually(() => expect(agent.called('cancel')).toBe(1));
  });

  it('or never: it fails at its deadline, and its agent is told once', async () => {
    const agent = waiting(TASK_STATE_INPUT_REQUIRED, {
      streaming: false,
      budgets: { totalMs: 300 },
    });
    await start([agent]);
    const task = await hub.begin('go');
    await hub.until(task.id, TASK_STATE_INPUT_REQUIRED);
    await eventually(async () => {
      await hub.cleanup.endOverdue();
      expect((await hub.get(task.id)).status?.state).toBe(TaskState.TASK_STATE_FAILED);
    });
    await eventually(() => expect(agent.called('cancel')).toBe(1));
  });
});

describe('a cancel right after the hub was started again', () => {
  for (const streaming of [true, false]) {
    for (const answers of [true, false]) {
      const what = `${streaming ? 'streaming' : 'polling'}, ${answers ? 'at work' : 'not answered yet'}`;

      it(`reaches the agent, whoever has taken the task over by then (${what})`, async () => {
        const agent = new FakeAgent('a', (turn) => answers && turn.working(), { streaming });
        await start([agent]);
        const task = await hub.begin('go');
        await eventually(() => agent.turn);
        if (answers) await hub.until(task.id, TaskState.TASK_STATE_WORKING);
        await hub.runner.stop();
        hub = await hub.successor();
        const canceled = await hub.service.cancel(task.id, hub.request(''));
        expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
        await eventually(() => expect(agent.called('cancel')).toBe(1));
        expect(agent.snapshot(agent.turn.taskId).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
      });
    }
  }
});

describe('a message that refers to other tasks', () => {
  const greeter = (id: string): FakeAgent =>
    new FakeAgent(id, (turn) => {
      if (turn.text === 'ask') return turn.ask('who?');
      turn.task();
      turn.chunk(`${id} says ${turn.text}`, { last: true });
      return turn.completed();
    });

  const to = (id: string, ...referenceTaskIds: string[]) => ({
    to: [id],
    message: { referenceTaskIds } satisfies Partial<Message>,
  });

  it('gives the agent its own tasks for them, and no artifacts unless that is set', async () => {
    const [a, b] = [greeter('a'), greeter('b')];
    await start([a, b]);
    const first = await hub.send('one', to('a'));
    await hub.send('two', to('a', first.id, first.id));
    expect(a.turn.send.message.referenceTaskIds).toEqual([a.turns[0]?.taskId]);
    await hub.send('three', to('b', first.id));
    expect(b.turn.send.message).toMatchObject({
      referenceTaskIds: [],
      parts: [{ content: { value: 'three' } }],
    });
  });

  it('gives an agent that has no part in them their artifacts, when that is set', async () => {
    const [a, b] = [greeter('a'), greeter('b')];
    await start([a, b], { tasks: { attachReferences: true } });
    const first = await hub.send('one', to('a'));
    await hub.send('two', to('b', first.id));
    const [own, attached] = b.turn.send.message.parts;
    expect(own?.content?.value).toBe('two');
    expect(attached).toMatchObject({
      content: { value: 'a says one' },
      metadata: {
        [ROUTING_EXTENSION_URI]: { referenceTaskId: first.id, artifactId: 'result' },
      },
    });
    await hub.send('three', to('a', first.id));
    expect(a.turn.send.message.parts).toHaveLength(1);
  });

  it('attaches what fits, each artifact whole or not at all', async () => {
    const a = new FakeAgent('a', (turn) => {
      turn.task();
      turn.chunk('x'.repeat(700_000), { id: 'large', last: true });
      turn.chunk('y'.repeat(700_000), { id: 'too much', last: true });
      turn.chunk('small', { id: 'small', last: true });
      return turn.completed();
    });
    const b = greeter('b');
    await start([a, b], { tasks: { attachReferences: true } });
    const first = await hub.send('one', to('a'));
    await hub.send('two', to('b', first.id));
    const sizes = b.turn.send.message.parts.map(({ content }) => String(content?.value).length);
    expect(sizes).toEqual([3, 700_000, 5]);
  });

  it("is refused like an unknown task's when one of them is a stranger's, at first and later", async () => {
    const agent = greeter('a');
    await start([agent]);
    const theirs = await hub.send('one', { ...to('a'), principal: BOB });
    const requested = await hub.send('ask', to('a'));
    const refusals = await Promise.all(
      [theirs.id, 'unknown'].flatMap((id) =>
        [hub.send('x', to('a', id)), hub.reply(requested, 'x', to('a', id))].map((refused) =>
          refused.then(
            () => 'taken',
            ({ reason, message }: { reason: string; message: string }) => `${reason} ${message}`,
          ),
        ),
      ),
    );
    expect(refusals).toEqual(Array(4).fill('TASK_NOT_FOUND Task not found'));
    expect(agent.turns).toHaveLength(2);
  });
});
