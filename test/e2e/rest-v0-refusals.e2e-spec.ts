import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HubError } from '../../src/common/hub-error.js';
import type { Json } from '../support/json.js';
import { type BindingHarness, startBindings, streamOf } from './bindings-harness.js';

let bindings: BindingHarness;

beforeAll(async () => {
  bindings = await startBindings();
});

beforeEach(() => {
  bindings.reset();
  bindings.logged.length = 0;
});

afterAll(async () => {
  await bindings.server.close();
});

const PROTO_MESSAGE = { messageId: 'm-1', role: 'ROLE_USER', content: [{ text: 'hello' }] };
const HOOK = { url: 'https://example.com/hook' };
const dataOf = (data: string): string =>
  `{"message":{"messageId":"m","role":"user","parts":[{"kind":"data","data":${data}}]}}`;
const protoDataOf = (data: string): string =>
  `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"data":{"data":${data}}}]}}`;

describe('requests of 0.3 that are refused', () => {
  const send = (body: unknown, headers = {}): ReturnType<BindingHarness['request']> =>
    bindings.request('POST', '/a2a/v1/message:send', { body, headers });

  const refusal = (body: Json): Json => ({ code: body.code, fields: fieldsOf(body) });
  const fieldsOf = (body: Json): string[] =>
    (body.data?.fieldViolations ?? []).map(({ field }: Json) => field);

  it('name the field as their form calls it', async () => {
    const proto = await send({
      message: {
        messageId: '',
        role: 'ROLE_NOBODY',
        content: [
          {},
          { text: 'x', data: { data: {} } },
          { file: {} },
          { file: { fileWithBytes: '*' } },
        ],
        metadata: 'none',
      },
      configuration: { historyLength: -1, blocking: 'yes', pushNotification: {} },
    });
    expect(proto.status).toBe(400);
    expect(proto.body).toMatchObject({ code: -32602, message: 'Invalid parameters' });
    expect(fieldsOf(proto.body)).toEqual([
      'message.messageId',
      'message.role',
      'message.content[0]',
      'message.content[1]',
      'message.content[2].file',
      'message.content[3].file.fileWithBytes',
      'message.metadata',
      'configuration.pushNotification.url',
      'configuration.historyLength',
      'configuration.blocking',
    ]);
    const json = await send({ message: { role: 'user', parts: [{ kind: 'video' }] } });
    expect(fieldsOf(json.body)).toEqual(['message.messageId', 'message.parts[0].kind']);
    expect(bindings.calls).toEqual([]);
  });

  it.each<[string, unknown, number]>([
    ['nothing', '', -32602],
    ['null', 'null', -32602],
    ['an array', '[]', -32602],
    ['a string', '"x"', -32602],
    ['a number', '7', -32602],
    ['no JSON', '{"message":', -32700],
    ['no message', '{}', -32602],
    ['a message that is none', '{"message":7}', -32602],
    ['a message of nothing', '{"message":{}}', -32602],
    ['parts that are none', '{"message":{"messageId":"m","role":"user","parts":{}}}', -32602],
    ['no parts', '{"message":{"messageId":"m","role":"ROLE_USER","content":[]}}', -32602],
    ['a role that is no text', '{"message":{"role":{"toString":null,"valueOf":1}}}', -32602],
    ['data that is a number', dataOf('7'), -32602],
    ['data that is a text', dataOf('"x"'), -32602],
    ['data that is a number, in ProtoJSON', protoDataOf('7'), -32602],
    ['a null part', '{"message":{"messageId":"m","role":"ROLE_USER","content":[null]}}', -32602],
    ['a config that is none', '{"message":{"content":1},"configuration":[]}', -32602],
  ])('for a body of %s', async (_name, body, code) => {
    for (const action of ['send', 'stream']) {
      const answer = await bindings.request('POST', `/a2a/v1/message:${action}`, {
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect(answer.status).toBe(400);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.body.code).toBe(code);
    }
    expect(bindings.calls).toEqual([]);
  });

  it.each([
    ['JSON', dataOf('[1,{"a":null}]')],
    ['ProtoJSON', protoDataOf('[1,{"a":null}]')],
  ])('but not for an array as data, as clients send it in %s', async (_form, body) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await bindings.request('POST', '/a2a/v1/message:send', { body, headers });
    expect(answer.status).toBe(200);
    const { message } = bindings.calls.at(-1)!.arguments[0];
    expect(message.parts[0].content).toEqual({ $case: 'data', value: [1, { a: null }] });
  });

  it.each(['-1', '1.5', 'x', '', '1e3', '99999999999999999999', ' 1', '1&historyLength=2'])(
    'for a historyLength of %j',
    async (value) => {
      const url = `/a2a/v1/tasks/t?historyLength=${value.replace(' ', '%20')}`;
      const answer = await bindings.request('GET', url);
      expect([answer.status, refusal(answer.body)]).toEqual([
        400,
        { code: -32602, fields: ['historyLength'] },
      ]);
      expect(bindings.calls).toEqual([]);
    },
  );

  it.each<[string, Json, string]>([
    ['/tasks/t:cancel', { name: 'tasks/other' }, 'name'],
    ['/tasks/t:cancel', { name: 'tasks/t2' }, 'name'],
    ['/tasks/t:cancel', { name: 7 }, 'name'],
    ['/tasks/t:cancel', { id: 'other' }, 'id'],
    ['/tasks/t:subscribe', { name: 'tasks/other' }, 'name'],
    [
      '/tasks/t/pushNotificationConfigs',
      { taskId: 'other', pushNotificationConfig: HOOK },
      'taskId',
    ],
    [
      '/tasks/t/pushNotificationConfigs',
      { parent: 'tasks/other', config: { pushNotificationConfig: HOOK } },
      'parent',
    ],
    [
      '/tasks/t/pushNotificationConfigs',
      { config: { name: 'tasks/other/pushNotificationConfigs/p', pushNotificationConfig: HOOK } },
      'name',
    ],
  ])('for another task in the body than in %s: %j', async (path, body, field) => {
    const answer = await bindings.request('POST', `/a2a/v1${path}`, { body });
    expect([answer.status, refusal(answer.body)]).toEqual([400, { code: -32602, fields: [field] }]);
    expect(bindings.calls).toEqual([]);
  });

  it.each<[Json, string[]]>([
    [{}, ['pushNotificationConfig']],
    [{ name: 'tasks/t', pushNotificationConfig: {} }, ['pushNotificationConfig.url']],
    [{ parent: 'tasks/t', config: {} }, ['config.pushNotificationConfig']],
    [{ parent: 'tasks/t', config: 7 }, ['config']],
    [{ taskId: 't', pushNotificationConfig: 'x' }, ['pushNotificationConfig']],
    [{ pushNotificationConfig: { url: 7 } }, ['pushNotificationConfig.url']],
  ])('for a push config of %j', async (body, fields) => {
    const path = '/a2a/v1/tasks/t/pushNotificationConfigs';
    const answer = await bindings.request('POST', path, { body });
    expect([answer.status, refusal(answer.body)]).toEqual([400, { code: -32602, fields }]);
    expect(bindings.calls).toEqual([]);
  });

  it('for an id of the path that nothing can have', async () => {
    for (const [path, method] of [
      ['/tasks/%00', 'GET'],
      ['/tasks/%00:cancel', 'POST'],
      [`/tasks/${'x'.repeat(600)}`, 'GET'],
      ['/tasks/t/pushNotificationConfigs/%00', 'DELETE'],
    ] as const) {
      const answer = await bindings.request(method, `/a2a/v1${path}`);
      expect([answer.status, answer.body.code]).toEqual([400, -32602]);
    }
    expect(bindings.calls).toEqual([]);
  });

  it('for want of a caller, with the challenge', async () => {
    const answer = await send({ message: PROTO_MESSAGE }, { authorization: '' });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
    expect(answer.body).toMatchObject({ code: -31401, message: 'Authentication required' });
    const scopeless = await send({ message: PROTO_MESSAGE }, { authorization: 'Bearer noscope' });
    expect([scopeless.status, scopeless.body.code]).toEqual([403, -31403]);
  });

  it('for a body of another kind or size', async () => {
    const text = await send('hello', { 'content-type': 'text/plain' });
    expect([text.status, text.body.code]).toEqual([415, -32005]);
    const strict = await startBindings({ server: { bodyLimit: 100 } });
    const large = await strict.request('POST', '/a2a/v1/message:send', {
      body: { message: { ...PROTO_MESSAGE, metadata: { x: 'x'.repeat(100) } } },
    });
    await strict.server.close();
    expect([large.status, large.body.code]).toEqual([413, -32600]);
  });
});

describe('failures in 0.3', () => {
  it('are bare: code, standard text, and the rest as data', async () => {
    bindings.on('tasks.send', async () => {
      throw new HubError('NO_ROUTE', 'No agent has the tag x.', { metadata: { skills: 'a.b' } });
    });
    const answer = await bindings.request('POST', '/a2a/v1/message:send', {
      body: { message: PROTO_MESSAGE },
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
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

  it.each([
    ['TASK_NOT_FOUND', 404, -32001, 'Task not found'],
    ['TASK_NOT_CANCELABLE', 400, -32002, 'Task cannot be canceled'],
    ['UNSUPPORTED_OPERATION', 400, -32004, 'This operation is not supported'],
    ['AGENT_UNREACHABLE', 502, -32603, 'Internal error'],
    ['INTERNAL', 500, -32603, 'Internal error'],
  ] as const)('%s is HTTP %i', async (reason, status, code, message) => {
    bindings.on('tasks.cancel', async () => {
      throw new HubError(reason, 'why');
    });
    const answer = await bindings.request('POST', '/a2a/v1/tasks/t:cancel');
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code, message });
  });

  it('refuse a stream as any other request', async () => {
    bindings.on('tasks.subscribe', async function* () {
      yield* [];
      throw new HubError('TASK_NOT_FOUND', 'Task not found');
    });
    for (const method of ['GET', 'POST']) {
      const answer = await bindings.request(method, '/a2a/v1/tasks/t:subscribe');
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.body).toMatchObject({ code: -32001, message: 'Task not found' });
    }
  });

  it('end a stream that breaks with one event of their own', async () => {
    bindings.on('tasks.subscribe', async function* () {
      yield* streamOf({
        task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
      });
      throw new Error('secret detail');
    });
    const { text } = await bindings.request('GET', '/a2a/v1/tasks/t:subscribe');
    expect(text.split('\n\n')[1]).toBe(
      'event: error\ndata: {"code":-32603,"message":"Internal error","data":{"reason":"INTERNAL","domain":"a2a-protocol.org"}}',
    );
    expect(text).not.toContain('secret');
    expect(bindings.logged).toHaveLength(1);
  });

  it.each([
    '/a2a/v1',
    '/a2a/v1/nothing',
    '/a2a/v1/tasks',
    '/a2a/v1/tasks/a/b',
    '/a2a/v1/extendedAgentCard',
    '/a2a/agents/echo/v1/x',
  ])('tell of a path that is none: %s', async (url) => {
    const answer = await bindings.request('GET', url);
    expect(answer.status).toBe(404);
    expect(bindings.calls).toEqual([]);
  });

  it.each([
    ['GET', '/a2a/v1/message:send', 'POST, OPTIONS'],
    ['GET', '/a2a/v1/tasks/t:cancel', 'POST, OPTIONS'],
    ['DELETE', '/a2a/v1/tasks/t:subscribe', 'GET, POST, OPTIONS'],
    ['PUT', '/a2a/v1/tasks/t/pushNotificationConfigs', 'POST, GET, HEAD, OPTIONS'],
    ['POST', '/a2a/v1/card', 'GET, HEAD, OPTIONS'],
    ['POST', '/agent/authenticatedExtendedCard', 'GET, HEAD, OPTIONS'],
  ])('tell of a method that is not for the path: %s %s', async (method, url, allow) => {
    const answer = await bindings.request(method, url);
    expect([answer.status, answer.headers['allow']]).toEqual([405, allow]);
    expect(answer.body).toMatchObject({ code: -32601, data: { reason: 'METHOD_NOT_ALLOWED' } });
    expect(bindings.calls).toEqual([]);
  });
});
