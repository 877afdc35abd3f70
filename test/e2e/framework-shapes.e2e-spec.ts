import { describe, expect, it } from '@jest/globals';
import { agnoEvents, langGraphEvents } from '../support/framework-events.js';
import {
  agentFrameworkCard,
  AGNO_CANCELED,
  agnoCard,
  beeAi,
  googleAdkAsking,
  javaSdk,
  javaSdkTask,
  langGraphAsking,
  pydanticAi,
  strands,
} from '../support/framework-stories.js';
import type { JsonObject } from '../support/json.js';
import { PeerAgents } from '../support/peer-agents.js';
import {
  startWireAgent,
  type Wire,
  type WireAgent,
  type WireScript,
} from '../support/wire-agent.js';

const peers = new PeerAgents();
const PATH = { path: '/a2a/agents/wire' };
const V1: Wire = { binding: 'JSONRPC', version: '1.0' };
const V03: Wire = { binding: 'JSONRPC', version: '0.3' };

async function agentOf(wire: Wire, script: WireScript): Promise<WireAgent> {
  const agent = await startWireAgent(wire, script);
  await peers.register(agent.url, 'wire', () => agent.close());
  return agent;
}

const send = async (message: JsonObject = {}): Promise<JsonObject> =>
  (await peers.hub.send('go', { message }, PATH))['task'] as JsonObject;

const stateOf = (task: JsonObject): string => task['status'].state.replace('TASK_STATE_', '');

const textsOf = (task: JsonObject): string[] =>
  ((task['artifacts'] ?? []) as JsonObject[]).map(({ parts }) =>
    (parts as JsonObject[]).map(({ text }) => text).join(''),
  );

async function registered(): Promise<JsonObject> {
  return (await peers.hub.admin('GET', '/api/v1/agents/wire')).body as JsonObject;
}

const deviations = async (): Promise<string[]> =>
  ((await registered())['deviations'] as JsonObject[]).map(({ kind }) => String(kind)).sort();

/** A task at work, and what its cancel answers. */
async function canceled(): Promise<JsonObject> {
  const { id } = await peers.hub.submit('go', {}, PATH);
  await peers.hub.waitForTask(String(id), (task) => stateOf(task) === 'WORKING');
  return (await peers.hub.rpc('CancelTask', { id })) as JsonObject;
}

describe('agents of frameworks, as they are', () => {
  it('pydantic-ai: the whole artifact takes the place of its pieces', async () => {
    await agentOf(V1, { stream: pydanticAi(['echo:', ' hi']) });
    const task = await send();
    expect([stateOf(task), textsOf(task)]).toEqual(['COMPLETED', ['echo: hi']]);
    expect(await deviations()).toEqual([]);
  });

  it('beeai: the answer is what the last status says', async () => {
    await agentOf(V03, { stream: beeAi('done') });
    const task = await send();
    expect(stateOf(task)).toBe('COMPLETED');
    expect(task['status'].message.parts[0].text).toBe('done');
  });

  it('strands: words as progress, and one artifact', async () => {
    await agentOf(V03, { stream: strands(['echo:', ' hi']) });
    const task = await send();
    expect([stateOf(task), textsOf(task)]).toEqual(['COMPLETED', ['echo: hi\n']]);
    expect(await deviations()).toEqual([]);
  });

  it('the Java SDK: what comes behind the end is asked for', async () => {
    const words = ['echo:', ' hi', ' there'];
    const agent = await agentOf(V03, { stream: javaSdk(words), task: javaSdkTask(words) });
    const task = await send();
    expect([stateOf(task), textsOf(task)]).toEqual(['COMPLETED', ['echo: hi there']]);
    expect(agent.requested()).toBe(1);
    expect(await deviations()).toEqual(['out-of-order']);
  });

  it('the Java SDK: or taken as it came, where the agent does not know its task', async () => {
    await agentOf(V03, { stream: javaSdk(['hi', ' there']) });
    const task = await send();
    expect([stateOf(task), textsOf(task)]).toEqual(['COMPLETED', ['hi']]);
  });

  it('agent-framework: an interface without a version is one of 1.0', async () => {
    await agentOf(V1, { stream: pydanticAi(['hi']), card: agentFrameworkCard });
    expect(stateOf(await send())).toBe('COMPLETED');
    const { protocolBinding, protocolVersion } = (await registered())['endpoint'] as JsonObject;
    expect([protocolBinding, protocolVersion]).toEqual(['JSONRPC', '1.0']);
  });

  it('agno: each method at its own address', async () => {
    const stream = agnoEvents(['ha']).slice(0, 1);
    const script = { stream, staysOpen: true, card: agnoCard, cancel: AGNO_CANCELED };
    const agent = await agentOf(V03, script);
    expect(stateOf(await canceled())).toBe('CANCELED');
    expect(agent.calls()).toEqual([
      '/a2a/agents/echo/v1/message:stream message/stream',
      '/a2a/agents/echo/v1/tasks:cancel tasks/cancel',
    ]);
    expect(await deviations()).toEqual(['address-per-method']);
  });

  it('agno: is asked for a task with its context', async () => {
    const status = { state: 'completed' };
    const task = { kind: 'task', id: 't', contextId: 'c', status };
    const agent = await agentOf(V03, {
      stream: agnoEvents(['ha']).slice(0, 1),
      task,
      card: agnoCard,
    });
    expect(stateOf(await send())).toBe('COMPLETED');
    expect(agent.calls()).toContain('/a2a/agents/echo/v1/tasks:get tasks/get');
    expect(agent.paramsOf('tasks/get')).toEqual({ id: 't', contextId: 'c' });
  });

  it('google-adk: a call of a tool that a person answers is the question', async () => {
    await agentOf(V1, { stream: googleAdkAsking(), further: pydanticAi(['blue']) });
    const requested = await send();
    expect(stateOf(requested)).toBe('INPUT_REQUIRED');
    expect(requested['status'].message.parts[0].data.args.question).toBe('Which colour?');
    const done = await send({ taskId: requested['id'] });
    expect([done['id'], stateOf(done)]).toEqual([requested['id'], 'COMPLETED']);
    expect(await deviations()).toEqual([]);
  });

  it('langgraph: an interrupt is asked as an artifact, and its answer goes on', async () => {
    await agentOf(V1, { stream: langGraphAsking(), further: langGraphEvents(['blue']) });
    const requested = await send();
    expect(stateOf(requested)).toBe('INPUT_REQUIRED');
    const [interrupt] = requested['artifacts'] as JsonObject[];
    expect(interrupt).toMatchObject({
      name: 'Interrupt',
      parts: [{ data: { value: 'Which colour?' } }],
    });
    const done = await send({ taskId: requested['id'] });
    expect([done['id'], stateOf(done)]).toEqual([requested['id'], 'COMPLETED']);
  });
});
