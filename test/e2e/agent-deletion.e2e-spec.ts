import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Hub, startHub, stateOf } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const SECRET = 'Bearer agent-secret';
const to = (id: string) => ({ message: { metadata: { agentId: id } } });

let hub: Hub;
const agents: ScriptedAgent[] = [];

beforeEach(async () => {
  hub = await startHub();
});

afterEach(async () => {
  await hub.close();
  for (const agent of agents.splice(0)) await agent.close();
});

/** An agent whose task comes to this state, and then stays there until it is canceled. */
async function agentThat(state: string): Promise<ScriptedAgent> {
  const task = { id: 'd1', contextId: 'c1', status: { state } };
  const agent = await ScriptedAgent.start({
    handlers: {
      SendStreamingMessage: (call) => void call.event({ task }).end(),
      SubscribeToTask: (call) => call.error(-32004, 'no'),
      GetTask: (call) => call.result(task),
      CancelTask: (call) => {
        task.status.state = 'TASK_STATE_CANCELED';
        call.result(task);
      },
    },
  });
  agents.push(agent);
  return agent;
}

async function register(agent: ScriptedAgent): Promise<void> {
  await hub.registerAgent(agent.url, { id: 'one', credentials: { authorization: SECRET } });
}

/** Sends a message to the agent and deletes it once its task is in `state`. */
async function deletedWith(agent: ScriptedAgent, state: string): Promise<JsonObject> {
  await register(agent);
  const { id } = await hub.submit('x', to('one'));
  const task = await hub.waitForTask(String(id), state);
  expect((await hub.admin('DELETE', '/api/v1/agents/one')).status).toBe(204);
  return task;
}

/** Waits until the agent has been asked to cancel; the credentials it was sent. */
async function canceled(agent: ScriptedAgent): Promise<unknown> {
  const end = performance.now() + 10_000;
  while (agent.callsOf('CancelTask').length === 0 && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return agent.callsOf('CancelTask').map(({ headers }) => headers.authorization);
}

describe('a deleted agent', () => {
  for (const state of ['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED']) {
    it(`is asked to cancel its open task, with its credentials (${state})`, async () => {
      const agent = await agentThat(state);
      const task = await deletedWith(agent, state);
      const answer = (await hub.rpc('CancelTask', { id: task['id'] })) as JsonObject;
      expect(stateOf(answer)).toBe('TASK_STATE_CANCELED');
      expect(await canceled(agent)).toEqual([SECRET]);
    });
  }

  it('is polled to the end of its open task', async () => {
    const agent = await agentThat('TASK_STATE_WORKING');
    const { id } = await deletedWith(agent, 'TASK_STATE_WORKING');
    const status = { state: 'TASK_STATE_COMPLETED' };
    agent.handlers['GetTask'] = (call) => call.result({ id: 'd1', contextId: 'c1', status });
    await hub.waitForTask(String(id), 'TASK_STATE_COMPLETED');
  });

  it('is polled to the end by the next process as well', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'a2a-hub-'));
    const databaseUrl = `sqlite:${join(directory, 'hub.db')}`;
    await hub.close();
    hub = await startHub({ databaseUrl });
    const agent = await agentThat('TASK_STATE_WORKING');
    const { id } = await deletedWith(agent, 'TASK_STATE_WORKING');
    await hub.close();
    const status = { state: 'TASK_STATE_COMPLETED' };
    agent.handlers['GetTask'] = (call) => call.result({ id: 'd1', contextId: 'c1', status });
    hub = await startHub({ databaseUrl });
    const path = `/api/v1/tasks/${String(id)}`;
    const end = performance.now() + 10_000;
    let shown = await hub.admin('GET', path);
    while (shown.body.state === 'working' && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      shown = await hub.admin('GET', path);
    }
    expect(shown.body.state).toBe('completed');
    await rm(directory, { recursive: true, force: true });
  });

  it('is not in the API and gets no new message', async () => {
    const agent = await agentThat('TASK_STATE_WORKING');
    await deletedWith(agent, 'TASK_STATE_WORKING');
    const shown = await hub.admin('GET', '/api/v1/agents/one');
    const listed = await hub.admin('GET', '/api/v1/agents');
    const patched = await hub.admin('PATCH', '/api/v1/agents/one', { priority: 1 });
    expect([shown.status, listed.body.items, patched.status]).toEqual([404, [], 404]);
    expect(JSON.stringify((await hub.rpcRaw('SendMessage', sendTo('one'))).body)).toMatch(/route/i);
    expect(agent.callsOf('SendStreamingMessage')).toHaveLength(1);
  });

  it('gets no further message of its open task, which then fails and is canceled with it', async () => {
    const agent = await agentThat('TASK_STATE_INPUT_REQUIRED');
    const task = await deletedWith(agent, 'TASK_STATE_INPUT_REQUIRED');
    const { id: taskId, contextId } = task as { id: string; contextId: string };
    await hub.send('more', { message: { taskId, contextId } });
    const failed = await hub.waitForTask(taskId, 'TASK_STATE_FAILED');
    expect(JSON.stringify(failed['status'])).toContain('has been deleted from the registry');
    expect(agent.callsOf('SendStreamingMessage')).toHaveLength(1);
    expect(await canceled(agent)).toEqual([SECRET]);
  });

  for (const state of ['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED']) {
    it(`keeps its work when another team gets its id (${state})`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'a2a-hub-'));
      const databaseUrl = `sqlite:${join(directory, 'hub.db')}`;
      await hub.close();
      hub = await startHub({ databaseUrl });
      const [old, other] = [await agentThat(state), await agentThat(state)];
      const { id } = await deletedWith(old, state);
      await register(other);
      const key = await hub.key();
      await hub.close();
      hub = await startHub({ databaseUrl });
      await new Promise((resolve) => setTimeout(resolve, 500));
      const answer = (await hub.rpc('CancelTask', { id }, { key })) as JsonObject;
      expect(stateOf(answer)).toBe('TASK_STATE_CANCELED');
      expect(await canceled(old)).toEqual([SECRET]);
      expect(other.calls).toEqual([]);
      await rm(directory, { recursive: true, force: true });
    });
  }

  it('keeps a message that it answers only when another team has its id', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'a2a-hub-'));
    const databaseUrl = `sqlite:${join(directory, 'hub.db')}`;
    await hub.close();
    hub = await startHub({ databaseUrl });
    const [old, other] = [
      await agentThat('TASK_STATE_WORKING'),
      await agentThat('TASK_STATE_WORKING'),
    ];
    let answer = (): void => undefined;
    const task = { id: 'd1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } };
    old.handlers['SendStreamingMessage'] = (call) => {
      answer = () => void call.event({ task }).end();
    };
    await register(old);
    const { id } = await hub.submit('x', to('one'));
    await eventually(() => expect(old.callsOf('SendStreamingMessage')).toHaveLength(1));
    expect((await hub.admin('DELETE', '/api/v1/agents/one')).status).toBe(204);
    await register(other);
    answer();
    await hub.waitForTask(String(id), 'TASK_STATE_WORKING');
    const key = await hub.key();
    await hub.close();
    hub = await startHub({ databaseUrl });
    await hub.rpc('CancelTask', { id }, { key });
    expect(await canceled(old)).toEqual([SECRET]);
    expect(other.calls).toEqual([]);
    await rm(directory, { recursive: true, force: true });
  });

  it('tells the next agent of its id none of its contexts and tasks', async () => {
    const [old, other] = [
      await agentThat('TASK_STATE_COMPLETED'),
      await agentThat('TASK_STATE_COMPLETED'),
    ];
    const { id: taskId, contextId } = await deletedWith(old, 'TASK_STATE_COMPLETED');
    await register(other);
    const more = { contextId, referenceTaskIds: [taskId], metadata: { agentId: 'one' } };
    const { id } = await hub.submit('more', { message: more });
    await hub.waitForTask(String(id), 'TASK_STATE_COMPLETED');
    const [call] = other.callsOf('SendStreamingMessage');
    expect(JSON.stringify(call!.params)).not.toMatch(/"c1"|"d1"/);
  });

  it('is not what a kill of the next agent of its id means', async () => {
    const [old, other] = [
      await agentThat('TASK_STATE_INPUT_REQUIRED'),
      await agentThat('TASK_STATE_INPUT_REQUIRED'),
    ];
    const { id } = await deletedWith(old, 'TASK_STATE_INPUT_REQUIRED');
    await register(other);
    const { id: its } = await hub.submit('x', to('one'));
    await hub.waitForTask(String(its), 'TASK_STATE_INPUT_REQUIRED');
    const killed = await hub.admin('POST', '/api/v1/agents/one:kill');
    expect(killed.body).toMatchObject({ canceled: 1, movedOn: 0 });
    await hub.waitForTask(String(its), 'TASK_STATE_CANCELED');
    expect(await canceled(other)).toEqual([SECRET]);
    await hub.waitForTask(String(id), 'TASK_STATE_INPUT_REQUIRED');
    expect(old.callsOf('CancelTask')).toEqual([]);
  });

  it('leaves its id to a new one, which counts from then on', async () => {
    const [old, fresh] = [
      await agentThat('TASK_STATE_INPUT_REQUIRED'),
      await agentThat('TASK_STATE_WORKING'),
    ];
    await deletedWith(old, 'TASK_STATE_INPUT_REQUIRED');
    await register(fresh);
    const { id } = await hub.submit('x', to('one'));
    await hub.waitForTask(String(id), 'TASK_STATE_WORKING');
    expect(old.callsOf('SendStreamingMessage')).toHaveLength(1);
    expect(fresh.callsOf('SendStreamingMessage')).toHaveLength(1);
    expect((await hub.admin('GET', '/api/v1/agents')).body.items).toHaveLength(1);
  });
});

function sendTo(agentId: string): object {
  const parts = [{ text: 'x' }];
  return { message: { messageId: 'm', role: 'ROLE_USER', parts, metadata: { agentId } } };
}
