import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Egress } from '../../src/common/egress/egress.js';
import { agnoEvents } from '../support/framework-events.js';
import { startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { listenOnLoopback } from '../support/http-listener.js';
import type { JsonObject } from '../support/json.js';
import { OpenEgress } from '../support/open-egress.js';
import { ScriptedAgent, type ScriptedAgentOptions } from '../support/scripted-agent.js';
import { startWireAgent } from '../support/wire-agent.js';

const CHECK = '/api/v1/agents:check';
const closing: (() => Promise<unknown>)[] = [];
let hub: Hub;

beforeAll(async () => {
  hub = await startHub({ providers: [{ provide: Egress, useValue: new OpenEgress() }] });
});
afterAll(() => hub.close());
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function scripted(options: ScriptedAgentOptions = {}): Promise<ScriptedAgent> {
  const agent = await ScriptedAgent.start(options);
  closing.push(() => agent.close());
  return agent;
}

async function checked(cardUrl: string, more: JsonObject = {}): Promise<JsonObject> {
  const answer = await hub.admin('POST', CHECK, { cardUrl, ...more });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as JsonObject;
}

const probed = async (cardUrl: string, more: JsonObject = {}): Promise<JsonObject> =>
  (await checked(cardUrl, { probe: true, ...more }))['probe'] as JsonObject;

describe('a check without a probe', () => {
  it('reads the card as registering does, sends nothing and registers nothing', async () => {
    const agent = await scripted({ name: 'Careful' });
    expect(await checked(agent.url)).toMatchObject({
      name: 'Careful',
      endpoint: { url: `${agent.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      interfaces: [{ chosen: true }],
      endpointResolves: true,
      signature: { outcome: 'unsigned', reason: 'The card is not signed.' },
      card: { name: 'Careful', skills: [{ id: expect.any(String) }] },
      probe: null,
    });
    expect(agent.calls).toEqual([]);
    expect((await hub.admin('GET', '/api/v1/agents')).body.items).toEqual([]);
  });

  it('fails as registering does', async () => {
    const answer = await hub.admin('POST', CHECK, { cardUrl: 'http://10.0.0.1' });
    expect(answer).toMatchObject({ status: 422 });
    expect((await hub.admin('POST', CHECK, {})).status).toBe(400);
    expect((await hub.admin('POST', CHECK, { cardUrl: 'http://a.example' }, 'none')).status).toBe(
      401,
    );
  });
});

describe('a probe', () => {
  it('tells what a good agent does, and leaves no task behind', async () => {
    const agent = await scripted();
    expect(await probed(agent.url, { probeText: 'Say something' })).toMatchObject({
      outcome: 'answered',
      error: null,
      answer: 'completed',
      streams: 'yes',
      answersGetTask: 'yes',
      listsTasks: 'yes',
      cancels: 'yes',
      deviations: [],
      firstAnswerMs: expect.any(Number),
      endMs: expect.any(Number),
      oldWire: null,
      recommendations: [],
    });
    const [sent, ...others] = agent.callsOf('SendStreamingMessage');
    expect([sent?.text, others]).toEqual(['Say something', []]);
    expect((await hub.admin('GET', '/api/v1/tasks')).body.items).toEqual([]);
  });

  it.each([
    ['JSONRPC', '0.3'],
    ['HTTP+JSON', '1.0'],
    ['HTTP+JSON', '0.3'],
    ['GRPC', '1.0'],
    ['GRPC', '0.3'],
  ] as const)('of an agent on the SDK, over %s %s', async (binding, version) => {
    const agent = await startSdkAgent({ binding, version });
    closing.push(() => agent.close());
    expect(await probed(agent.url)).toMatchObject({
      outcome: 'answered',
      endpoint: { protocolBinding: binding, protocolVersion: version },
      answer: 'completed',
      streams: 'yes',
      answersGetTask: 'yes',
      listsTasks: version === '1.0' ? 'yes' : 'not-tested',
      cancels: 'yes',
      files: version === '0.3' && binding !== 'JSONRPC' ? 'once' : null,
      recommendations: [],
    });
  });

  it('recommends not to stream where the card is wrong about it', async () => {
    const cannot = (call: { error(code: number, message: string): void }): void =>
      call.error(-32004, 'no streams here');
    const agent = await scripted({ handlers: { SendStreamingMessage: cannot, ListTasks: cannot } });
    expect(await probed(agent.url)).toMatchObject({
      outcome: 'answered',
      streams: 'no',
      listsTasks: 'no',
      deviations: ['cannot-stream'],
      recommendations: [{ patch: { switches: { streaming: 'off' } } }],
    });
    const off = await probed(agent.url, { switches: { streaming: 'off' } });
    expect(off).toMatchObject({ streams: 'not-tested', deviations: [], recommendations: [] });
  });

  it('recommends to wait for an agent that does not know its tasks', async () => {
    const agent = await scripted({
      streaming: false,
      live: { everyMs: 50 },
      handlers: { GetTask: (call) => call.error(-32001, 'Task not found') },
    });
    expect(await probed(agent.url)).toMatchObject({
      outcome: 'broke-off',
      error: expect.stringContaining('does not know the task'),
      answersGetTask: 'no',
      recommendations: [{ patch: { switches: { blocking: 'on' } } }],
    });
  });

  it('says why a question has no clear answer', async () => {
    // As a2a-go 2.3.1 without a login, and fasta2a, whose cancel waits for its worker.
    const agent = await scripted({
      handlers: {
        ListTasks: (call) => call.error(-31401, 'failed to list tasks: unauthenticated'),
        CancelTask: () => undefined,
      },
    });
    const { listsTasks, cancels, doubts } = await probed(agent.url);
    expect([listsTasks, cancels]).toEqual(['unclear', 'unclear']);
    expect(doubts).toEqual([
      expect.stringMatching(/^ListTasks: The agent refused the request: .*unauthenticated/),
      'CancelTask: There was no answer in time.',
    ]);
  });

  it('tells what the task of the probe failed of', async () => {
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'No OPENAI_API_KEY' }] };
    const status = { state: 'TASK_STATE_FAILED', message };
    const task = { id: 't', contextId: 'c', status };
    const agent = await scripted({
      streaming: false,
      handlers: {
        SendMessage: (call) => call.result({ task }),
        GetTask: (call) => call.result(task),
      },
    });
    expect(await probed(agent.url)).toMatchObject({
      outcome: 'answered',
      answer: 'failed',
      error: 'The message ended in a task that is failed: No OPENAI_API_KEY',
      recommendations: [{ patch: null, why: expect.stringContaining('own log') }],
    });
  });

  it('says what it forgave', async () => {
    const wire = { binding: 'JSONRPC', version: '1.0' } as const;
    const agent = await startWireAgent(wire, { stream: agnoEvents(['Hello']) });
    closing.push(() => agent.close());
    const { deviations, answer } = await probed(agent.url);
    const tolerated = ['other-form', 'message-in-task', 'task-after-end'];
    expect([deviations, answer]).toEqual([tolerated, 'completed']);
  });

  it('has a deadline, and cancels what goes on then', async () => {
    const agent = await scripted({ live: { manual: true } });
    expect(await probed(agent.url, { probeTimeoutMs: 200 })).toMatchObject({
      outcome: 'late',
      answer: 'submitted',
      endMs: null,
      cancels: 'yes',
    });
    expect([...agent.tasks.values()].map(({ state }) => state)).toEqual(['TASK_STATE_CANCELED']);
    const silent = await scripted({ handlers: { '*': () => undefined } });
    expect(await probed(silent.url, { probeTimeoutMs: 200 })).toMatchObject({
      outcome: 'late',
      answer: null,
      firstAnswerMs: null,
    });
  });

  it('looks no more often than twice a second, whatever the interval it is given', async () => {
    const agent = await scripted({ streaming: false, live: { manual: true } });
    const more = { probeTimeoutMs: 700, switches: { pollIntervalMs: 10 } };
    expect(await probed(agent.url, more)).toMatchObject({ outcome: 'late' });
    expect(agent.callsOf('GetTask').length).toBeLessThanOrEqual(3);
  });

  it('quotes what a task of the agent says, without the access token that was sent', async () => {
    const server = await listenOnLoopback((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"access_token":"token-never-shown","token_type":"bearer"}');
    });
    closing.push(server.close);
    const agent = await scripted({
      streaming: false,
      handlers: {
        '*': (call) => {
          const words = `saw ${String(call.headers.authorization)}`;
          const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: words }] };
          const status = { state: 'TASK_STATE_FAILED', message };
          call.result({ task: { id: 't', contextId: 'c', status } });
        },
      },
    });
    const probe = await probed(agent.url, {
      authentication: {
        type: 'oauth2-client-credentials',
        tokenUrl: `${server.url}/token`,
        clientId: 'hub',
        clientSecret: 'secret-never-shown',
      },
    });
    expect(agent.calls[0]?.headers.authorization).toBe('Bearer token-never-shown');
    expect(probe['error']).toContain('saw ');
    expect(JSON.stringify(probe)).not.toContain('never-shown');
  });

  it("quotes the agent's refusal, without its secrets", async () => {
    const refuse = (call: { error(code: number, message: string): void }): void =>
      call.error(-32602, 'assistant_id is missing\nfor Bearer abc-s3cret');
    const agent = await scripted({ handlers: { '*': refuse } });
    const credentials = { authorization: 'Bearer abc-s3cret' };
    expect(await probed(agent.url, { credentials })).toMatchObject({
      outcome: 'refused',
      error: expect.stringMatching(
        /: the agent answered: assistant_id is missing\\u000afor .*\*\*\*/,
      ),
    });
  });

  it('does not quote an agent that only egress.allow opens', async () => {
    const listed = await startHub();
    closing.push(() => listed.close());
    const refuse = (call: { error(code: number, message: string): void }): void =>
      call.error(-32602, 'assistant_id is missing');
    const agent = await scripted({ handlers: { '*': refuse } });
    const answer = await listed.admin('POST', CHECK, { cardUrl: agent.url, probe: true });
    expect(answer.body.probe.error).toBe(
      'The agent refused the request (invalid parameters, -32602).',
    );
  });

  it('is held to the limits of every answer', async () => {
    const agent = await scripted({
      streaming: false,
      handlers: { '*': (call) => call.result({ task: nested(200) }) },
    });
    expect(await probed(agent.url)).toMatchObject({ outcome: 'unreadable' });
  });

  it('is refused while four others are under way', async () => {
    const agent = await scripted({ handlers: { '*': () => undefined } });
    const body = { cardUrl: agent.url, probe: true, probeTimeoutMs: 1500 };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => hub.admin('POST', CHECK, body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429, 429]);
    const audit = await hub.admin('GET', '/api/v1/audit?action=limits.exceed');
    expect(audit.body.items).toEqual([
      expect.objectContaining({
        outcome: 'refused',
        details: expect.objectContaining({
          ...{ reason: 'RATE_LIMITED', limit: { kind: 'probes' } },
          route: 'POST /api/v1/agents:check',
        }),
      }),
    ]);
  });
});

describe('registering', () => {
  afterEach(async () => {
    for (const { id } of (await hub.admin('GET', '/api/v1/agents')).body.items as JsonObject[]) {
      await hub.admin('DELETE', `/api/v1/agents/${id}`);
    }
  });

  const register = (cardUrl: string, more: JsonObject = {}) =>
    hub.admin('POST', '/api/v1/agents', { cardUrl, ...more });

  it('sends nothing unless it is asked to, and tells what a probe found', async () => {
    const agent = await scripted();
    const silent = await register(agent.url, { id: 'one' });
    expect(silent).toMatchObject({ status: 201, body: { report: { probe: null } } });
    expect(agent.calls).toEqual([]);
    const told = await register(agent.url, { id: 'two', probe: true });
    expect(told).toMatchObject({
      status: 201,
      body: {
        report: { probe: { outcome: 'answered' } },
        deviations: [],
        health: { state: 'unknown' },
      },
    });
  });

  it('stands when the probe fails', async () => {
    const agent = await scripted({ handlers: { '*': (call) => call.cut() } });
    const answer = await register(agent.url, { id: 'cut', probe: true, probeTimeoutMs: 500 });
    expect(answer).toMatchObject({
      status: 201,
      body: { report: { probe: { outcome: 'broke-off' } } },
    });
    expect((await hub.admin('GET', '/api/v1/agents/cut')).status).toBe(200);
  });

  it('of an id that is taken asks the agent nothing', async () => {
    const agent = await scripted();
    await register(agent.url, { id: 'taken' });
    expect((await register(agent.url, { id: 'taken', probe: true })).status).toBe(409);
    expect(agent.calls).toEqual([]);
  });
});

describe('an agent of python-a2a, from before A2A 0.2', () => {
  it('is refused by its card, unless the operator pins a version', async () => {
    const { url } = await pythonA2a({ google_a2a_compatible: true }, { protocolVersion: '0.3.0' });
    const answer = await hub.admin('POST', '/api/v1/agents', { cardUrl: url });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'card', description: expect.stringContaining('python-a2a') }] },
    });
    expect((await hub.admin('POST', CHECK, { cardUrl: url })).status).toBe(400);
    expect(await checked(url, { protocolVersion: '0.3' })).toMatchObject({ name: 'Travel' });
  });

  it('is refused where a probe shows it', async () => {
    const { url, requested } = await pythonA2a({});
    const probe = await probed(url);
    expect(probe).toMatchObject({
      outcome: 'unreadable',
      oldWire: expect.stringContaining('as python-a2a has it'),
      recommendations: [{ patch: null }],
    });
    const answer = await hub.admin('POST', '/api/v1/agents', { cardUrl: url, probe: true });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'cardUrl' }] } });
    expect(answer.body.detail).toContain('before A2A 0.2');
    expect((await hub.admin('GET', '/api/v1/agents')).body.items).toEqual([]);
    expect(requested()).toBe(2);
  });
});

/** Answers a message to its address as python-a2a does: with one of its own, and no JSON-RPC. */
async function pythonA2a(capabilities: JsonObject, more: JsonObject = {}) {
  let requested = 0;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('content-type', 'application/json');
    if (request.method === 'POST') {
      requested += 1;
      const content = { type: 'text', text: 'I can help with travel.' };
      return void response.end(JSON.stringify({ content, role: 'agent', message_id: 'm' }));
    }
    if (request.url !== '/.well-known/agent.json') return void response.writeHead(404).end('{}');
    const skills = [{ id: 's', name: 'Plan', description: '', tags: [] }];
    const card = { name: 'Travel', description: '', url, version: '1.0.0', capabilities, skills };
    response.end(JSON.stringify({ ...card, ...more }));
  };
  const { url, close } = await listenOnLoopback(answer);
  closing.push(close);
  return { url, requested: () => requested };
}

function nested(levels: number): JsonObject {
  let metadata: JsonObject = {};
  for (let level = 0; level < levels; level++) metadata = { metadata };
  return { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' }, metadata };
}
