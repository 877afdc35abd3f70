import { describe, expect, it } from '@jest/globals';
import {
  agnoEvents,
  eventsOf,
  langGraphEvents,
  langGraphTask,
} from '../support/framework-events.js';
import type { JsonObject } from '../support/json.js';
import { PeerAgents } from '../support/peer-agents.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import {
  startWireAgent,
  type Wire,
  type WireAgent,
  type WireScript,
  WIRES,
} from '../support/wire-agent.js';

const peers = new PeerAgents();
const PATH = { path: '/a2a/agents/wire' };
const RPC: Wire = { binding: 'JSONRPC', version: '1.0' };

async function agentOf(wire: Wire, script: WireScript): Promise<WireAgent> {
  const agent = await startWireAgent(wire, script);
  await peers.register(agent.url, 'wire', () => agent.close());
  return agent;
}

const send = async (): Promise<JsonObject> =>
  (await peers.hub.send('go', {}, PATH))['task'] as JsonObject;

/** What a client that streams sees: each event in a word or two. */
async function streamed(): Promise<string[]> {
  const message = { messageId: `m-${Math.random()}`, role: 'ROLE_USER', parts: [{ text: 'go' }] };
  const stream = await peers.hub.stream('SendStreamingMessage', { message }, PATH);
  return (await stream.collect()).map(({ data }) => worded(data));
}

function worded({ statusUpdate, artifactUpdate }: JsonObject): string {
  if (artifactUpdate) return `artifact ${textIn(artifactUpdate['artifact'] as JsonObject)}`;
  if (!statusUpdate) return 'task';
  const { state, message } = statusUpdate['status'] as JsonObject;
  const text = message === undefined ? '' : `: ${textIn(message as JsonObject)}`;
  return `${String(state).replace('TASK_STATE_', '')}${text}`;
}

function textIn({ parts }: JsonObject): string {
  return (parts as JsonObject[])
    .map((part) => part['text'] ?? `(${String(part['filename'])})`)
    .join(' ');
}

async function deviations(): Promise<string[]> {
  const agent = await peers.hub.admin('GET', '/api/v1/agents/wire');
  return ((agent.body as JsonObject)['deviations'] as JsonObject[]).map(({ kind }) => String(kind));
}

describe('an agent that writes events in the form of another version', () => {
  it.each(WIRES)('LangGraph, over $binding $version: each event is one', async (wire) => {
    await agentOf(wire, { stream: langGraphEvents(['Hel', 'lo']) });
    expect(await streamed()).toEqual([
      'task',
      'WORKING: Hel',
      'WORKING: lo',
      'artifact Hello (f)',
      'COMPLETED',
    ]);
    expect(await deviations()).toEqual(['other-form']);
  });

  it.each(WIRES)('the form of the other one as a whole, over $binding $version', async (wire) => {
    await agentOf(wire, { stream: eventsOf(wire.version === '1.0' ? '0.3' : '1.0') });
    expect(await streamed()).toEqual(['task', 'WORKING', 'artifact x (f)', 'INPUT_REQUIRED']);
    expect(await deviations()).toEqual(['other-form']);
  });

  it.each(WIRES)('its own form is no deviation, over $binding $version', async (wire) => {
    // HTTP+JSON 0.3 has a ProtoJSON of its own: nearly the JSON of 1.0.
    const own = wire.binding === 'JSONRPC' ? wire.version : '1.0';
    const events = eventsOf(own).filter(({ artifactUpdate }) =>
      own !== wire.version && artifactUpdate ? false : true,
    );
    await agentOf(wire, { stream: events });
    expect((await streamed()).at(-1)).toBe('INPUT_REQUIRED');
    expect(await deviations()).toEqual([]);
  });
});

describe('an event that cannot be read', () => {
  const [task, first] = langGraphEvents(['Hel']) as [JsonObject, JsonObject];
  const garbage = { kind: 'trace', taskId: 't', span: 1 };

  it.each(WIRES)('is made up for by the task itself, over $binding $version', async (wire) => {
    const agent = await agentOf(wire, {
      stream: [task, first, garbage, first],
      task: langGraphTask(['Hello']),
    });
    const done = await send();
    expect(done['status'].state).toBe('TASK_STATE_COMPLETED');
    expect(textIn(done['artifacts'][0])).toBe('Hello (f)');
    expect(agent.requested()).toBe(1);
    expect(await deviations()).toEqual(['other-form', 'unreadable-event']);
  });

  it('also where it is no JSON', async () => {
    await agentOf(RPC, { stream: [task, 'data: {"oops\n\n'], task: langGraphTask(['Hello']) });
    expect((await send())['status'].state).toBe('TASK_STATE_COMPLETED');
  });

  it('fails a task that the agent does not know then', async () => {
    const agent = await agentOf(RPC, { stream: [task, garbage] });
    const failed = await send();
    expect(failed['status'].message.parts[0].text).toBe(
      'InvalidAgentResponse: Wire agent gave an answer that is not A2A. Wire agent does not know its task any more.',
    );
    expect(agent.requested()).toBe(1);
  });

  it('is given up after three answers that cannot be read either', async () => {
    const agent = await agentOf(RPC, { stream: [task, garbage], task: { none: true } });
    const failed = await send();
    expect(failed['status'].message.parts[0].text).toMatch(
      /^InvalidAgentResponse: .* Wire agent was asked 3 times: InvalidAgentResponse: /,
    );
    expect(agent.requested()).toBe(3);
  });

  it('fails a task of which the agent has not said the id', async () => {
    const agent = await agentOf(RPC, { stream: [garbage], task: langGraphTask([]) });
    expect((await send())['status'].state).toBe('TASK_STATE_FAILED');
    expect(agent.requested()).toBe(0);
  });
});

describe('an agent that says messages while it works, and its whole task after the end', () => {
  const AGNO: Wire = { binding: 'JSONRPC', version: '0.3' };

  it.each(WIRES)('Agno, over $binding $version: progress and one end', async (wire) => {
    await agentOf(wire, { stream: agnoEvents(['ha', 'ha', '!']) });
    const told = (await streamed()).filter((each) => each !== 'task' && each !== 'WORKING');
    expect(told).toEqual(['WORKING: ha', 'WORKING: ha', 'WORKING: !', 'COMPLETED: haha!']);
    const own = wire.binding === AGNO.binding && wire.version === AGNO.version;
    expect((await deviations()).sort()).toEqual([
      'message-in-task',
      ...(own ? [] : ['other-form']),
      'task-after-end',
    ]);
  });

  it('the task may come within a second after the end', async () => {
    const events = agnoEvents(['x']);
    const stream = [...events.slice(0, -1), { pauseMs: 400 }, ...events.slice(-1)];
    await agentOf(AGNO, { stream, staysOpen: true });
    expect(textIn((await send())['status'].message)).toBe('x');
  });

  it('later than that it changes nothing', async () => {
    const events = agnoEvents(['x']);
    let goOn = (): void => undefined;
    const answered = new Promise<void>((resolve) => (goOn = resolve));
    await agentOf(AGNO, { stream: [...events.slice(0, -1), answered, ...events.slice(-1)] });
    // The hub answers although the agent does not go on.
    const { id, status } = await send();
    expect(status.message).toBeUndefined();
    goOn();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const later = await peers.hub.rpc('GetTask', { id });
    expect(later['status']).toEqual(status);
  });

  it('an end is committed as soon as the stream closes', async () => {
    await agentOf(AGNO, { stream: agnoEvents(['x']).slice(0, -1) });
    const begun = Date.now();
    expect((await send())['status'].state).toBe('TASK_STATE_COMPLETED');
    expect(Date.now() - begun).toBeLessThan(900);
  });

  it('two ends that differ are an invalid answer', async () => {
    const stream = [...agnoEvents([]).slice(0, -1), ...agnoEvents([], 'failed').slice(-1)];
    await agentOf(AGNO, { stream });
    expect((await send())['status'].message.parts[0].text).toBe(
      'InvalidAgentResponse: the agent ended its task twice, as completed and as failed.',
    );
  });
});

describe('tolerated deviations of agents', () => {
  it('is also that it cannot stream, although its card says so', async () => {
    const agent = await ScriptedAgent.start();
    agent.handlers['SendStreamingMessage'] = (call) => call.error(-32004, 'not supported');
    agent.handlers['SendMessage'] = (call) => {
      const status = { state: 'TASK_STATE_COMPLETED' };
      call.result({ task: { id: 't', context_id: 'c', status } });
    };
    await peers.register(agent.url, 'wire', () => agent.close());
    expect((await send())['status'].state).toBe('TASK_STATE_COMPLETED');
    expect((await deviations()).sort()).toEqual(['cannot-stream', 'snake-case']);
  });

  it('is none of them that it refuses a message in either way', async () => {
    const agent = await ScriptedAgent.start();
    agent.handlers['*'] = (call) => call.error(-32004, 'the task has ended');
    await peers.register(agent.url, 'wire', () => agent.close());
    expect((await send())['status'].state).toBe('TASK_STATE_FAILED');
    expect(agent.callsOf('SendMessage')).toHaveLength(1);
    expect(await deviations()).toEqual([]);
  });

  it('is logged once and shown since when, until its card is another', async () => {
    await agentOf(RPC, { stream: langGraphEvents(['a', 'b']) });
    const before = Date.now();
    await send();
    await send();
    const agent = (await peers.hub.admin('GET', '/api/v1/agents/wire')).body as JsonObject;
    const [deviation] = agent['deviations'] as JsonObject[];
    expect(deviation).toMatchObject({
      kind: 'other-form',
      what: expect.stringMatching(/form of another/),
    });
    expect(Date.parse(String(deviation?.['since']))).toBeGreaterThanOrEqual(before);
  });
});
