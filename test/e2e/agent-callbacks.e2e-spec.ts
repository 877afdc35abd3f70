import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { request } from 'undici';
import { TaskState } from '../../src/protocol/a2a.js';
import type { AgentBinding, AgentVersion } from '../support/agent-options.js';
import { type AgentTurn, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub, stateOf } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { type HttpListener, listenOnLoopback } from '../support/http-listener.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent, type ScriptedAgentOptions } from '../support/scripted-agent.js';

/** Agents that push and cannot stream; once they are known to call back, polling comes too late. */
const PUSHES = { streaming: false, pushNotifications: true };
const POLLING = { pollMinMs: 100, pollMaxMs: 600_000 };

let front: HttpListener;
let hub: Hub;
/** What agents have called the hub with, at its public address. */
const called: { url: string; headers: IncomingMessage['headers'] }[] = [];
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  // The SDK's sender tells of every call on the console.
  for (const method of ['info', 'warn'] as const) jest.spyOn(console, method).mockReturnValue();
  front = await listenOnLoopback((incoming, response) => {
    called.push({ url: String(incoming.url), headers: incoming.headers });
    const path = String(incoming.url);
    const headers = without(incoming.headers, 'host', 'connection');
    void request(`${hub.url}${path}`, { method: 'POST', headers, body: incoming })
      .then((answer) => answer.body.dump().then(() => response.writeHead(answer.statusCode).end()))
      .catch((error: unknown) => response.destroy(error as Error));
  });
  hub = await startHub({ config: { publicUrl: front.url, agents: POLLING } });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  called.length = 0;
});
afterAll(async () => {
  await hub.close();
  await front.close();
});

function without<T extends object>(object: T, ...names: string[]): Partial<T> {
  const left = Object.entries(object).filter(([name]) => !names.includes(name));
  return Object.fromEntries(left) as Partial<T>;
}

async function scripted(options: ScriptedAgentOptions): Promise<ScriptedAgent> {
  const agent = await ScriptedAgent.start({ live: { manual: true }, ...options });
  closing.push(() => agent.close());
  return agent;
}

/** An agent of 1.0 on plain JSON-RPC whose tasks the test moves, and a task it works on. */
async function begun(id: string, options: ScriptedAgentOptions = {}) {
  const agent = await scripted({ card: { capabilities: PUSHES }, ...options });
  await hub.registerAgent(agent.url, { id });
  const task = await submit(id);
  // The hub listens for calls before it asks for the first time.
  await eventually(() => expect(agent.callsOf('GetTask')).not.toHaveLength(0));
  const live = [...agent.tasks.values()][0]!;
  return { agent, task, live, config: configOf(agent) };
}

async function submit(agentId: string): Promise<string> {
  const task = await hub.submit('work', { metadata: { agentId } });
  return String(task['id']);
}

function configOf(agent: ScriptedAgent): JsonObject {
  const configuration = agent.callsOf('SendMessage')[0]!.params['configuration'] as JsonObject;
  return configuration['taskPushNotificationConfig'] as JsonObject;
}

async function callBack(url: unknown, headers: Record<string, string>, body = '{}') {
  const answer = await request(String(url), { method: 'POST', headers, body });
  return { status: answer.statusCode, text: await answer.body.text() };
}

const tokenHeader = (config: JsonObject, name = 'X-A2A-Notification-Token') => ({
  [name]: String(config['token']),
});

describe('an agent of the SDK that pushes and cannot stream', () => {
  const spoken: [AgentBinding, AgentVersion][] = [
    ['JSONRPC', '1.0'],
    ['HTTP+JSON', '1.0'],
    ['GRPC', '1.0'],
    ['JSONRPC', '0.3'],
    ['HTTP+JSON', '0.3'],
    ['GRPC', '0.3'],
  ];
  for (const [binding, version] of spoken) {
    it(`calls the hub over ${binding} ${version}, which asks it then`, async () => {
      const id = `${binding}-${version}`.toLowerCase().replace(/[^a-z0-9]/g, '-');
      const turns: AgentTurn[] = [];
      let finish = (): void => undefined;
      const agent = await startSdkAgent({
        version,
        binding,
        card: { capabilities: { ...PUSHES, extensions: [], extendedAgentCard: false } },
        execute: async (turn) => {
          turns.push(turn.task().working());
          await new Promise<void>((resolve) => (finish = resolve));
          turn.artifact('result', 'all of it').complete();
        },
      });
      closing.push(() => agent.close());
      await hub.registerAgent(agent.url, { id });
      const task = await submit(id);
      const turn = await eventually(() => {
        expect(turns).toHaveLength(1);
        return turns[0]!;
      });
      turn.status(TaskState.TASK_STATE_WORKING, 'half of it');
      await hub.waitForTask(task, (seen) => JSON.stringify(seen).includes('half of it'));
      const before = called.length;
      finish();
      expect(stateOf(await hub.waitForTask(task))).toBe('TASK_STATE_COMPLETED');
      expect(called.length).toBeGreaterThan(before);
      expect(called.every(({ url }) => url.startsWith('/callbacks/agents/'))).toBe(true);
    });
  }
});

describe('an agent that calls back', () => {
  it('is not polled once it is known to, and found out when it is asked', async () => {
    const { agent, task, live, config } = await begun('quiet');
    live.setState('TASK_STATE_WORKING', 'one');
    expect(await callBack(config['url'], tokenHeader(config))).toEqual({ status: 204, text: '' });
    await hub.waitForTask(task, (seen) => JSON.stringify(seen).includes('one'));
    await eventually(() => expect(agent.callsOf('GetTask').length).toBeGreaterThan(1));
    const requested = agent.callsOf('GetTask').length;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(agent.callsOf('GetTask').length).toBe(requested);
    live.end();
    await callBack(config['url'], { authorization: `Bearer ${String(config['token'])}` });
    await hub.waitForTask(task);
    expect(agent.callsOf('GetTask').length).toBe(requested + 1);
  });

  it('is believed nothing: what it sends is not even read', async () => {
    const { task, live, config } = await begun('liar');
    const status = { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00Z' };
    const forged = JSON.stringify({ task: { id: live.id, contextId: live.contextId, status } });
    for (const body of [forged, '{"broken', '', 'x'.repeat(20 * 1024 * 1024)]) {
      const answer = await callBack(config['url'], tokenHeader(config), body);
      expect(answer.status).toBe(204);
    }
    await hub.waitForTask(task, 'TASK_STATE_SUBMITTED');
    live.setState('TASK_STATE_WORKING', 'the truth');
    await callBack(config['url'], tokenHeader(config, 'A2A-Notification-Token'));
    await hub.waitForTask(task, (seen) => JSON.stringify(seen).includes('the truth'));
    live.end();
    await callBack(config['url'], tokenHeader(config));
    await hub.waitForTask(task);
  });

  it('is asked once for many calls', async () => {
    const { agent, task, live, config } = await begun('chatty');
    await callBack(config['url'], tokenHeader(config));
    await eventually(() => expect(agent.callsOf('GetTask').length).toBeGreaterThan(1));
    const requested = agent.callsOf('GetTask').length;
    const start = performance.now();
    await Promise.all(
      Array.from({ length: 50 }, () => callBack(config['url'], tokenHeader(config))),
    );
    live.end();
    await callBack(config['url'], tokenHeader(config));
    await hub.waitForTask(task);
    const most = Math.ceil((performance.now() - start) / POLLING.pollMinMs) + 2;
    expect(agent.callsOf('GetTask').length - requested).toBeLessThanOrEqual(most);
  });

  it('is noticed when it goes on although it has asked its client something', async () => {
    const { task, live, config } = await begun('impatient');
    live.setState('TASK_STATE_INPUT_REQUIRED', 'Which one?');
    await callBack(config['url'], tokenHeader(config));
    await hub.waitForTask(task, 'TASK_STATE_INPUT_REQUIRED');
    live.setState('TASK_STATE_WORKING', 'never mind');
    await callBack(config['url'], tokenHeader(config));
    await hub.waitForTask(task, 'TASK_STATE_WORKING');
    live.end();
    await callBack(config['url'], tokenHeader(config));
    await hub.waitForTask(task);
  });

  it('gets a config in the form of 0.3 when that is what it speaks', async () => {
    let state = 'working';
    const snapshot = () => ({ kind: 'task', id: 't1', contextId: 'c1', status: { state } });
    const agent = await scripted({
      handlers: {
        'message/send': (call) => call.result(snapshot()),
        'tasks/get': (call) => call.result(snapshot()),
      },
      card: { capabilities: PUSHES },
    });
    const common = without(agent.card(), 'supportedInterfaces');
    const card = { ...common, protocolVersion: '0.3.0', url: `${agent.url}/rpc` };
    await hub.admin('POST', '/api/v1/agents', { id: 'older', card });
    const task = await submit('older');
    const [call] = await eventually(() => {
      expect(agent.callsOf('message/send')).toHaveLength(1);
      return agent.callsOf('message/send');
    });
    const { pushNotificationConfig: config } = call!.params['configuration'] as JsonObject as {
      pushNotificationConfig: JsonObject;
    };
    expect(config).toMatchObject({
      url: expect.stringMatching(/^http.*\/callbacks\/agents\/[0-9a-f-]{36}$/),
      authentication: { schemes: ['Bearer'], credentials: config['token'] },
    });
    await hub.waitForTask(task, 'TASK_STATE_WORKING');
    state = 'completed';
    const body = JSON.stringify(snapshot());
    expect(await callBack(config['url'], tokenHeader(config), body)).toMatchObject({ status: 204 });
    await hub.waitForTask(task);
  });
});

describe('the address that agents call', () => {
  it('answers everybody without the right token alike, and does nothing', async () => {
    const { agent, task, live, config } = await begun('target');
    const other = await begun('neighbour');
    const url = String(config['url']);
    const unknown = url.replace(/[^/]+$/, '00000000-0000-7000-8000-000000000000');
    const wrong = [
      await callBack(url, {}),
      await callBack(url, { 'x-a2a-notification-token': 'x' }),
      await callBack(url, { 'x-a2a-notification-token': 'x'.repeat(8000) }),
      await callBack(url, { authorization: 'Basic eDp5' }),
      await callBack(url, { authorization: `Bearer ${hub.adminKey}` }),
      await callBack(url, tokenHeader(other.config)),
      await callBack(unknown, tokenHeader(config)),
      await callBack(unknown, {}, 'x'.repeat(100_000)),
    ];
    const direct = await hub.request('POST', new URL(unknown).pathname, '{}');
    expect(direct.status).toBe(404);
    expect(new Set(wrong.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ status: 404, text: '' })]),
    );
    expect(JSON.parse(direct.text)).toMatchObject({ status: 404 });
    for (const one of [live, other.live]) one.end();
    for (const one of [config, other.config]) await callBack(one['url'], tokenHeader(one));
    await Promise.all([task, other.task].map((id) => hub.waitForTask(id)));
    expect(agent.callsOf('CancelTask')).toEqual([]);
    // An agent may tell of the end again, or late.
    expect(await callBack(url, tokenHeader(config))).toMatchObject({ status: 204 });
  });
});

describe('no address is given', () => {
  it('to an agent that has refused it: it gets the message without, and the next ones too', async () => {
    const agent = await scripted({
      card: { capabilities: PUSHES },
      handlers: {
        SendMessage: (call) => {
          const configuration = call.params['configuration'] as JsonObject;
          if (configuration['taskPushNotificationConfig']) return call.error(-32003, 'no push');
          agent.serve(call);
        },
      },
    });
    await hub.registerAgent(agent.url, { id: 'refuses' });
    for (const calls of [2, 3]) {
      const task = await submit('refuses');
      await eventually(() => expect(agent.callsOf('SendMessage')).toHaveLength(calls));
      const live = [...agent.tasks.values()].at(-1)!;
      live.end();
      await hub.waitForTask(task);
    }
  });

  it('to one that streams, that cannot push, or when callbacks are off', async () => {
    const off = await startHub({ config: { publicUrl: front.url, agents: { callbacks: 'off' } } });
    closing.push(() => off.close());
    const cases: [Hub, string, JsonObject][] = [
      [hub, 'streams', { streaming: true, pushNotifications: true }],
      [hub, 'silent', { streaming: false, pushNotifications: false }],
      [off, 'pushes', PUSHES],
    ];
    for (const [at, id, capabilities] of cases) {
      const agent = await scripted({ card: { capabilities }, live: {} });
      await at.registerAgent(agent.url, { id });
      await at.send('work', { metadata: { agentId: id } });
      const [call] = agent.calls.filter(({ method }) => method.startsWith('Send'));
      const configuration = call!.params['configuration'] as JsonObject;
      expect(configuration['taskPushNotificationConfig']).toBeUndefined();
    }
  });
});
