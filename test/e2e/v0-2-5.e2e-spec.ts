import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AgentTurn, type RunningAgent, startSdkAgent, textPart } from '../support/agents.js';
import { type Hub, type HttpAnswer, startHub } from '../support/app.js';
import type { Json, JsonObject } from '../support/json.js';
import { WebhookSink } from '../support/webhook-sink.js';
import { eventsOf } from './bindings-harness.js';
import { faultsIn025 } from './v0-2-5-objects.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

/** What the agent does, by the message's text; what 0.2.5 §9 tells of. */
async function behave(turn: AgentTurn): Promise<void> {
  if (turn.text === 'greet') {
    turn.reply('Good morning');
    return;
  }
  turn.task();
  if (turn.text === 'book') turn.askForInput('From where, and when?');
  else if (turn.text === 'wait') await turn.pause(30_000);
  else if (turn.text === 'picture') turn.artifactOf('picture', [PICTURE, NUMBERS]).complete();
  else if (turn.text === 'paper') {
    turn.working('writing');
    turn.artifact('paper', 'one', { lastChunk: false });
    turn.artifact('paper', 'two', { append: true }).complete();
  } else turn.artifact('answer', `done: ${turn.text}`).complete('All set.');
}

const PICTURE = {
  ...textPart(''),
  content: { $case: 'url' as const, value: 'https://files.example.org/out.png' },
  filename: 'out.png',
  mediaType: 'image/png',
};
const NUMBERS = {
  ...textPart(''),
  content: { $case: 'data' as const, value: { faces: 2 } },
  mediaType: '',
};

let hub: Hub;
let agent: RunningAgent;
let sink: WebhookSink;

beforeAll(async () => {
  [hub, sink] = await Promise.all([startHub(), WebhookSink.start()]);
  agent = await startSdkAgent({ name: 'echo', execute: behave });
  await hub.registerAgent(agent.url, { id: 'echo' });
});

afterAll(async () => {
  await hub?.close();
  await Promise.all([agent?.close(), sink?.close()]);
});

/** A request as clients of 0.2.5 send it: no version, and `kind` only where the client has it. */
function call(method: string, params: Json, options: JsonObject = {}): Promise<HttpAnswer> {
  return hub.rpcRaw(method, params, { version: null, id: 'req-1', ...options });
}

async function resultOf(method: string, params: Json): Promise<Json> {
  const { status, headers, body } = await call(method, params);
  expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(Object.keys(body).sort()).toEqual(['id', 'jsonrpc', 'result']);
  expect(body).toMatchObject({ jsonrpc: '2.0', id: 'req-1' });
  return body.result;
}

async function errorOf(method: string, params: Json): Promise<Json> {
  const { status, body } = await call(method, params);
  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(['error', 'id', 'jsonrpc']);
  expect(body.id).toBe('req-1');
  return body.error;
}

let messages = 0;
const message = (text: string, more: JsonObject = {}): JsonObject => ({
  role: 'user',
  parts: [{ kind: 'text', text }],
  messageId: `m-025-${++messages}`,
  ...more,
});

const send = (text: string, more: JsonObject = {}, configuration?: JsonObject): Promise<Json> =>
  resultOf('message/send', {
    message: message(text, more),
    ...(configuration ? { configuration } : {}),
    metadata: { agentId: 'echo' },
  });

describe('A2A 0.2.5 over JSON-RPC', () => {
  it('message/send gives a Task of 0.2.5', async () => {
    const task = await send('hello');
    expect(faultsIn025(task)).toEqual([]);
    expect(task).toMatchObject({
      kind: 'task',
      status: { state: 'completed', message: { role: 'agent' } },
      artifacts: [{ parts: [{ kind: 'text', text: 'done: hello' }] }],
      history: [{ role: 'user', taskId: task.id, contextId: task.contextId }],
    });
  });

  it('message/send gives a Message for a Message', async () => {
    const answer = await send('greet');
    expect(faultsIn025(answer, 'Message')).toEqual([]);
    expect(answer).toMatchObject({
      kind: 'message',
      role: 'agent',
      parts: [{ kind: 'text', text: 'Good morning' }],
    });
    expect(answer.contextId).toEqual(expect.any(String));
  });

  it('carries files and data there and back', async () => {
    const parts = [
      { kind: 'text', text: 'picture', metadata: { mimeType: 'text/plain' } },
      { kind: 'file', file: { name: 'in.png', mimeType: 'image/png', bytes: 'iVBORw0KGgo=' } },
      { kind: 'file', file: { uri: 'https://files.example.org/in.png' } },
      { kind: 'data', data: { wanted: ['faces'] } },
    ];
    const task = await send('', { parts, kind: 'message' });
    expect(faultsIn025(task)).toEqual([]);
    expect(task.history[0].parts).toEqual(parts);
    expect(task.artifacts[0].parts).toEqual([
      {
        kind: 'file',
        file: {
          uri: 'https://files.example.org/out.png',
          name: 'out.png',
          mimeType: 'image/png',
        },
      },
      { kind: 'data', data: { faces: 2 } },
    ]);
  });

  it('message/send with blocking false gives the task at once', async () => {
    const task = await send('wait', {}, { blocking: false });
    expect(['submitted', 'working']).toContain(task.status.state);
    expect(faultsIn025(task)).toEqual([]);
    const canceled = await resultOf('tasks/cancel', { id: task.id });
    expect([canceled.kind, canceled.status.state]).toEqual(['task', 'canceled']);
    expect(faultsIn025(canceled)).toEqual([]);
  });

  it('a question pauses the task, and its answer goes on with it', async () => {
    const requested = await send('book');
    expect(faultsIn025(requested)).toEqual([]);
    expect(requested.status).toMatchObject({
      state: 'input-required',
      message: { role: 'agent', parts: [{ kind: 'text', text: 'From where, and when?' }] },
    });
    const { id: taskId, contextId } = requested;
    const done = await send('JFK', { taskId, contextId }, { blocking: true });
    expect([done.id, done.contextId, done.status.state]).toEqual([taskId, contextId, 'completed']);
    expect(done.history.map(({ role }: Json) => role)).toEqual(['user', 'agent', 'user']);
  });

  it('tasks/get gives what was sent, and as much history as is wanted', async () => {
    const task = await send('hello');
    expect(await resultOf('tasks/get', { id: task.id })).toEqual(task);
    const one = await resultOf('tasks/get', { id: task.id, historyLength: 1, metadata: {} });
    expect(one.history).toHaveLength(1);
    const none = await resultOf('tasks/get', { id: task.id, historyLength: 0 });
    expect(none.history ?? []).toEqual([]);
  });

  it('message/stream gives the task, its updates, and final at the end', async () => {
    const answer = await call('message/stream', {
      message: message('paper'),
      metadata: { agentId: 'echo' },
    });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
    const events = eventsOf(answer.text).map(({ data }) => data);
    for (const event of events) {
      expect(event).toMatchObject({ jsonrpc: '2.0', id: 'req-1' });
      expect(faultsIn025(event.result)).toEqual([]);
    }
    const results = events.map(({ result }) => result);
    expect(results[0].kind).toBe('task');
    const chunks = results.filter(({ kind }) => kind === 'artifact-update');
    expect(
      chunks.map(({ artifact, append, lastChunk }) => [artifact.parts[0].text, append, lastChunk]),
    ).toEqual([
      ['one', false, false],
      ['two', true, true],
    ]);
    expect(results.at(-1)).toMatchObject({
      kind: 'status-update',
      status: { state: 'completed' },
      final: true,
    });
    expect(results.filter(({ final }) => final === true)).toHaveLength(1);
  });

  it('a stream that ends at a question says final there', async () => {
    const { text } = await call('message/stream', {
      message: message('book'),
      metadata: { agentId: 'echo' },
    });
    expect(eventsOf(text).at(-1)!.data.result).toMatchObject({
      kind: 'status-update',
      status: { state: 'input-required' },
      final: true,
    });
  });

  it('tasks/resubscribe follows a running task', async () => {
    const { id } = await send('wait', {}, { blocking: false });
    const stream = await hub.stream('tasks/resubscribe', { id }, { version: null });
    await stream.next();
    await resultOf('tasks/cancel', { id });
    const results = (await stream.collect()).map(({ data }) => data);
    for (const result of results) expect(faultsIn025(result)).toEqual([]);
    expect(results.at(-1)).toMatchObject({ status: { state: 'canceled' }, final: true });
  });

  it('a webhook that comes with a message gets the Task, with its token', async () => {
    const { id } = await send(
      'hello',
      {},
      {
        blocking: true,
        pushNotificationConfig: {
          url: sink.url('/025'),
          token: 'token-025',
          authentication: { schemes: ['Bearer'], credentials: 'secret-025' },
        },
      },
    );
    const { headers, json } = await sink.waitFor(
      (webhook) => webhook.path === '/025' && (webhook.json as Json).status.state === 'completed',
    );
    expect(headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'x-a2a-notification-token': 'token-025',
      authorization: 'Bearer secret-025',
    });
    expect((json as Json).id).toBe(id);
    expect(faultsIn025(json as Json, 'Task')).toEqual([]);
  });

  it('keeps push configs: set, get by the task alone, list, delete', async () => {
    const { id: taskId } = await send('hello');
    const set = await resultOf('tasks/pushNotificationConfig/set', {
      taskId,
      pushNotificationConfig: {
        url: 'https://client.example.org/hook',
        token: 'secret-token',
        authentication: { schemes: ['Bearer'], credentials: 'secret-credentials' },
      },
    });
    expect(faultsIn025(set, 'TaskPushNotificationConfig')).toEqual([]);
    expect(JSON.stringify(set)).not.toContain('secret-');
    const { id } = set.pushNotificationConfig;
    expect(await resultOf('tasks/pushNotificationConfig/get', { id: taskId })).toEqual(set);
    const named = { id: taskId, pushNotificationConfigId: id };
    expect(await resultOf('tasks/pushNotificationConfig/get', named)).toEqual(set);
    expect(await resultOf('tasks/pushNotificationConfig/list', { id: taskId })).toEqual([set]);
    expect(await resultOf('tasks/pushNotificationConfig/delete', named)).toBeNull();
    expect(await resultOf('tasks/pushNotificationConfig/list', { id: taskId })).toEqual([]);
  });

  it('knows the push methods by their older names, with the task as id', async () => {
    const { id } = await send('hello');
    const pushNotificationConfig = { url: 'https://client.example.org/older' };
    const set = await resultOf('tasks/pushNotification/set', { id, pushNotificationConfig });
    expect(set).toMatchObject({ id, taskId: id, pushNotificationConfig });
    expect(await resultOf('tasks/pushNotification/get', { id })).toEqual(set);
    const newer = { taskId: id, pushNotificationConfig: { ...pushNotificationConfig, id: 'p' } };
    expect(await resultOf('tasks/pushNotification/set', newer)).toMatchObject({ id });
  });

  it.each(['0.2', '0.2.5', '0.2.6'])('is what A2A-Version %s asks for', async (version) => {
    const { id } = await send('hello');
    const { body } = await call('tasks/get', { id }, { version });
    expect(faultsIn025(body.result)).toEqual([]);
    const modern = await call('GetTask', { id }, { version });
    expect(modern.body.error).toMatchObject({ code: -32601, message: 'Method not found' });
    expect(modern.body.error.data.metadata).toEqual({ method: 'tasks/get' });
  });
});

describe('errors of A2A 0.2.5', () => {
  it.each<[string, Json]>([
    ['tasks/get', { id: UNKNOWN }],
    ['tasks/cancel', { id: UNKNOWN }],
    ['message/send', { message: message('x', { taskId: UNKNOWN }) }],
    ['tasks/pushNotificationConfig/get', { id: UNKNOWN }],
    ['tasks/pushNotificationConfig/list', { id: UNKNOWN }],
    ['tasks/pushNotification/get', { id: UNKNOWN }],
    [
      'tasks/pushNotificationConfig/set',
      { taskId: UNKNOWN, pushNotificationConfig: { url: 'https://example.com/hook' } },
    ],
  ])('%s of no task: -32001 and its text', async (method, params) => {
    expect(await errorOf(method, params)).toMatchObject({
      code: -32001,
      message: 'Task not found',
    });
  });

  it('tasks/resubscribe of no task is a stream of that error', async () => {
    const answer = await call('tasks/resubscribe', { id: UNKNOWN });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(eventsOf(answer.text).map(({ data }) => data)).toEqual([
      {
        jsonrpc: '2.0',
        id: 'req-1',
        error: {
          code: -32001,
          message: 'Task not found',
          data: { reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' },
        },
      },
    ]);
  });

  it('tasks/cancel of an ended task: -32002', async () => {
    const { id } = await send('hello');
    expect(await errorOf('tasks/cancel', { id })).toMatchObject({
      code: -32002,
      message: 'Task cannot be canceled',
    });
  });

  it('a message to an ended task: -32004', async () => {
    const { id: taskId } = await send('hello');
    expect(await errorOf('message/send', { message: message('again', { taskId }) })).toMatchObject({
      code: -32004,
      message: 'This operation is not supported',
    });
  });

  it.each<[string, Json]>([
    ['message/send', {}],
    ['message/send', { message: { role: 'user', parts: [], messageId: 'm' } }],
    [
      'message/send',
      { message: { role: 'user', parts: [{ type: 'text', text: 'x' }], messageId: 'm' } },
    ],
    [
      'message/send',
      { message: { role: 'user', parts: [{ kind: 'text', text: 'x' }] }, messageId: 'm' },
    ],
    ['message/send', { message: { role: 'ROLE_USER', parts: [{ text: 'x' }], messageId: 'm' } }],
    ['message/stream', { message: { parts: 'x' } }],
    ['message/stream', []],
    ['tasks/get', {}],
    ['tasks/get', { id: 7 }],
    ['tasks/get', { id: 'x', historyLength: -1 }],
    ['tasks/resubscribe', { taskId: 'x' }],
    ['tasks/pushNotification/set', { pushNotificationConfig: { url: 'https://example.com' } }],
    ['tasks/pushNotificationConfig/set', { taskId: 'x', pushNotificationConfig: {} }],
    ['tasks/pushNotificationConfig/delete', { id: 'x' }],
  ])('%s with params %j: -32602 as plain JSON', async (method, params) => {
    const answer = await call(method, params);
    expect([answer.status, answer.headers['content-type']]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(answer.body.error).toMatchObject({ code: -32602, message: 'Invalid parameters' });
  });

  it('what is no request: -32700, -32600 and -32601 with their texts', async () => {
    const errors = await Promise.all(
      [
        '{"jsonrpc": "2.0", "id": 1, "method"',
        '{"id": 1, "method": "tasks/get", "params": {"id": "x"}}',
        '{"jsonrpc": "2.0", "id": 1, "method": "tasks/frobnicate", "params": {}}',
      ].map(async (body) => (await hub.post('/a2a', body, { version: null })).body.error),
    );
    expect(errors.map(({ code, message: text }) => [code, text])).toEqual([
      [-32700, 'Invalid JSON payload'],
      [-32600, 'Request payload validation error'],
      [-32601, 'Method not found'],
    ]);
  });
});

describe('ids that clients of 0.2.5 make', () => {
  it('open a task when tasks.acceptClientTaskIds allows it', async () => {
    const open = await startHub({ config: { tasks: { acceptClientTaskIds: true } } });
    try {
      await open.registerAgent(agent.url, { id: 'echo' });
      const params = {
        message: message('hello', { taskId: 'my-own-task' }),
        configuration: { blocking: true },
        metadata: { agentId: 'echo' },
      };
      const sent = await open.rpc('message/send', params, { version: null });
      expect(sent).toMatchObject({ id: 'my-own-task', status: { state: 'completed' } });
      expect(faultsIn025(sent)).toEqual([]);
    } finally {
      await open.close();
    }
  });
});
