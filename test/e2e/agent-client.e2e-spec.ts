import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Role, type StreamResponse, TaskState } from '@a2a-js/sdk';
import { chooseEndpoint } from '../../src/agents/card/choose-endpoint.js';
import { CardReader } from '../../src/agents/card/card-reader.js';
import { SdkAgentClient } from '../../src/agents/client/sdk-agent.client.js';
import type { Agent } from '../../src/agents/agent.js';
import type { AgentCallError } from '../../src/agents/agent-client.js';
import { Egress } from '../../src/common/egress/egress.js';
import { configWith } from '../../src/config/index.js';
import { anAgent } from '../contract/agent-store.contract.js';
import { type SdkAgentOptions, startSdkAgent, textOf, textPart } from '../support/agents.js';
import { ScriptedAgent, type ScriptedAgentOptions } from '../support/scripted-agent.js';

const egress = new Egress({ allow: ['127.0.0.1'] });
const client = new SdkAgentClient(egress, configWith({}));
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The agent as the registry would have it. */
async function register(url: string, changes: Partial<Agent> = {}): Promise<Agent> {
  const { card, original } = await new CardReader(egress).find(url, {});
  const { endpoint } = chooseEndpoint(card);
  return anAgent('under-test', { card, originalCard: original, endpoint, ...changes });
}

async function sdkAgent(options: SdkAgentOptions) {
  const running = await startSdkAgent(options);
  closing.push(() => running.close());
  return { running, agent: await register(running.url) };
}

async function scripted(options: ScriptedAgentOptions, changes: Partial<Agent> = {}) {
  const running = await ScriptedAgent.start(options);
  closing.push(() => running.close());
  return { running, agent: await register(running.url, changes) };
}

/** An agent that answers every POST with the same bytes. */
async function raw(
  status: number,
  body: string,
  contentType: string,
  changes: Partial<Agent> = {},
) {
  const server: Server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': contentType }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return anAgent('raw', { endpoint: endpoint(url), ...changes });
}

function endpoint(
  url: string,
  protocolVersion: '1.0' | '0.3' = '1.0',
  protocolBinding: 'JSONRPC' | 'HTTP+JSON' = 'JSONRPC',
) {
  return { url, protocolBinding, protocolVersion, tenant: '' };
}

function hello(text = 'hello', changes: object = {}) {
  return {
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [textPart(text)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...changes,
    },
    metadata: undefined,
    acceptedOutputModes: [],
  };
}

const options = (changes: object = {}) => ({ signal: new AbortController().signal, ...changes });

async function all(events: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const seen: StreamResponse[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const kinds = (events: StreamResponse[]) => events.map((event) => event.payload?.$case);
const failure = (promise: Promise<unknown>): Promise<AgentCallError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: AgentCallError) => error,
  );

describe.each(['1.0', '0.3'] as const)('calling an SDK agent of protocol %s', (version) => {
  it('streams the answer in the 1.0 model', async () => {
    const { agent } = await sdkAgent({ version });
    expect(agent.endpoint.protocolVersion).toBe(version);
    const events = await all(client.stream(agent, hello(), options()));
    expect(kinds(events)).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate']);
    const artifact = events.find((event) => event.payload?.$case === 'artifactUpdate')?.payload;
    expect(artifact?.$case === 'artifactUpdate' && textOf(artifact.value.artifact?.parts)).toBe(
      'echo: hello',
    );
  });

  it('sends without blocking, gets, and follows a task by subscription', async () => {
    const { agent } = await sdkAgent({
      version,
      execute: async (turn) => {
        turn.task().working('busy');
        await turn.pause(150);
        turn.artifact('a', 'late').complete();
      },
    });
    const sent = await client.send(agent, hello(), options());
    if (!('task' in sent)) throw new Error('not a task');
    const followed = await all(client.subscribe(agent, sent.task.id, options()));
    expect(kinds(followed)).toContain('artifactUpdate');
    const task = await client.getTask(agent, sent.task.id, options());
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(textOf(task.artifacts[0]?.parts)).toBe('late');
    expect(textOf(task.history[0]?.parts)).toBe('hello');
  });

  it('gives a plain message as a message', async () => {
    const { agent } = await sdkAgent({ version, execute: (turn) => void turn.reply('just so') });
    const sent = await client.send(agent, hello(), options());
    expect('message' in sent && textOf(sent.message.parts)).toBe('just so');
    expect(kinds(await all(client.stream(agent, hello(), options())))).toEqual(['message']);
  });

  it('cancels', async () => {
    const { agent } = await sdkAgent({
      version,
      execute: async (turn) => {
        turn.task().working();
        await turn.pause(5000);
      },
    });
    const sent = await client.send(agent, hello(), options());
    if (!('task' in sent)) throw new Error('not a task');
    const task = await client.cancel(agent, sent.task.id, options());
    expect(task.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  });

  it('tells why a task cannot be canceled', async () => {
    const { agent } = await sdkAgent({ version });
    const sent = await client.send(agent, hello(), options());
    if (!('task' in sent)) throw new Error('not a task');
    await all(client.subscribe(agent, sent.task.id, options())).catch(() => undefined);
    const error = await failure(client.cancel(agent, sent.task.id, options()));
    expect(error).toMatchObject({ kind: 'rejected', detail: { code: -32002 } });
  });

  it('knows a task the agent does not have from other refusals', async () => {
    const { agent } = await sdkAgent({ version });
    expect(await failure(client.getTask(agent, 'nope', options()))).toMatchObject({
      kind: 'not-found',
      detail: { code: -32001 },
    });
    const events = all(client.subscribe(agent, 'nope', options()));
    expect(await failure(events)).toMatchObject({ kind: 'not-found' });
  });

  it('always says its version, and sends extensions, hops, trace and credentials', async () => {
    const { running, agent } = await sdkAgent({ version });
    const known = { ...agent, credentials: { authorization: 'Bearer abcdef' } };
    await all(
      client.stream(
        known,
        hello(),
        options({
          extensions: ['urn:a', 'urn:b'],
          hops: ['hub-1', 'hub-2'],
          traceparent: '00-a-b-01',
        }),
      ),
    );
    const header = version === '1.0' ? 'a2a-extensions' : 'x-a2a-extensions';
    expect(running.calls[0]?.headers).toMatchObject({
      'a2a-version': version,
      [header]: 'urn:a,urn:b',
      'a2a-hub-hops': 'hub-1,hub-2',
      traceparent: '00-a-b-01',
      authorization: 'Bearer abcdef',
    });
  });

  it('never sends a push config', async () => {
    const { running, agent } = await sdkAgent({ version });
    await all(client.stream(agent, hello(), options()));
    await client.send(agent, hello(), options());
    expect(running.calls).toHaveLength(2);
    expect(JSON.stringify(running.calls.map((call) => call.body))).not.toMatch(/push/i);
  });
});

describe('calling an agent of protocol 0.x', () => {
  it('always sends acceptedOutputModes and says whether it waits', async () => {
    const { running, agent } = await sdkAgent({ version: '0.3' });
    await client.send(agent, hello(), options());
    await all(client.stream(agent, hello(), options()));
    expect(running.calls.map((call) => call.body['params'].configuration)).toEqual([
      { blocking: false, acceptedOutputModes: [] },
      { blocking: true, acceptedOutputModes: [] },
    ]);
  });

  it('speaks 0.3 to an agent whose card is of version 0.2.5', async () => {
    const card: Record<string, unknown> = {
      supportedInterfaces: undefined,
      protocolVersion: '0.2.5',
    };
    const running = await ScriptedAgent.start({
      card,
      handlers: {
        'message/send': (call) =>
          call.result({ kind: 'task', id: 't', contextId: 'c', status: { state: 'submitted' } }),
      },
    });
    closing.push(() => running.close());
    card['url'] = `${running.url}/rpc`;
    const agent = await register(running.url);
    expect(JSON.parse(agent.originalCard).protocolVersion).toBe('0.2.5');
    expect(agent.endpoint.protocolVersion).toBe('0.3');
    const sent = await client.send(agent, hello(), options());
    expect('task' in sent && sent.task.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
    expect(running.calls.map((call) => call.method)).toEqual(['message/send']);
  });

  it('cannot find a task by its message and asks nothing', async () => {
    const { running, agent } = await sdkAgent({ version: '0.3' });
    expect(await client.findTaskByMessage(agent, 'c', 'm', options())).toBeUndefined();
    expect(running.calls).toEqual([]);
  });

  it('reads fasta2a 0.5: snake_case answers and timestamps without a zone', async () => {
    const answer = {
      id: 't',
      context_id: 'c',
      kind: 'task',
      status: { state: 'completed', timestamp: '2026-11-21T02:15:22.137971' },
      history: [
        { role: 'user', kind: 'message', message_id: 'm', parts: [{ kind: 'text', text: 'x' }] },
      ],
      artifacts: [
        { artifact_id: 'a', parts: [{ kind: 'data', data: { snake_key: 1 } }], name: 'result' },
      ],
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: answer });
    const agent = await raw(200, body, 'application/json');
    const task = await client.getTask(
      { ...agent, endpoint: { ...agent.endpoint, protocolVersion: '0.3' } },
      't',
      options(),
    );
    expect(task).toMatchObject({ id: 't', contextId: 'c' });
    expect(task.status?.timestamp).toBe('2026-11-21T02:15:22.137971Z');
    expect(task.history[0]?.messageId).toBe('m');
    expect(task.artifacts[0]).toMatchObject({
      artifactId: 'a',
      parts: [{ content: { $case: 'data', value: { snake_key: 1 } } }],
    });
  });

  it('reads JSON-RPC answers of type text/plain', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: { kind: 'task', id: 't', contextId: 'c', status: { state: 'working' } },
    });
    const agent = await raw(200, body, 'text/plain; charset=utf-8');
    const legacy = { ...agent, endpoint: endpoint(agent.endpoint.url, '0.3') };
    expect((await client.getTask(legacy, 't', options())).id).toBe('t');
  });

  it('takes the state unknown for unspecified, which means ask again', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: { kind: 'task', id: 't', contextId: 'c', status: { state: 'unknown' } },
    });
    const agent = await raw(200, body, 'application/json');
    const legacy = { ...agent, endpoint: endpoint(agent.endpoint.url, '0.3') };
    const task = await client.getTask(legacy, 't', options());
    expect(task.status?.state).toBe(TaskState.TASK_STATE_UNSPECIFIED);
  });

  it('joins pretty-printed REST events that span many data lines', async () => {
    const event = {
      statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
    };
    const lines = JSON.stringify(event, null, 2).replaceAll('\n', '\r\ndata: ');
    const agent = await raw(200, `data: ${lines}\r\n\r\n`, 'text/event-stream');
    const legacy = { ...agent, endpoint: endpoint(agent.endpoint.url, '0.3', 'HTTP+JSON') };
    expect(kinds(await all(client.stream(legacy, hello(), options())))).toEqual(['statusUpdate']);
  });
});

describe('finding a task by its first message', () => {
  it('asks a 1.0 agent by context and gives the whole task', async () => {
    const { agent } = await sdkAgent({ version: '1.0' });
    await client.send(agent, hello('one', { messageId: 'm1' }), options());
    const sent = await client.send(agent, hello('two', { messageId: 'm2' }), options());
    if (!('task' in sent)) throw new Error('not a task');
    const { contextId, id } = sent.task;
    const found = await client.findTaskByMessage(agent, contextId, 'm2', options());
    expect(found?.id).toBe(id);
    expect(await client.findTaskByMessage(agent, contextId, 'm1', options())).toBeUndefined();
  });

  it('is told nothing by an agent without ListTasks', async () => {
    const { agent } = await scripted({
      handlers: { ListTasks: (call) => call.error(-32601, 'Method not found') },
    });
    expect(await client.findTaskByMessage(agent, 'c', 'm', options())).toBeUndefined();
  });
});

describe('calling an agent that misbehaves', () => {
  const working = {
    statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
  };

  it.each([
    ['garbage', 'not json', 'invalid'],
    ['HTML', '<html></html>', 'invalid'],
    ['nothing', '', 'invalid'],
    ['a list', '[]', 'invalid'],
    ['null', 'null', 'invalid'],
    ['no result', '{"jsonrpc":"2.0","id":1}', 'invalid'],
    ['another protocol', '{"jsonrpc":"1.0","id":1,"result":{"id":"t"}}', 'invalid'],
    ['a task without id', '{"jsonrpc":"2.0","id":1,"result":{"status":{"state":3}}}', 'invalid'],
    ['a task without status', '{"jsonrpc":"2.0","id":1,"result":{"id":"t"}}', 'invalid'],
    [
      'an unknown state',
      '{"jsonrpc":"2.0","id":1,"result":{"id":"t","status":{"state":"X"}}}',
      'invalid',
    ],
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"boom"}}', 'rejected'],
    [
      'an error without id',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}',
      'rejected',
    ],
  ])('classifies %s', async (_name, body, kind) => {
    const agent = await raw(200, body, 'application/json');
    expect((await failure(client.getTask(agent, 't', options()))).kind).toBe(kind);
  });

  it('takes an error of null beside a result for none', async () => {
    const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };
    const agent = await raw(
      200,
      JSON.stringify({ jsonrpc: '2.0', id: 1, result: task, error: null }),
      'application/json',
    );
    expect((await client.getTask(agent, 't', options())).id).toBe('t');
  });

  it.each([
    [500, 'rejected'],
    [400, 'rejected'],
    [401, 'rejected'],
    [404, 'rejected'],
    [302, 'rejected'],
    [503, 'rejected'],
    [502, 'interrupted'],
    [504, 'interrupted'],
  ])('classifies HTTP %i as %s, on sends and streams', async (status, kind) => {
    const agent = await raw(status, 'Internal Server Error', 'text/plain');
    const expected = { kind, detail: { httpStatus: status } };
    expect(await failure(client.send(agent, hello(), options()))).toMatchObject(expected);
    expect(await failure(all(client.stream(agent, hello(), options())))).toMatchObject(expected);
  });

  it('knows REST errors of both versions', async () => {
    const modern = JSON.stringify({
      error: {
        code: 404,
        status: 'NOT_FOUND',
        message: 'no',
        details: [{ reason: 'TASK_NOT_FOUND' }],
      },
    });
    const agent = await raw(404, modern, 'application/json');
    const rest = { ...agent, endpoint: endpoint(agent.endpoint.url, '1.0', 'HTTP+JSON') };
    expect((await failure(client.getTask(rest, 't', options()))).kind).toBe('not-found');
    const legacy = await raw(409, '{"code":-32002,"message":"ended"}', 'application/json');
    const old = { ...legacy, endpoint: endpoint(legacy.endpoint.url, '0.3', 'HTTP+JSON') };
    expect(await failure(client.cancel(old, 't', options()))).toMatchObject({
      kind: 'rejected',
      detail: { code: -32002, httpStatus: 409 },
    });
  });

  it('says unreachable when nothing was sent', async () => {
    const refused = anAgent('gone', { endpoint: endpoint('http://127.0.0.1:1/') });
    expect((await failure(client.send(refused, hello(), options()))).kind).toBe('unreachable');
    const inside = anAgent('inside', { endpoint: endpoint('http://10.0.0.1/') });
    const error = await failure(all(client.stream(inside, hello(), options())));
    expect(error).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('private'),
    });
    const nowhere = anAgent('nowhere', { endpoint: endpoint('https://nowhere.invalid/') });
    expect((await failure(client.send(nowhere, hello(), options()))).kind).toBe('unreachable');
  });

  it('says interrupted when the connection breaks before or within the answer', async () => {
    const { agent } = await scripted({
      handlers: {
        SendMessage: (call) => call.cut(),
        SendStreamingMessage: async (call) => {
          call.event(working);
          await new Promise((resolve) => setTimeout(resolve, 20));
          call.cut();
        },
      },
    });
    expect((await failure(client.send(agent, hello(), options()))).kind).toBe('interrupted');
    const seen: StreamResponse[] = [];
    const error = await failure(
      (async () => {
        for await (const event of client.stream(agent, hello(), options())) seen.push(event);
      })(),
    );
    expect(error.kind).toBe('interrupted');
    expect(kinds(seen)).toEqual(['statusUpdate']);
  });

  it('says interrupted when the signal aborts, before and within a stream', async () => {
    const { agent } = await scripted({
      handlers: {
        SendMessage: () => undefined,
        SendStreamingMessage: (call) => void call.event(working),
      },
    });
    const abort = new AbortController();
    const waiting = failure(client.send(agent, hello(), options({ signal: abort.signal })));
    const seen = failure(
      (async () => {
        const { signal } = abort;
        for await (const _ of client.stream(agent, hello(), options({ signal }))) abort.abort();
      })(),
    );
    expect((await seen).kind).toBe('interrupted');
    expect((await waiting).kind).toBe('interrupted');
    const late = await failure(client.send(agent, hello(), options({ signal: abort.signal })));
    expect(late.kind).toBe('interrupted');
  });

  it('closes the connection when the reader leaves a stream', async () => {
    const { running, agent } = await scripted({
      handlers: { SendStreamingMessage: (call) => void call.event(working) },
    });
    for await (const _ of client.stream(agent, hello(), options())) break;
    await running.calls[0]?.closed;
  });

  it('takes an event over 4 MiB for a cut stream', async () => {
    const big = { ...working, metadata: 'x'.repeat(4 * 1024 * 1024) };
    const { agent } = await scripted({
      handlers: { SendStreamingMessage: (call) => call.event(working).event(big) },
    });
    const error = await failure(all(client.stream(agent, hello(), options())));
    expect(error).toMatchObject({ kind: 'interrupted', message: expect.stringContaining('4 MiB') });
  });

  it('tells an error on the stream before the first event from one after it', async () => {
    const rpcError = '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"boom"}}';
    const { running, agent } = await scripted({
      handlers: {
        SendStreamingMessage: (call) => call.write(`event: error\ndata: ${rpcError}\n\n`).end(),
      },
    });
    const first = await failure(all(client.stream(agent, hello(), options())));
    expect(first).toMatchObject({ kind: 'rejected', detail: { code: -32603 } });
    running.handlers['SendStreamingMessage'] = (call) =>
      call.event(working).write(`event: error\ndata: ${rpcError}\n\n`).end();
    const later = await failure(all(client.stream(agent, hello(), options())));
    expect(later).toMatchObject({ kind: 'interrupted', detail: { code: -32603 } });
  });

  it.each([
    ['no JSON', 'data: {"jsonrpc":\n\n'],
    ['another kind of event', 'data: {"jsonrpc":"2.0","id":1,"result":{"other":{}}}\n\n'],
    [
      'an artifact without id',
      'data: {"jsonrpc":"2.0","id":1,"result":{"artifactUpdate":{"taskId":"t","artifact":{"parts":[]}}}}\n\n',
    ],
    [
      'a part without content',
      'data: {"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{}]}}}\n\n',
    ],
    [
      'a null part',
      'data: {"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[null]}}}\n\n',
    ],
  ])('says invalid to a stream event with %s', async (_name, body) => {
    const agent = await raw(200, body, 'text/event-stream');
    expect((await failure(all(client.stream(agent, hello(), options())))).kind).toBe('invalid');
  });

  it('reads streams with ids, comments, CRLF, odd pieces and no last empty line', async () => {
    const event = (id: number) =>
      `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(working)}}`;
    const { agent } = await scripted({
      handlers: {
        SendStreamingMessage: async (call) => {
          const id = Number(call.id);
          call.write(`: hello\n\nid: 7\ndata: ${event(id)}\n\ndata: ${event(id)}\r\nid: 1\r\n\r\n`);
          for (const piece of `data:${event(id)}`.match(/.{1,9}/g)!) {
            call.write(piece);
            await new Promise((resolve) => setImmediate(resolve));
          }
          call.end();
        },
      },
    });
    expect(await all(client.stream(agent, hello(), options()))).toHaveLength(3);
  });

  it('takes a plain JSON answer to a stream for a stream of one event', async () => {
    const { running, agent } = await scripted({
      handlers: {
        SendStreamingMessage: (call) =>
          call.result({
            task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
          }),
      },
    });
    expect(kinds(await all(client.stream(agent, hello(), options())))).toEqual(['task']);
    running.handlers['SendStreamingMessage'] = (call) => call.error(-32004, 'no streams here');
    const refusal = await failure(all(client.stream(agent, hello(), options())));
    expect(refusal).toMatchObject({ kind: 'rejected', detail: { code: -32004 } });
  });

  it('does not repeat credentials an agent sends back in an error', async () => {
    const agent = await raw(500, 'bad token s3cret-token', 'text/plain', {
      credentials: { authorization: 'Bearer s3cret-token' },
    });
    const error = await failure(client.send(agent, hello(), options()));
    expect(error.message).toContain('[secret]');
    expect(error.message).not.toContain('s3cret-token');
  });
});
