import { afterEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING, type Principal } from '../../src/auth/index.js';
import { TaskState, type Task } from '../../src/protocol/a2a.js';
import { statusUpdate, type TaskRef } from '../../src/protocol/build.js';
import { FencedError } from '../../src/tasks/log/task-log.js';
import { FakeAgent, type FakeAgentOptions } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import {
  artifactTexts,
  BOB,
  collect,
  HubTasks,
  statusText,
  userMessage,
} from '../support/hub-tasks.js';
import { JumpingClock } from '../support/jumping-clock.js';

let hub: HubTasks;
const others: HubTasks[] = [];
afterEach(async () => {
  for (const each of [hub, ...others.splice(0)]) await each.runner.stop();
  await hub.database.close();
});

/** Emits 1..30, one every few milliseconds, whoever listens. */
const counter = (options: FakeAgentOptions = {}): FakeAgent =>
  new FakeAgent(
    'a',
    async (turn) => {
      turn.task();
      for (let n = 1; n <= 30; n++) {
        turn.chunk(String(n), { append: n > 1 });
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      turn.completed();
    },
    options,
  );
const NUMBERS = Array.from({ length: 30 }, (_, index) => String(index + 1));

const refTo = (taskId: string): TaskRef => ({ taskId, contextId: 'c' });

/** The process is gone without a word: nothing it holds may write or answer any more. */
function kill(victim: HubTasks): void {
  victim.log.update = () => Promise.reject(new FencedError('killed'));
  victim.store.release = () => Promise.resolve();
  void victim.runner.stop();
}

describe('after a kill', () => {
  for (const options of [{ version: '1.0' }, { version: '0.3' }, { streaming: false }] as const) {
    it(`a running task goes on, every chunk once and in order (${JSON.stringify(options)})`, async () => {
      const agent = counter(options);
      hub = await HubTasks.start({ agents: [agent] });
      const { id } = await hub.begin('go');
      await eventually(async () => expect((await hub.kinds(id)).length).toBeGreaterThan(4));
      kill(hub);
      hub = await hub.successor();
      const seen = (await hub.log.events(id, 0, 100)).length;
      const rest = collect(hub.service.subscribe(id, hub.request('', { lastEventId: seen })));
      const done = await hub.until(id, TaskState.TASK_STATE_COMPLETED);
      expect(artifactTexts(done)).toEqual(NUMBERS);
      expect((await rest).at(-1)).toBe('COMPLETED');
      const chunks = (await hub.log.events(id, 0, 100))
        .filter(({ kind }) => kind === 'artifact')
        .flatMap(({ body }) =>
          (JSON.parse(body) as Chunk).artifactUpdate.artifact.parts.map(({ text }) => text),
        );
      expect(chunks).toEqual(NUMBERS);
      expect(agent.turns).toHaveLength(1);
    });
  }

  it('what was queued is sent', async () => {
    const agent = counter();
    hub = await HubTasks.start({ agents: [agent], worker: false });
    const { id } = await hub.begin('go');
    expect(agent.turns).toEqual([]);
    hub = await hub.successor();
    await hub.until(id, TaskState.TASK_STATE_COMPLETED);
  });

  it('a message that was on its way is found with a 1.0 agent and goes on', async () => {
    const agent = new FakeAgent('a', () => undefined);
    hub = await HubTasks.start({ agents: [agent] });
    const { id } = await hub.begin('go');
    await eventually(() => agent.turn);
    kill(hub);
    agent.turn.completed('found again');
    hub = await hub.successor();
    const done = await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    expect(statusText(done)).toBe('found again');
    expect(agent.turns).toHaveLength(1);
  });

  it('a task of another principal is not taken for it, though the message has the same id', async () => {
    const agent = new FakeAgent('a', (turn) => turn.completed('for Alice only'));
    hub = await HubTasks.start({ agents: [agent] });
    await hub.send('the same', { message: { messageId: '1' } });
    agent.script = () => undefined;
    const id = await beginAs(BOB, 'the same', '1');
    await eventually(() => expect(agent.turns).toHaveLength(2));
    kill(hub);
    agent.forget(agent.turn.taskId);
    hub = await hub.successor();
    expect(statusText(await endAs(BOB, id))).toMatch(/^The hub stopped while sending/);
  });

  it('a task with other words or from before is not taken for it', async () => {
    const agent = new FakeAgent('a', () => undefined);
    hub = await HubTasks.start({ agents: [agent] });
    const stranger = (text: string): string => {
      const message = { ...userMessage(text), messageId: '1' };
      return agent.begin({ message, metadata: undefined, acceptedOutputModes: [] }).taskId;
    };
    const old = stranger('go');
    agent.store(old, statusUpdate(refTo(old), TaskState.TASK_STATE_COMPLETED, new Date(0)));
    agent.store(
      stranger('other'),
      statusUpdate(refTo('x'), TaskState.TASK_STATE_COMPLETED, new Date()),
    );
    const { id } = await hub.begin('go', { message: { messageId: '1' } });
    await eventually(() => expect(agent.turns).toHaveLength(3));
    kill(hub);
    agent.forget(agent.turn.taskId);
    hub = await hub.successor();
    const failed = await hub.until(id, TaskState.TASK_STATE_FAILED);
    expect(statusText(failed)).toMatch(/^The hub stopped while sending/);
  });

  it('of two equal messages on their way nobody takes the one task there is', async () => {
    const agent = new FakeAgent('a', () => undefined);
    hub = await HubTasks.start({ agents: [agent] });
    const { id } = await hub.begin('the same', { message: { messageId: '1' } });
    await eventually(() => agent.turn);
    const own = agent.turn;
    const other = await beginAs(BOB, 'the same', '1');
    await eventually(() => expect(agent.turns).toHaveLength(2));
    kill(hub);
    agent.forget(agent.turn.taskId);
    own.completed('for Alice only');
    hub = await hub.successor();
    await hub.until(id, TaskState.TASK_STATE_FAILED);
    expect((await endAs(BOB, other)).status?.state).toBe(TaskState.TASK_STATE_FAILED);
  });

  async function beginAs(principal: Principal, text: string, messageId: string): Promise<string> {
    const options = { principal, returnImmediately: true, message: { messageId } };
    return (await hub.send(text, options)).id;
  }

  /** The failed task as its owner sees it. */
  function endAs(principal: Principal, id: string): Promise<Task> {
    return eventually(async () => {
      const task = await hub.service.get(id, undefined, hub.request('', { principal }));
      expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
      return task;
    });
  }

  /** The hub dies while sending to an agent that has not heard of the message. */
  async function lostMessage(resend: 'fail' | 'again'): Promise<{ agent: FakeAgent; id: string }> {
    const agent = new FakeAgent('a', () => undefined);
    hub = await HubTasks.start({ agents: [agent] });
    const { id } = await hub.begin('go');
    await eventually(() => agent.turn);
    kill(hub);
    agent.forget(agent.turn.taskId);
    agent.script = (turn) => turn.completed('second try');
    hub = await hub.successor({ config: { tasks: { resend } } });
    return { agent, id };
  }

  it('a message that nobody can tell about fails honestly', async () => {
    const { agent, id } = await lostMessage('fail');
    const failed = await hub.until(id, TaskState.TASK_STATE_FAILED);
    expect(statusText(failed)).toMatch(/^The hub stopped while sending to Agent a; whether/);
    expect(agent.turns).toHaveLength(1);
  });

  it('a message that waited for its agent to be back is sent: it has never left', async () => {
    const agent = new FakeAgent('a', (turn) => turn.completed('at last'));
    hub = await HubTasks.start({ agents: [agent], config: { tasks: { leaseMs: 60_000 } } });
    let requested = 0;
    hub.admit = () => {
      requested += 1;
      return { kind: 'wait', waitMs: 0, why: 'is out of service' };
    };
    const { id } = await hub.begin('go');
    await eventually(() => expect(requested).toBeGreaterThan(2));
    const held = (await hub.log.read(id, EVERYTHING))!.delegations[0]!;
    expect(held).toMatchObject({ state: 'queued', calls: 0, epoch: 1, owner: hub.runner.owner });
    expect(await hub.store.claim('another', new Date(), 60_000, 10)).toEqual([]);
    kill(hub);
    hub = await hub.successor();
    expect(statusText(await hub.until(id, TaskState.TASK_STATE_COMPLETED))).toBe('at last');
    expect(agent.turns).toHaveLength(1);
    const done = (await hub.log.read(id, EVERYTHING))!.delegations[0]!;
    expect(done).toMatchObject({ calls: 1, epoch: 2 });
  });

  it('a process that was stopped for longer than its leases goes on with what it runs', async () => {
    const clock = new JumpingClock();
    const agent = new FakeAgent('a', () => undefined);
    agent.refusals.set('findTasksByMessage', { kind: 'rejected', message: 'no ListTasks' });
    hub = await HubTasks.start({ agents: [agent], clock });
    const { id } = await hub.begin('go');
    await eventually(() => agent.turn);
    clock.offsetMs = 31_000;
    const other = await hub.begin('other');
    await eventually(() => expect(agent.turns).toHaveLength(2));
    await new Promise((resolve) => setTimeout(resolve, 1100));
    for (const turn of agent.turns) turn.completed('done');
    for (const each of [id, other.id]) {
      expect(statusText(await hub.until(each, TaskState.TASK_STATE_COMPLETED))).toBe('done');
    }
    expect((await hub.log.read(id, EVERYTHING))!.delegations[0]).toMatchObject({ epoch: 1 });
  });

  it('an agent that cannot be asked is not waited for longer than for a first event', async () => {
    const agent = new FakeAgent('a', () => undefined, { budgets: { firstEventMs: 300 } });
    agent.refusals.set('findTasksByMessage', { kind: 'interrupted', message: 'away' });
    hub = await HubTasks.start({ agents: [agent] });
    const { id } = await hub.begin('go');
    await eventually(() => agent.turn);
    kill(hub);
    hub = await hub.successor();
    const failed = await hub.until(id, TaskState.TASK_STATE_FAILED);
    expect(statusText(failed)).toMatch(/^The hub stopped while sending/);
    expect(agent.calls.filter(({ call }) => call === 'findTasksByMessage')).toHaveLength(1);
  });

  it('an agent that is busy for a moment is asked again', async () => {
    const agent = new FakeAgent('a', () => undefined);
    hub = await HubTasks.start({ agents: [agent] });
    const { id } = await hub.begin('go');
    await eventually(() => agent.turn);
    kill(hub);
    agent.turn.completed('found again');
    const refusal = { kind: 'rejected', detail: { httpStatus: 503 } } as const;
    agent.refusals.set('findTasksByMessage', { ...refusal, message: 'busy', once: true });
    hub = await hub.successor();
    const done = await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    expect(statusText(done)).toBe('found again');
  });

  it('such a message is sent again under its id when the setting says so', async () => {
    const { agent, id } = await lostMessage('again');
    expect(statusText(await hub.until(id, TaskState.TASK_STATE_COMPLETED))).toBe('second try');
    const [first, second] = agent.turns;
    expect(second?.send.message.messageId).toBe(first?.send.message.messageId);
    // The story of the task tells of it by these times.
    const { times } = (await hub.log.read(id, EVERYTHING))!.delegations[0]!.progress;
    const { sentAt = 0, takenOverAt = 0, resentAt = 0, answeredAt = 0 } = times!;
    expect(sentAt).toBeGreaterThan(0);
    const sorted = [sentAt, takenOverAt, resentAt, answeredAt].sort((a, b) => a - b);
    expect([sentAt, takenOverAt, resentAt, answeredAt]).toEqual(sorted);
    expect(takenOverAt).toBeGreaterThan(sentAt);
  });

  it('an answer that the agent has not received is sent to it', async () => {
    const agent = new FakeAgent('a', (turn) =>
      turn.text === 'go' ? turn.ask('who?') : turn.completed('hi'),
    );
    hub = await HubTasks.start({ agents: [agent] });
    const requested = await hub.send('go');
    agent.refusals.set('stream', { kind: 'interrupted', message: 'x' });
    // The process dies between its claim and the first byte.
    kill(hub);
    hub = await hub.successor({ worker: false });
    await hub.reply(requested, 'Ann', { returnImmediately: true });
    await hub.store.claim('dead', new Date(), 60_000, 10);
    agent.refusals.clear();
    hub = await hub.successor();
    expect(statusText(await hub.until(requested.id, TaskState.TASK_STATE_COMPLETED))).toBe('hi');
    expect(agent.turns).toHaveLength(2);
  });

  it('a cancel that was asked for is carried out', async () => {
    const agent = new FakeAgent('a', (turn) => turn.working());
    hub = await HubTasks.start({ agents: [agent] });
    const { id } = await hub.begin('go');
    await hub.until(id, TaskState.TASK_STATE_WORKING);
    kill(hub);
    const api = await hub.successor({ worker: false, config: { agents: { cancelWaitMs: 1 } } });
    await api.service.cancel(id, api.request('')).catch(() => undefined);
    hub = await hub.successor();
    await hub.until(id, TaskState.TASK_STATE_CANCELED);
    expect(agent.called('cancel')).toBe(1);
  });

  it('a task of an agent that was deleted meanwhile fails naming it', async () => {
    const agent = new FakeAgent('a', (turn) => turn.working());
    hub = await HubTasks.start({ agents: [agent] });
    const { id } = await hub.begin('go');
    await hub.until(id, TaskState.TASK_STATE_WORKING);
    kill(hub);
    hub = await hub.successor({ agents: [] });
    const failed = await hub.until(id, TaskState.TASK_STATE_FAILED);
    expect(statusText(failed)).toMatch(/Agent a \(a\) has been deleted/);
  });
});

describe('a clean stop', () => {
  it('leaves running tasks to the next process, which adopts them at once', async () => {
    const agent = counter();
    hub = await HubTasks.start({ agents: [agent] });
    const { id } = await hub.begin('go');
    await eventually(async () => expect((await hub.kinds(id)).length).toBeGreaterThan(4));
    await hub.runner.stop();
    const before = hub;
    others.push(before);
    hub = await hub.successor();
    expect(artifactTexts(await hub.until(id, TaskState.TASK_STATE_COMPLETED))).toEqual(NUMBERS);
    expect(before.output.errors).toEqual([]);
  });

  it('waits for the first answer of a message that is on its way', async () => {
    const agent = new FakeAgent('a', (turn) => setTimeout(() => turn.working('taken'), 60));
    hub = await HubTasks.start({ agents: [agent] });
    const { id } = await hub.begin('go');
    await eventually(() => agent.turn);
    await hub.runner.stop();
    expect(statusText(await hub.get(id))).toBe('taken');
  });

  it('cuts a cancel that its agent does not answer, and leaves it to the next process', async () => {
    const agent = new FakeAgent('a', (turn) => turn.ask('who?'));
    hub = await HubTasks.start({ agents: [agent], config: { agents: { cancelWaitMs: 600_000 } } });
    const { id } = await hub.send('go');
    agent.onCancel = 'silent';
    await hub.service.cancel(id, hub.request(''));
    await eventually(() => expect(agent.called('cancel')).toBe(1));
    await hub.runner.stop();
    others.push(hub);
    agent.onCancel = 'cancel';
    hub = await hub.successor();
    await eventually(() => expect(agent.called('cancel')).toBe(2));
  }, 20_000);

  it('puts back what it has claimed and not sent', async () => {
    const agent = new FakeAgent('a', (turn) => turn.completed());
    hub = await HubTasks.start({ agents: [agent] });
    const sent = hub.begin('go');
    const stopped = hub.runner.stop();
    const { id } = await sent;
    await stopped;
    if (agent.turns.length === 0) {
      const [delegation] = (await hub.log.read(id, { kind: 'everything' }))?.delegations ?? [];
      expect(delegation).toMatchObject({ state: 'queued', owner: null });
    }
    others.push(hub);
    hub = await hub.successor();
    await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    expect(agent.turns).toHaveLength(1);
  });
});

describe('a process that wakes up after its delegations were adopted', () => {
  it('can write nothing, and stops', async () => {
    const agent = new FakeAgent('a', (turn) => turn.working('one'));
    hub = await HubTasks.start({ agents: [agent] });
    const { id } = await hub.begin('go');
    await hub.until(id, TaskState.TASK_STATE_WORKING);
    const asleep = hub;
    others.push(asleep);
    hub = await hub.successor();
    await eventually(() => expect(agent.called('subscribe')).toBe(1));
    agent.turn.working('seen by both');
    agent.turn.completed();
    await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    const texts = (await hub.log.events(id, 0, 100))
      .map(({ body }) => body)
      .filter((body) => body.includes('both'));
    expect(texts).toHaveLength(1);
    expect(asleep.output.errors).toEqual([]);
  });
});

describe('two processes', () => {
  it('share the work: a binding in one, a runner in the other', async () => {
    const agent = new FakeAgent('a', (turn) =>
      turn.text === 'go' ? turn.ask('who?') : turn.completed('hi'),
    );
    const api = await HubTasks.start({ agents: [agent], worker: false });
    hub = await api.successor();
    const requested = await api.send('go');
    expect(requested.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const done = await api.reply(requested, 'Ann');
    expect(statusText(done)).toBe('hi');
  });

  it('a cancel reaches the owner within about a second', async () => {
    const agent = new FakeAgent('a', (turn) => turn.working());
    const api = await HubTasks.start({ agents: [agent], worker: false });
    hub = await api.successor();
    const { id } = await api.begin('go');
    await hub.until(id, TaskState.TASK_STATE_WORKING);
    const began = Date.now();
    const canceled = await api.service.cancel(id, api.request(''));
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(Date.now() - began).toBeLessThan(3000);
  });
});

interface Chunk {
  readonly artifactUpdate: {
    readonly artifact: { readonly parts: readonly { readonly text: string }[] };
  };
}
