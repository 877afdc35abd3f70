import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Role, TaskState } from '../../src/protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../src/protocol/routing-extension.js';
import { FakeAgent } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import { artifactTexts, collect, HubTasks, statusText } from '../support/hub-tasks.js';

let hub: HubTasks;
afterEach(async () => {
  await hub.runner.stop();
  expect(hub.output.errors).toEqual([]);
  await hub.database.close();
});

async function start(...agents: FakeAgent[]): Promise<void> {
  hub = await HubTasks.start({ agents });
}

const worker = (id = 'a'): FakeAgent =>
  new FakeAgent(id, (turn) => {
    turn.task();
    turn.working('at work');
    turn.chunk(turn.text.toUpperCase(), { last: true });
    turn.completed();
  });

describe('a blocking send', () => {
  it("returns the finished task under the hub's own ids", async () => {
    const agent = worker();
    await start(agent);
    const task = await hub.send('hello');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(artifactTexts(task)).toEqual(['HELLO']);
    expect(task.history[0]?.taskId).toBe(task.id);
    const wire = JSON.stringify(task);
    expect(wire).not.toContain(agent.turn.taskId);
    expect(wire).not.toContain(agent.turn.contextId);
  });

  it('needs one commit to create, none to claim, and few more', async () => {
    await start(worker());
    let commits = 0;
    const write = hub.database.write.bind(hub.database);
    hub.database.write = (work) => (commits++, write(work));
    const task = await hub.send('hello');
    expect(await hub.kinds(task.id)).toEqual(['task', 'message', 'status', 'artifact', 'status']);
    expect(commits).toBeLessThanOrEqual(3);
  });

  it('returns the working task when it takes longer than the limit', async () => {
    hub = await HubTasks.start({
      agents: [new FakeAgent('a', (turn) => turn.working())],
      config: { tasks: { blockingWaitMs: 50 } },
    });
    const task = await hub.send('hello');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_WORKING);
  });

  it("returns a direct Message as that Message, with the hub's context, and keeps the task behind it", async () => {
    const agent = new FakeAgent('a', (turn) => turn.reply('hi'));
    await start(agent);
    const answer = await hub.service.send(hub.request('hello'));
    if (answer.kind !== 'message') throw new Error('expected a message');
    expect(answer.message.parts[0]?.content).toEqual({ $case: 'text', value: 'hi' });
    expect(answer.message.taskId).toBe('');
    expect(answer.message.contextId).not.toBe(agent.turn.contextId);
    const { tasks } = await hub.service.list({ includeArtifacts: true }, hub.request(''));
    expect(tasks.map((task) => task.status?.state)).toEqual([TaskState.TASK_STATE_COMPLETED]);
    expect(tasks.flatMap(artifactTexts)).toEqual(['hi']);
  });

  it('honours the history length of the configuration', async () => {
    await start(worker());
    const configuration = {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
      historyLength: 0,
    };
    expect((await hub.send('hello', { configuration })).history).toEqual([]);
  });
});

describe('a send that returns immediately', () => {
  it('answers before the agent does, and the task goes on', async () => {
    const agent = new FakeAgent('a', () => undefined);
    await start(agent);
    const task = await hub.begin('hello');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
    await eventually(() => agent.turn);
    agent.turn.completed();
    await hub.until(task.id, TaskState.TASK_STATE_COMPLETED);
  });

  it('makes an artifact of a direct Message', async () => {
    await start(new FakeAgent('a', (turn) => turn.reply('hi')));
    const task = await hub.begin('hello');
    const done = await hub.until(task.id, TaskState.TASK_STATE_COMPLETED);
    expect(artifactTexts(done)).toEqual(['hi']);
    expect(await hub.kinds(task.id)).not.toContain('reply');
  });
});

describe('the forwarded message', () => {
  it("keeps the client's id, parts and metadata; only ids and the hub's own keys change", async () => {
    const agent = worker();
    await start(agent);
    const metadata = { mine: 1, skillTags: ['x'], [ROUTING_EXTENSION_URI]: { agentId: 'a' } };
    await hub.send('hello', {
      message: { messageId: 'm-1', metadata, extensions: ['urn:theirs', ROUTING_EXTENSION_URI] },
      metadata: { outer: true, [ROUTING_EXTENSION_URI]: {} },
      extensions: ['urn:theirs', ROUTING_EXTENSION_URI],
      traceparent: '00-trace',
      hops: ['other-hub'],
    });
    const { message, metadata: outer } = agent.turn.send;
    expect(message).toMatchObject({
      messageId: 'm-1',
      taskId: '',
      contextId: '',
      metadata: { mine: 1, skillTags: ['x'] },
      extensions: ['urn:theirs'],
    });
    expect(message.metadata).not.toHaveProperty([ROUTING_EXTENSION_URI]);
    const hops = ['other-hub', await hub.settings.instanceId()];
    expect(outer).toEqual({ outer: true, [ROUTING_EXTENSION_URI]: { hops } });
    expect(agent.calls[0]?.options).toMatchObject({
      traceparent: '00-trace',
      extensions: ['urn:theirs'],
      hops,
    });
  });

  it("goes into the agent's own context again when the client names the context", async () => {
    const agent = worker();
    await start(agent);
    const first = await hub.send('one');
    await hub.send('two', { message: { contextId: first.contextId } });
    expect(agent.turns[1]?.send.message.contextId).toBe(agent.turns[0]?.contextId);
    expect(agent.turns[1]?.send.message.taskId).toBe('');
  });

  it("refers to the agent's own tasks; tasks of strangers are refused", async () => {
    const agent = worker();
    await start(agent);
    const first = await hub.send('one');
    const message = { referenceTaskIds: [first.id] };
    await hub.send('two', { message });
    expect(agent.turns[1]?.send.message.referenceTaskIds).toEqual([agent.turns[0]?.taskId]);
    const stranger = { ...hub.request('').principal, id: 'bob' };
    await expect(hub.send('three', { message, principal: stranger })).rejects.toMatchObject({
      reason: 'TASK_NOT_FOUND',
    });
  });

  it('is refused when it has been here before', async () => {
    await start(worker());
    const hops = [await hub.settings.instanceId()];
    await expect(hub.send('hello', { hops })).rejects.toMatchObject({ reason: 'NO_ROUTE' });
  });
});

describe('failover', () => {
  it('asks the next agent when the first was not reached, unseen by the client', async () => {
    const down = new FakeAgent('down', (turn) => turn.fail('unreachable', 'connection refused'));
    await start(down, worker('up'));
    const task = await hub.send('hello', { to: ['down', 'up'] });
    expect(artifactTexts(task)).toEqual(['HELLO']);
    expect(JSON.stringify(task.history)).not.toContain('refused');
  });

  it('asks the next agent when the first refuses the message', async () => {
    const picky = new FakeAgent('picky', (turn) =>
      turn.fail('rejected', 'no', { httpStatus: 500 }),
    );
    await start(picky, worker('up'));
    expect(artifactTexts(await hub.send('hello', { to: ['picky', 'up'] }))).toEqual(['HELLO']);
  });

  it('fails with all reasons when nobody takes the message', async () => {
    const down = (id: string): FakeAgent =>
      new FakeAgent(id, (turn) => turn.fail('unreachable', `${id} is down`));
    await start(down('x'), down('y'));
    const task = await hub.send('hello', { to: ['x', 'y'] });
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(statusText(task)).toBe(
      'No agent took the message. Agent x could not be reached; Agent y could not be reached',
    );
  });

  it('never hands over work that was accepted', async () => {
    const breaks = new FakeAgent('breaks', (turn) => {
      turn.working();
      turn.status(TaskState.TASK_STATE_FAILED, 'out of paper');
    });
    const other = worker('other');
    await start(breaks, other);
    const task = await hub.send('hello', { to: ['breaks', 'other'] });
    expect(statusText(task)).toContain('out of paper');
    expect(other.turns).toEqual([]);
  });

  it('passes over an agent that was disabled or deleted meanwhile', async () => {
    const gone = new FakeAgent('gone', () => undefined, { enabled: false });
    await start(gone, worker('up'));
    expect(artifactTexts(await hub.send('hello', { to: ['gone', 'up'] }))).toEqual(['HELLO']);
    expect(gone.turns).toEqual([]);
  });
});

describe('an agent that was registered in another process just now', () => {
  it('is looked up before it counts as deleted', async () => {
    const agent = worker();
    hub = await HubTasks.start({ agents: [agent] });
    const { agents } = hub;
    const create = hub.log.create.bind(hub.log);
    hub.log.create = async (...args) => {
      agents.delete('a');
      return create(...args);
    };
    hub.renewAgents = () => Promise.resolve(void agents.set('a', agent));
    expect(artifactTexts(await hub.send('hello'))).toEqual(['HELLO']);
  });
});

describe('an idempotent send', () => {
  it('runs once under one Idempotency-Key, and gives the same answer again', async () => {
    const agent = worker();
    await start(agent);
    const request = hub.request('hello', { idempotencyKey: 'k' });
    const first = await hub.service.send(request);
    expect(await hub.service.send(request)).toEqual(first);
    expect(await collect(hub.service.sendStream(request))).toEqual([
      'task SUBMITTED',
      'WORKING at work',
      'artifact HELLO',
      'COMPLETED',
    ]);
    expect(agent.turns).toHaveLength(1);
  });

  it('gives the same task when its agent is gone by then, and counts and routes nothing again', async () => {
    const agent = new FakeAgent('a', () => undefined);
    await start(agent);
    const named = { agentId: 'a', returnImmediately: true };
    const keyed = hub.request('hello', { ...named, idempotencyKey: 'k' });
    const plain = hub.request('open', named);
    const first = [await hub.service.send(keyed), await hub.service.send(plain)];
    hub.agents.delete('a');
    const again = [await hub.service.send(keyed), await hub.service.send(plain)];
    const ids = (answers: typeof first) =>
      answers.map((each) => each.kind === 'task' && each.task.id);
    expect(ids(again)).toEqual(ids(first));
    await expect(hub.send('other', { ...named, idempotencyKey: 'k' })).rejects.toMatchObject({
      reason: 'CONFLICT',
    });
    await expect(hub.send('other', named)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  it('ends the stream of a repeated follow-up with the question that is its answer', async () => {
    const agent = new FakeAgent('a', (turn) => turn.ask('Which?'));
    await start(agent);
    const task = await hub.send('begin');
    const request = hub.request('this', { idempotencyKey: 'k', message: { taskId: task.id } });
    const first = await collect(hub.service.sendStream(request));
    expect(first.at(-1)).toBe('INPUT_REQUIRED Which?');
    expect(await collect(hub.service.sendStream(request))).toEqual(['task INPUT_REQUIRED']);
    expect(agent.turns).toHaveLength(2);
  });

  it('refuses another request under the same key', async () => {
    await start(worker());
    await hub.send('hello', { idempotencyKey: 'k' });
    await expect(hub.send('other', { idempotencyKey: 'k' })).rejects.toMatchObject({
      reason: 'CONFLICT',
    });
  });

  it('takes metadata in another order for the same, as Protocol Buffers keep none', async () => {
    const agent = new FakeAgent('a', (turn) => turn.ask('Which?'));
    await start(agent);
    const inOrder = { a: 1, b: { c: 2, d: 3 } };
    const turned = { b: { d: 3, c: 2 }, a: 1 };
    const request = hub.request('hello', { idempotencyKey: 'k', message: { metadata: inOrder } });
    const { message } = request;
    const first = await hub.service.send(request);
    const again = { ...request, message: { ...message, metadata: turned } };
    expect(await hub.service.send(again)).toEqual(first);
    if (first.kind !== 'task') throw new Error('expected a task');

    const taskId = first.task.id;
    const requested = agent.turns.length;
    const answer = hub.request('this', { message: { taskId, metadata: inOrder } });
    const same = { ...answer, message: { ...answer.message, metadata: turned } };
    await Promise.all([hub.service.send(answer), hub.service.send(same)]);
    const { history } = await hub.get(taskId);
    expect(history.filter(({ role }) => role === Role.ROLE_USER)).toHaveLength(2);
    expect(agent.turns).toHaveLength(requested + 1);
  });

  it('takes the one key the binding has chosen, whatever the directive says', async () => {
    await start(worker());
    const request = hub.request('hello', { idempotencyKey: 'header' });
    const both = { ...request, directive: { ...request.directive, idempotencyKey: 'metadata' } };
    await hub.service.send(both);
    const rows = await hub.database.read('SELECT key FROM idempotency_keys');
    expect(rows).toEqual([{ key: 'key:header' }]);
  });

  it('answers one question once under one key, also after the next question', async () => {
    const agent = new FakeAgent('a', (turn) => turn.ask('Which?'));
    await start(agent);
    const task = await hub.send('begin');
    const request = hub.request('first answer', {
      idempotencyKey: 'k',
      message: { taskId: task.id },
    });
    await hub.service.send(request);
    expect(agent.turns).toHaveLength(2);
    const again = await hub.service.send(request);
    expect(again).toMatchObject({ kind: 'task', task: { id: task.id } });
    expect(agent.turns).toHaveLength(2);
    await expect(hub.reply(task, 'second answer', { idempotencyKey: 'k' })).rejects.toMatchObject({
      reason: 'CONFLICT',
    });

    await hub.service.cancel(task.id, request);
    expect(await hub.service.send(request)).toMatchObject({ kind: 'task', task: { id: task.id } });
  });

  it('adds a follow-up once when it comes twice at once', async () => {
    const agent = new FakeAgent('a', (turn) => turn.ask('Which?'));
    await start(agent);
    const task = await hub.send('begin');
    const request = hub.request('answer', { idempotencyKey: 'k', message: { taskId: task.id } });
    await Promise.all([hub.service.send(request), hub.service.send(request)]);
    expect(
      (await hub.get(task.id)).history.filter(({ role }) => role === Role.ROLE_USER),
    ).toHaveLength(2);
    expect(agent.turns).toHaveLength(2);
  });

  it('takes a copy of an answer for one whose first was added since its key was looked at, and was the last for its agent', async () => {
    const agent = new FakeAgent('a', (turn) => {
      if (agent.turns.length === 1) return turn.ask('Which?');
      turn.completed('done');
    });
    await start(agent, new FakeAgent('b', (turn) => turn.ask('When?')));
    const task = await hub.send('begin', { to: ['a', 'b'], directive: { strategy: 'all' } });
    const request = hub.request('this', {
      idempotencyKey: 'k',
      message: { taskId: task.id },
      directive: { replyTo: 'a' },
    });
    const keyHolder = hub.log.keyHolder.bind(hub.log);
    let first: Promise<unknown> | undefined;
    const looked = jest.spyOn(hub.log, 'keyHolder').mockImplementation(async (...key) => {
      const holder = await keyHolder(...key);
      looked.mockRestore();
      await (first ??= hub.service.send(request));
      return holder;
    });
    const copy = await hub.service.send(request);
    expect(copy).toEqual(await first);
    expect(agent.turns).toHaveLength(2);
  });

  it('joins the running task of an identical message, and begins anew once that has ended', async () => {
    const agent = new FakeAgent('a', () => undefined);
    await start(agent);
    const request = hub.request('hello', { returnImmediately: true });
    const first = await hub.service.send(request);
    const second = await hub.service.send(request);
    if (first.kind !== 'task' || second.kind !== 'task') throw new Error('expected tasks');
    expect(second.task.id).toBe(first.task.id);
    await eventually(() => agent.turn);
    agent.turn.completed();
    await hub.until(first.task.id, TaskState.TASK_STATE_COMPLETED);
    const third = await hub.service.send(request);
    expect(third.kind === 'task' && third.task.id).not.toBe(first.task.id);
  });
});
