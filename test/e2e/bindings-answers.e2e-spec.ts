import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HubError } from '../../src/common/hub-error.js';
import type { Json } from '../support/json.js';
import {
  agentMessage,
  type BindingHarness,
  eventsOf,
  startBindings,
  streamOf,
} from './bindings-harness.js';
import { OLD_MESSAGE, TEXT_MESSAGE, V0_METHODS, V1_METHODS } from './bindings-methods.js';

let bindings: BindingHarness;

beforeEach(async () => {
  bindings = await startBindings();
});

afterEach(async () => {
  await bindings.server.close();
});

describe('answers', () => {
  it('gives a Message of the agent as a Message', async () => {
    bindings.on('tasks.send', async () => ({ kind: 'message', message: agentMessage() }));
    expect((await bindings.rpc('SendMessage', { message: TEXT_MESSAGE }))['result']).toEqual({
      message: {
        messageId: 'answer-1',
        contextId: 'context-1',
        role: 'ROLE_AGENT',
        parts: [{ text: 'hello' }],
      },
    });
    expect((await bindings.rpc('message/send', { message: OLD_MESSAGE }))['result']).toMatchObject({
      kind: 'message',
      role: 'agent',
      parts: [{ kind: 'text', text: 'hello' }],
    });
  });

  it('lists artifacts exactly when they are asked for', async () => {
    const without = await bindings.rpc('ListTasks', {});
    expect(without['result']).toEqual({
      tasks: [{ id: 'task-1', contextId: 'context-1', status: expect.anything() }],
      nextPageToken: '',
      pageSize: 50,
      totalSize: 1,
    });
    const included = await bindings.rpc('ListTasks', { includeArtifacts: true });
    expect(included['result'].tasks[0].artifacts).toEqual([]);
  });

  it.each([['DeleteTaskPushNotificationConfig'], ['tasks/pushNotificationConfig/delete']])(
    'answers null to %s',
    async (method) => {
      const params = V1_METHODS[method] ?? V0_METHODS[method];
      const answer = await bindings.post({ jsonrpc: '2.0', id: 1, method, params });
      expect(answer.text).toBe('{"jsonrpc":"2.0","id":1,"result":null}');
    },
  );

  it('keeps the names of 0.2.5 for its push methods', async () => {
    const set = await bindings.rpc(
      'tasks/pushNotification/set',
      V0_METHODS['tasks/pushNotification/set'],
    );
    expect(set['result']).toEqual({
      id: 'task-1',
      taskId: 'task-1',
      pushNotificationConfig: { id: 'config-1', url: 'https://example.com/hook' },
    });
    expect(bindings.calls[0]!.arguments[0]).toMatchObject({ taskId: 'task-1', id: '' });
    const get = await bindings.rpc('tasks/pushNotification/get', { id: 'task-1' });
    expect(get['result']).toMatchObject({ id: 'task-1' });
    expect(bindings.calls[1]!.arguments.slice(0, 2)).toEqual(['task-1', undefined]);
  });

  it('refuses the extended card as each version wants it', async () => {
    expect((await bindings.rpc('GetExtendedAgentCard', {}))['error'].code).toBe(-32004);
    expect(
      (await bindings.rpc('agent/getAuthenticatedExtendedCard', undefined))['error'],
    ).toMatchObject({
      code: -32007,
      message: 'Authenticated Extended Card not configured',
    });
  });

  it('tells an unknown task from none: code, text and no details', async () => {
    bindings.on('tasks.get', async (id) => {
      throw new HubError('TASK_NOT_FOUND', 'Task not found', { metadata: { taskId: id } });
    });
    const v1 = await bindings.rpc('GetTask', { id: 'x' });
    expect(v1).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32001,
        message: 'Task not found',
        data: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TASK_NOT_FOUND',
            domain: 'a2a-protocol.org',
          },
        ],
      },
    });
    const v0 = await bindings.rpc('tasks/get', { id: 'x' });
    expect(v0['error']).toEqual({
      code: -32001,
      message: 'Task not found',
      data: { reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' },
    });
  });

  it('says to 0.x clients the standard texts, with the rest in data', async () => {
    bindings.on('tasks.send', async () => {
      throw new HubError('NO_ROUTE', 'No agent has the tag x.', { metadata: { skills: 'a.b' } });
    });
    const body = await bindings.rpc('message/send', { message: OLD_MESSAGE });
    expect(body['error']).toEqual({
      code: -32602,
      message: 'Invalid parameters',
      data: {
        reason: 'NO_ROUTE',
        domain: 'a2a-hub',
        detail: 'No agent has the tag x.',
        metadata: { skills: 'a.b' },
      },
    });
  });
});

describe('streams', () => {
  const update = (state: string): Json => ({
    statusUpdate: {
      taskId: 't',
      contextId: 'c',
      status: { state, timestamp: '2026-01-31T12:00:00.000Z' },
    },
  });
  const open = (method: string, params: Json, headers = {}): ReturnType<BindingHarness['post']> =>
    bindings.post({ jsonrpc: '2.0', id: 9, method, params }, { headers });

  it('writes the stored text of each event behind its seq', async () => {
    bindings.on('tasks.sendStream', () =>
      streamOf({ task: { id: 't' } }, update('TASK_STATE_COMPLETED')),
    );
    const answer = await open('SendStreamingMessage', { message: TEXT_MESSAGE });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(answer.text).toBe(
      'id: 1\ndata: {"jsonrpc":"2.0","id":9,"result":{"task":{"id":"t"}}}\n\n' +
        `id: 2\ndata: {"jsonrpc":"2.0","id":9,"result":${JSON.stringify(update('TASK_STATE_COMPLETED'))}}\n\n`,
    );
    expect(bindings.readers()).toBe(0);
  });

  it('writes 0.3 events with their seq, kind and final', async () => {
    bindings.on('tasks.subscribe', () =>
      streamOf(
        update('TASK_STATE_WORKING'),
        update('TASK_STATE_AUTH_REQUIRED'),
        update('TASK_STATE_INPUT_REQUIRED'),
      ),
    );
    const events = eventsOf((await open('tasks/resubscribe', { id: 't' })).text);
    expect(events.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(events.map(({ data }) => [data['result'].status.state, data['result'].final])).toEqual([
      ['working', false],
      ['auth-required', false],
      ['input-required', true],
    ]);
  });

  it('writes final on a question only where the stream ends with it', async () => {
    bindings.on('tasks.subscribe', () =>
      streamOf(
        update('TASK_STATE_INPUT_REQUIRED'),
        update('TASK_STATE_INPUT_REQUIRED'),
        update('TASK_STATE_WORKING'),
        update('TASK_STATE_COMPLETED'),
      ),
    );
    const events = eventsOf((await open('tasks/resubscribe', { id: 't' })).text);
    expect(events.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
    expect(events.map(({ data }) => [data['result'].status.state, data['result'].final])).toEqual([
      ['input-required', false],
      ['input-required', false],
      ['working', false],
      ['completed', true],
    ]);
  });

  it.each([
    ['SubscribeToTask', 'tasks.subscribe', V1_METHODS['SubscribeToTask']],
    ['SendStreamingMessage', 'tasks.sendStream', V1_METHODS['SendStreamingMessage']],
    ['tasks/resubscribe', 'tasks.subscribe', V0_METHODS['tasks/resubscribe'], '0.3'],
    ['message/stream', 'tasks.sendStream', V0_METHODS['message/stream']],
  ])('answers a refused %s as plain JSON', async (method, operation, params, version = '') => {
    bindings.on(operation, refusedStream);
    const answer = await open(method, params, { 'a2a-version': version });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body).toMatchObject({
      id: 9,
      error: { code: -32001, message: 'Task not found' },
    });
  });

  it.each([[''], ['0.2.5']])(
    'answers a refused tasks/resubscribe with one event, unless 0.3 is stated: %j',
    async (version) => {
      bindings.on('tasks.subscribe', refusedStream);
      const answer = await open('tasks/resubscribe', { id: 't' }, { 'a2a-version': version });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('text/event-stream');
      expect(answer.text).toBe(
        'data: {"jsonrpc":"2.0","id":9,"error":{"code":-32001,"message":"Task not found",' +
          '"data":{"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}}}\n\n',
      );
      const invalid = await open('tasks/resubscribe', {}, { 'a2a-version': version });
      expect(invalid.headers['content-type']).toMatch(/^application\/json/);
      expect(invalid.body['error'].code).toBe(-32602);
    },
  );

  it('tells of an accident before the first event as plain JSON, and notes it', async () => {
    bindings.on('tasks.subscribe', async function* () {
      yield* [];
      throw new Error('secret detail');
    });
    const answer = await open('tasks/resubscribe', { id: 't' });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body).toMatchObject({ error: { code: -32603, message: 'Internal error' } });
    expect(bindings.logged).toHaveLength(1);
  });

  it.each([['SubscribeToTask'], ['tasks/resubscribe']])(
    'ends a %s that breaks with one error event',
    async (method) => {
      bindings.on('tasks.subscribe', async function* () {
        yield* streamOf(update('TASK_STATE_WORKING'));
        throw new Error('secret detail');
      });
      const answer = await open(method, { id: 't' });
      const events = eventsOf(answer.text);
      expect(events).toHaveLength(2);
      expect(events[1]).toMatchObject({
        id: undefined,
        data: { jsonrpc: '2.0', id: 9, error: { code: -32603, message: 'Internal error' } },
      });
      expect(answer.text).not.toMatch(/secret|event: error/);
      expect(bindings.logged).toHaveLength(1);
    },
  );

  it('hands Last-Event-ID on, and the sign that the client is gone', async () => {
    await open('SubscribeToTask', { id: 't' }, { 'last-event-id': '41' });
    const [, call] = bindings.calls[0]!.arguments;
    expect(call.lastEventId).toBe(41);
    expect(call.signal.aborted).toBe(true);
  });
});

async function* refusedStream(): AsyncGenerator<never, void> {
  yield* [];
  throw new HubError('TASK_NOT_FOUND', 'Task not found');
}
