import { afterEach, describe, expect, it } from '@jest/globals';
import { AgentCallError } from '../../src/agents/index.js';
import { SystemClock } from '../../src/common/clock.js';
import { Artifact, Role, TaskState, type StreamResponse } from '../../src/protocol/a2a.js';
import { agentMessage, artifactUpdate, statusUpdate } from '../../src/protocol/build.js';
import { FakeAgent, type FakeAgentOptions, type Script } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import { artifactTexts, HubTasks, statusText } from '../support/hub-tasks.js';
import { JumpingClock } from '../support/jumping-clock.js';

let hub: HubTasks;
afterEach(async () => {
  await hub.runner.stop();
  await hub.cleanup.stop();
  expect(hub.output.errors).toEqual([]);
  await hub.database.close();
});

async function start(script: Script, options: FakeAgentOptions = {}): Promise<FakeAgent> {
  const agent = new FakeAgent('a', script, options);
  hub = await HubTasks.start({ agents: [agent] });
  return agent;
}

/** The outcome of a task whose agent behaves like this, in words. */
async function outcome(): Promise<string> {
  const task = await hub.send('go');
  return `${TaskState[task.status?.state ?? 0]}: ${statusText(task)}`;
}

function statusOf(taskId: string, state: TaskState): StreamResponse {
  return { payload: statusUpdate({ taskId, contextId: 'c' }, state, new Date()) };
}

describe('an agent that answers garbage', () => {
  it('fails the task as InvalidAgentResponse', async () => {
    await start((turn) => turn.fail('invalid', 'not A2A: <html>'));
    expect(await outcome()).toMatch(
      /FAILED: InvalidAgentResponse: Agent a gave an answer that is not A2A\.$/,
    );
    expect(hub.output.warnings).toMatchObject([{ kind: 'invalid', reason: 'not A2A: <html>' }]);
  });

  it('in mid-stream, and does not know its task, keeps what it gave before', async () => {
    await start((turn) => {
      turn.chunk('good');
      turn.agent.forget(turn.taskId);
      turn.feed.close(new AgentCallError('invalid', 'garbage'));
    });
    const task = await hub.send('go');
    expect(artifactTexts(task)).toEqual(['good']);
    expect(statusText(task)).toMatch(/InvalidAgentResponse: Agent a gave an answer/);
  });

  it('in mid-stream is asked for its task', async () => {
    await start((turn) => {
      turn.working();
      turn.feed.close(new AgentCallError('invalid', 'garbage'));
      turn.chunk('good');
      turn.completed('all the same');
    });
    expect(await outcome()).toBe('TASK_STATE_COMPLETED: all the same');
  });

  for (const [what, script] of [
    [
      'a message after a task',
      (turn) => {
        turn.working();
        turn.emit(
          {
            payload: {
              $case: 'message',
              value: agentMessage('m', { taskId: '', contextId: '' }, 'x'),
            },
          },
          false,
        );
      },
    ],
    [
      'an event of another task',
      (turn) => {
        turn.working();
        turn.emit(statusOf('another', TaskState.TASK_STATE_COMPLETED), false);
      },
    ],
  ] as [string, Script][]) {
    it(`${what} is an invalid answer`, async () => {
      await start(script);
      expect(await outcome()).toMatch(/FAILED: InvalidAgentResponse/);
    });
  }
});

describe('an agent that breaks off', () => {
  it('before any answer leaves an outcome that nobody knows, and the task says so', async () => {
    const agent = await start((turn) => {
      turn.agent.forget(turn.taskId);
      turn.cut();
    });
    expect(await outcome()).toMatch(/FAILED: Agent a broke off before it answered/);
    expect(agent.turns).toHaveLength(1);
  });

  it('before any answer is asked for the task it may have begun', async () => {
    await start((turn) => {
      turn.cut();
      setTimeout(() => turn.completed('found'), 30);
    });
    expect(await outcome()).toMatch(/COMPLETED: found/);
  });

  it('closing its stream without a word is the same', async () => {
    await start((turn) => {
      turn.agent.forget(turn.taskId);
      turn.close();
    });
    expect(await outcome()).toMatch(/broke off before it answered/);
  });

  for (const version of ['1.0', '0.3'] as const) {
    it(`in mid-stream is followed to the end, every chunk once and in order (${version})`, async () => {
      const agent = await start(
        async (turn) => {
          turn.task();
          for (let n = 1; n <= 30; n++) {
            turn.chunk(String(n), { append: n > 1 });
            if (n === 5 || n === 6) turn.cut();
            await new Promise((resolve) => setTimeout(resolve, 3));
          }
          turn.completed();
        },
        { version },
      );
      const task = await hub.send('go');
      const numbers = Array.from({ length: 30 }, (_, index) => String(index + 1));
      expect(artifactTexts(task)).toEqual(numbers);
      const chunks = (await hub.log.events(task.id, 0, 1000))
        .filter(({ kind }) => kind === 'artifact')
        .flatMap(({ body }) =>
          (JSON.parse(body) as ArtifactEvent).artifactUpdate.artifact.parts.map(({ text }) => text),
        );
      expect(chunks).toEqual(numbers);
      expect(agent.called('subscribe')).toBe(version === '1.0' ? 1 : 0);
      expect(agent.called('stream')).toBe(1);
    });
  }

  it('and has forgotten its task fails it with that reason', async () => {
    await start((turn) => {
      turn.working();
      turn.agent.forget(turn.taskId);
      turn.cut();
    });
    expect(await outcome()).toMatch(/FAILED: Agent a does not know its task any more/);
  });
});

describe('an agent that takes too long', () => {
  it('to answer at all fails the task', async () => {
    await start(() => undefined, { budgets: { firstEventMs: 60 } });
    expect(await outcome()).toMatch(/FAILED: Agent a gave no answer for 0.1 s/);
  });

  it('to answer without a stream fails the task', async () => {
    await start(() => undefined, { streaming: false, budgets: { firstEventMs: 60 } });
    expect(await outcome()).toMatch(/FAILED: Agent a gave no answer/);
  });

  it('between two events fails the task and is told', async () => {
    const agent = await start((turn) => turn.working(), { budgets: { idleMs: 60 } });
    expect(await outcome()).toMatch(/FAILED: Agent a said nothing more for/);
    await eventually(() => expect(agent.called('cancel')).toBe(1));
  });

  it('in all fails the task, however much it streams', async () => {
    let stop = false;
    const agent = await start(
      async (turn) => {
        while (!stop) {
          turn.chunk('x', { append: true });
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      },
      { budgets: { totalMs: 100 } },
    );
    hub.cleanup.start();
    expect(await outcome()).toMatch(/FAILED: Agent a did not finish in time/);
    await eventually(() => expect(agent.called('cancel')).toBe(1));
    stop = true;
  });
});

describe('an agent that cannot stream', () => {
  it('is asked until it has ended, and only news is logged', async () => {
    const agent = await start(
      async (turn) => {
        turn.working('one');
        await new Promise((resolve) => setTimeout(resolve, 100));
        turn.chunk('result', { last: true });
        turn.completed();
      },
      { streaming: false },
    );
    const task = await hub.send('go');
    expect(artifactTexts(task)).toEqual(['result']);
    expect(agent.called('getTask')).toBeGreaterThan(1);
    expect(await hub.kinds(task.id)).toEqual(['task', 'message', 'status', 'artifact', 'status']);
  });

  it('although its card says so is sent to without a stream', async () => {
    const agent = await start((turn) => turn.completed('fine'));
    agent.refusals.set('stream', {
      kind: 'rejected',
      message: 'unsupported',
      detail: { code: -32004 },
    });
    expect(await outcome()).toMatch(/COMPLETED: fine/);
  });

  it('is away for a while: asked again', async () => {
    const agent = await start((turn) => turn.working(), { streaming: false });
    const task = await hub.begin('go');
    await hub.until(task.id, TaskState.TASK_STATE_WORKING);
    agent.refusals.set('getTask', { kind: 'unreachable', message: 'restarting' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    agent.refusals.clear();
    agent.turn.completed();
    await hub.until(task.id, TaskState.TASK_STATE_COMPLETED);
  });

  it('says an unknown state: asked three times, then failed', async () => {
    const agent = await start((turn) => turn.status(TaskState.TASK_STATE_UNSPECIFIED), {
      streaming: false,
    });
    expect(await outcome()).toMatch(
      /FAILED: Agent a was asked 3 times: its task has no known state/,
    );
    expect(agent.called('getTask')).toBe(3);
  });
});

describe('events after the end', () => {
  it('change nothing, and nobody sees them', async () => {
    await start((turn) => {
      turn.chunk('1', { last: true });
      turn.status(TaskState.TASK_STATE_COMPLETED, 'done');
      turn.chunk('2');
      turn.status(TaskState.TASK_STATE_COMPLETED, 'done again');
      turn.close();
    });
    expect(await outcome()).toBe('TASK_STATE_COMPLETED: done');
  });

  it('that tell another end are an invalid answer', async () => {
    await start((turn) => {
      turn.status(TaskState.TASK_STATE_COMPLETED, 'done');
      turn.status(TaskState.TASK_STATE_FAILED, 'no');
      turn.close();
    });
    expect(await outcome()).toBe(
      'TASK_STATE_FAILED: InvalidAgentResponse: the agent ended its task twice, as completed and as failed.',
    );
  });

  it('are not waited for when the client cancels', async () => {
    const agent = await start((turn) => turn.status(TaskState.TASK_STATE_COMPLETED, 'done'));
    agent.onCancel = 'silent';
    const task = await hub.begin('go');
    await eventually(() => expect(agent.called('stream')).toBe(1));
    const canceled = await hub.service.cancel(task.id, hub.request(''));
    expect(statusText(canceled)).toBe('done');
  });
});

describe('an agent that is polled', () => {
  it.each([429, 500, 503])(
    'may answer HTTP %s for as long as it may be silent',
    async (httpStatus) => {
      const agent = await start((turn) => turn.working(), { streaming: false });
      const { id } = await hub.begin('go');
      await hub.until(id, TaskState.TASK_STATE_WORKING);
      const before = agent.called('getTask');
      agent.refusals.set('getTask', { kind: 'rejected', message: 'away', detail: { httpStatus } });
      await eventually(() => expect(agent.called('getTask')).toBeGreaterThan(before + 5));
      agent.turn.completed('back again');
      agent.refusals.clear();
      const done = await hub.until(id, TaskState.TASK_STATE_COMPLETED);
      expect(statusText(done)).toBe('back again');
      expect(agent.called('cancel')).toBe(0);
    },
  );

  it('and is busy for longer fails its task', async () => {
    const budgets = { idleMs: 300 };
    const agent = await start((turn) => turn.working(), { streaming: false, budgets });
    const detail = { httpStatus: 503 };
    agent.refusals.set('getTask', { kind: 'rejected', message: 'away', detail });
    const failed = await hub.send('go');
    expect(statusText(failed)).toMatch(
      /^Agent a said nothing more for .*: it answered HTTP 503\.$/,
    );
    expect(agent.called('getTask')).toBeGreaterThan(4);
    const [delegation] = (await hub.log.read(failed.id, { kind: 'everything' }))!.delegations;
    expect(delegation).toMatchObject({ state: 'failed', progress: { endCode: 'AGENT_BUSY' } });
  });

  it('has its idle time whatever the clock is set to', async () => {
    const budgets = { idleMs: 60_000 };
    const agent = new FakeAgent('a', (turn) => turn.working(), { streaming: false, budgets });
    const clock = new JumpingClock();
    hub = await HubTasks.start({ agents: [agent], clock });
    const { id } = await hub.begin('go');
    await hub.until(id, TaskState.TASK_STATE_WORKING);
    clock.offsetMs = 120_000;
    const before = agent.called('getTask');
    await eventually(() => expect(agent.called('getTask')).toBeGreaterThan(before + 3));
    agent.turn.completed('all the same');
    const done = await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    expect(statusText(done)).toBe('all the same');
  });
});

/** Pauses are over in a tenth of their time. */
class QuickClock extends SystemClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(ms / 10, signal);
  }
}

describe('an agent that breaks off before it answers', () => {
  it('and says it has not got the message gets it again a few times, and no more', async () => {
    const agent = new FakeAgent('a', (turn) => {
      if (turn.text === 'go') return turn.ask('who?');
      agent.lose(turn.taskId);
      turn.cut();
    });
    hub = await HubTasks.start({ agents: [agent], clock: new QuickClock() });
    const requested = await hub.send('go');
    const failed = await hub.reply(requested, 'Ann');
    expect(failed.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(statusText(failed)).toMatch(/^Agent a broke off before it answered; whether/);
    expect(agent.turns).toHaveLength(1 + 4);
    const ids = new Set(agent.turns.slice(1).map(({ send }) => send.message.messageId));
    expect(ids.size).toBe(1);
    const [delegation] = (await hub.log.read(requested.id, { kind: 'everything' }))!.delegations;
    expect(delegation?.calls).toBe(5);
  });

  it('and gives messages ids of its own does not get it again', async () => {
    const agent = new FakeAgent('a', (turn) => {
      if (turn.text === 'go') return turn.ask('who?');
      agent.renumber(turn.taskId);
      turn.cut();
    });
    hub = await HubTasks.start({ agents: [agent], clock: new QuickClock() });
    const failed = await hub.reply(await hub.send('go'), 'Ann');
    expect(statusText(failed)).toMatch(/^Agent a broke off before it answered; whether/);
    expect(agent.turns).toHaveLength(2);
  });

  it('and refuses it the second time, for the first has ended its task, is asked for that', async () => {
    const agent = new FakeAgent('a', (turn) => {
      if (turn.text === 'go') return turn.ask('who?');
      const { taskId, contextId } = turn;
      if (agent.turns.length === 2) {
        agent.lose(taskId);
        return turn.cut();
      }
      const artifact = Artifact.fromJSON({ artifactId: 'hello', parts: [{ text: 'Hello Ann' }] });
      const ref = { taskId, contextId };
      agent.store(taskId, artifactUpdate(ref, { artifact, append: false, lastChunk: true }));
      agent.store(taskId, statusUpdate(ref, TaskState.TASK_STATE_COMPLETED, new Date()));
      turn.feed.close(new AgentCallError('rejected', 'the task has ended'));
    });
    hub = await HubTasks.start({ agents: [agent], clock: new QuickClock() });
    const done = await hub.reply(await hub.send('go'), 'Ann');
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(artifactTexts(done)).toEqual(['Hello Ann']);
    expect(agent.turns).toHaveLength(3);
  });

  it('gets it again a few times where the setting says so, and no more', async () => {
    const agent = new FakeAgent('a', (turn) => turn.cut());
    agent.refusals.set('findTasksByMessage', { kind: 'rejected', message: 'no ListTasks' });
    const config = { tasks: { resend: 'again' } } as const;
    hub = await HubTasks.start({ agents: [agent], clock: new QuickClock(), config });
    expect(await outcome()).toMatch(/FAILED: Agent a broke off before it answered; whether/);
    expect(agent.turns).toHaveLength(4);
  });

  it('and then cannot be reached is told to stop: nobody else gets what it may have', async () => {
    const agent = new FakeAgent('a', (turn) => {
      agent.refusals.set('stream', { kind: 'unreachable', message: 'gone' });
      turn.cut();
    });
    agent.refusals.set('findTasksByMessage', { kind: 'rejected', message: '?', once: true });
    const other = new FakeAgent('b', (turn) => turn.completed());
    const config = { tasks: { resend: 'again' } } as const;
    hub = await HubTasks.start({ agents: [agent, other], clock: new QuickClock(), config });
    const failed = await hub.send('go', { to: ['a', 'b'] });
    expect(statusText(failed)).toBe('Agent a could not be reached.');
    expect(other.turns).toEqual([]);
    await eventually(() => expect(agent.called('cancel')).toBe(1));
  });
});

describe('an agent that uses ids again', () => {
  it('gives each task of the hub its own artifacts', async () => {
    await start((turn) => {
      turn.chunk(turn.text, { id: 'same', last: true });
      turn.completed();
    });
    const tasks = await Promise.all(['one', 'two', 'three'].map((text) => hub.send(text)));
    expect(tasks.map((task) => artifactTexts(task))).toEqual([['one'], ['two'], ['three']]);
  });

  it("a reply with the role of the user is still the agent's", async () => {
    await start((turn) => {
      const message = {
        ...agentMessage('r', { taskId: '', contextId: '' }, 'hi'),
        role: Role.ROLE_USER,
      };
      turn.emit({ payload: { $case: 'message', value: message } }, false);
      turn.close();
    });
    const answer = await hub.service.send(hub.request('go'));
    expect(answer.kind === 'message' && answer.message.role).toBe(Role.ROLE_AGENT);
  });
});

interface ArtifactEvent {
  readonly artifactUpdate: {
    readonly artifact: { readonly parts: readonly { readonly text: string }[] };
  };
}
