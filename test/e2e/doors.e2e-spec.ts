import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HubError } from '../../src/common/hub-error.js';
import { agentMessage, type DoorHarness, eventsOf, startDoors, streamOf } from './doors-harness.js';

import type { Json } from '../support/json.js';

const TEXT_MESSAGE = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
const OLD_MESSAGE = {
  kind: 'message',
  messageId: 'm-1',
  role: 'user',
  parts: [{ kind: 'text', text: 'hello' }],
};

/** Every method of 1.0 with params that are right. */
const V1_METHODS: Record<string, Json> = {
  SendMessage: { message: TEXT_MESSAGE },
  SendStreamingMessage: { message: TEXT_MESSAGE },
  GetTask: { id: 'task-1' },
  ListTasks: {},
  CancelTask: { id: 'task-1' },
  SubscribeToTask: { id: 'task-1' },
  CreateTaskPushNotificationConfig: { taskId: 'task-1', url: 'https://example.com/hook' },
  GetTaskPushNotificationConfig: { taskId: 'task-1', id: 'config-1' },
  ListTaskPushNotificationConfigs: { taskId: 'task-1' },
  DeleteTaskPushNotificationConfig: { taskId: 'task-1', id: 'config-1' },
  GetExtendedAgentCard: {},
};

/** Every method of 0.3 and 0.2.5 with params that are right. */
const V0_METHODS: Record<string, Json> = {
  'message/send': { message: OLD_MESSAGE },
  'message/stream': { message: OLD_MESSAGE },
  'tasks/get': { id: 'task-1' },
  'tasks/cancel': { id: 'task-1' },
  'tasks/resubscribe': { id: 'task-1' },
  'tasks/pushNotificationConfig/set': {
    taskId: 'task-1',
    pushNotificationConfig: { url: 'https://example.com/hook' },
  },
  'tasks/pushNotificationConfig/get': { id: 'task-1' },
  'tasks/pushNotificationConfig/list': { id: 'task-1' },
  'tasks/pushNotificationConfig/delete': { id: 'task-1', pushNotificationConfigId: 'config-1' },
  'tasks/pushNotification/set': {
    id: 'task-1',
    pushNotificationConfig: { url: 'https://example.com/hook' },
  },
  'tasks/pushNotification/get': { id: 'task-1' },
  'agent/getAuthenticatedExtendedCard': {},
};

const ALL_METHODS: [version: '1.0' | '0.3', method: string, params: Json][] = [
  ...Object.entries(V1_METHODS).map(([method, params]): ['1.0', string, Json] => [
    '1.0',
    method,
    params,
  ]),
  ...Object.entries(V0_METHODS).map(([method, params]): ['0.3', string, Json] => [
    '0.3',
    method,
    params,
  ]),
];

let doors: DoorHarness;

beforeEach(async () => {
  doors = await startDoors();
});

afterEach(async () => {
  await doors.server.close();
});

describe('what is no JSON-RPC request', () => {
  it.each(['', '{', 'nonsense', '{"jsonrpc":"2.0",}', '\ufeff{}'])(
    'answers -32700 with HTTP 200 for malformed JSON: %j',
    async (text) => {
      const answer = await doors.post(text);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
    },
  );

  it.each([
    ['no object', '"text"', null],
    ['null', 'null', null],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]', null],
    ['no version', '{"id":1,"method":"GetTask","params":{"id":"t"}}', 1],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"GetTask"}', 1],
    ['no method', '{"jsonrpc":"2.0","id":"x","params":{}}', 'x'],
    ['a method that is no string', '{"jsonrpc":"2.0","id":2,"method":{}}', 2],
    ['an empty method', '{"jsonrpc":"2.0","id":2,"method":""}', 2],
    ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"GetTask"}', null],
    ['a broken number as id', '{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}', null],
    [
      'a number as id that would change',
      '{"jsonrpc":"2.0","id":12345678901234567890,"method":"GetTask"}',
      null,
    ],
  ])('answers -32600 for %s', async (_name, text, id) => {
    const answer = await doors.post(text);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32600 } });
    expect(doors.calls).toEqual([]);
  });

  it.each([['GetTask'], ['tasks/get']])(
    'answers an absent and a null id of %s alike',
    async (method) => {
      const without = await doors.post({ jsonrpc: '2.0', method, params: { id: 'task-1' } });
      const empty = await doors.post({
        jsonrpc: '2.0',
        id: null,
        method,
        params: { id: 'task-1' },
      });
      expect(without.body).toHaveProperty('id', null);
      expect(without.body['result']).toBeDefined();
      expect(empty.text).toBe(without.text);
    },
  );

  it('echoes ids as they came', async () => {
    for (const id of ['', 'a"b\n', 0, -1, Number.MAX_SAFE_INTEGER]) {
      expect((await doors.rpc('GetTask', { id: 'task-1' }, { id })).id).toBe(id);
    }
  });

  it.each([['tasks/nothing'], ['DeleteTask'], ['constructor'], ['__proto__']])(
    'answers -32601 for the unknown method %s',
    async (method) => {
      for (const version of ['1.0', '0.3', '']) {
        const body = await doors.rpc(method, {}, { headers: { 'a2a-version': version } });
        expect(body).toMatchObject({ id: 7, error: { code: -32601 } });
      }
    },
  );
});

describe('the version of a request', () => {
  it.each([
    ['1.0', 'GetTask', '1.0'],
    ['1.0.1', 'GetTask', '1.0'],
    ['', 'GetTask', '1.0'],
    ['0.3', 'tasks/get', '0.3'],
    ['0.3.0', 'tasks/get', '0.3'],
    ['0.2.5', 'tasks/get', '0.3'],
    ['', 'tasks/get', '0.3'],
  ])('with the header %j, %s is a call of %s', async (header, method, version) => {
    await doors.rpc(method, { id: 'task-1' }, { headers: { 'a2a-version': header } });
    expect(doors.calls[0]!.arguments[2]).toMatchObject({ version });
  });

  it.each(['99.0', '2.0', '1', '0.1', 'latest', '1.0; 0.3'])(
    'answers -32009 for the version %s and names those it speaks',
    async (version) => {
      const body = await doors.rpc('GetTask', { id: 't' }, { headers: { 'a2a-version': version } });
      expect(body['error'].code).toBe(-32009);
      expect(body['error'].data[0]).toEqual({
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'VERSION_NOT_SUPPORTED',
        domain: 'a2a-protocol.org',
        metadata: { supportedVersions: '1.0,0.3' },
      });
    },
  );

  it('takes the version from the query when there is no header', async () => {
    const body = await doors.rpc('GetTask', { id: 't' }, { path: '/a2a?A2A-Version=99.0' });
    expect(body['error'].code).toBe(-32009);
  });

  it.each([
    ['1.0', 'message/send', 'SendMessage'],
    ['1.0', 'tasks/resubscribe', 'SubscribeToTask'],
    ['1.0', 'tasks/pushNotification/set', 'CreateTaskPushNotificationConfig'],
    ['0.3', 'SendMessage', 'message/send'],
    ['0.3', 'SubscribeToTask', 'tasks/resubscribe'],
    ['0.3', 'CreateTaskPushNotificationConfig', 'tasks/pushNotificationConfig/set'],
  ])('in %s answers -32601 to %s and names %s', async (version, method, right) => {
    const body = await doors.rpc(method, {}, { headers: { 'a2a-version': version } });
    expect(body['error'].code).toBe(-32601);
    expect(JSON.stringify(body['error'])).toContain(right);
  });

  it('knows no ListTasks before 1.0', async () => {
    const body = await doors.rpc('ListTasks', {}, { headers: { 'a2a-version': '0.3' } });
    expect(body['error']).toMatchObject({ code: -32601, message: 'Method not found' });
  });
});

describe('params of every method', () => {
  it.each(ALL_METHODS.filter(([, method]) => !method.includes('Extended')))(
    '%s %s answers what is right',
    async (_version, method, params) => {
      const answer = await doors.post({ jsonrpc: '2.0', id: 1, method, params });
      expect(answer.text).toContain('"result"');
      expect(doors.calls).toHaveLength(1);
    },
  );

  it.each(ALL_METHODS)('%s %s refuses params that are no object', async (_version, method) => {
    for (const params of [[], 'text', 5, true]) {
      const body = await doors.rpc(method, params);
      expect(body).toMatchObject({ id: 7, error: { code: -32602 } });
    }
    expect(doors.calls).toEqual([]);
  });

  it.each(ALL_METHODS.filter(([, , params]) => Object.keys(params).length > 0))(
    '%s %s names the fields that are missing',
    async (version, method, params) => {
      for (const field of Object.keys(params)) {
        const rest = { ...params, [field]: undefined };
        const violations = violationsOf(await doors.rpc(method, rest), version);
        const named = method === 'tasks/pushNotification/set' && field === 'id' ? 'taskId' : field;
        expect(violations).toContainEqual({ field: named, description: 'is required' });
      }
      const none = await doors.rpc(method, undefined);
      expect(none['error'].code).toBe(-32602);
      expect(doors.calls).toEqual([]);
    },
  );

  it.each(ALL_METHODS.filter(([, , params]) => 'id' in params || 'taskId' in params))(
    '%s %s refuses ids that are none',
    async (version, method, params) => {
      const name = 'taskId' in params ? 'taskId' : 'id';
      for (const id of [5, {}, [], true, 'x'.repeat(513), 'a\u0000b', '\ud800']) {
        const body = await doors.rpc(method, { ...params, [name]: id });
        expect(body['error'].code).toBe(-32602);
        expect(violationsOf(body, version)[0]!['field']).toMatch(/^(id|taskId)$/);
      }
      expect(doors.calls).toEqual([]);
    },
  );

  it.each([
    ['GetTask', { historyLength: -1 }, 'historyLength'],
    ['GetTask', { historyLength: 1.5 }, 'historyLength'],
    ['GetTask', { historyLength: '3' }, 'historyLength'],
    ['GetTask', { historyLength: 2 ** 40 }, 'historyLength'],
    ['GetTask', { history_length: -1 }, 'historyLength'],
    ['GetTask', { tenant: 5 }, 'tenant'],
    ['ListTasks', { pageSize: 0 }, 'pageSize'],
    ['ListTasks', { pageSize: 101 }, 'pageSize'],
    ['ListTasks', { page_size: -1 }, 'pageSize'],
    ['ListTasks', { pageSize: '10' }, 'pageSize'],
    ['ListTasks', { status: 'TASK_STATE_RUNNING' }, 'status'],
    ['ListTasks', { status: 'completed' }, 'status'],
    ['ListTasks', { pageToken: 5 }, 'pageToken'],
    ['ListTasks', { includeArtifacts: 'yes' }, 'includeArtifacts'],
    ['ListTasks', { contextId: {} }, 'contextId'],
    ['ListTasks', { historyLength: -2 }, 'historyLength'],
    ['ListTasks', { statusTimestampAfter: 'yesterday' }, 'statusTimestampAfter'],
    ['ListTasks', { statusTimestampAfter: '2026-01-31T12:00:00' }, 'statusTimestampAfter'],
    ['ListTasks', { statusTimestampAfter: '2026-02-31T12:00:00Z' }, 'statusTimestampAfter'],
    ['ListTasks', { statusTimestampAfter: '2026-01-31T25:00:00Z' }, 'statusTimestampAfter'],
    ['ListTasks', { statusTimestampAfter: 1700000000 }, 'statusTimestampAfter'],
    ['CancelTask', { metadata: [] }, 'metadata'],
    ['CreateTaskPushNotificationConfig', { url: '' }, 'url'],
    ['CreateTaskPushNotificationConfig', { url: 5 }, 'url'],
    ['CreateTaskPushNotificationConfig', { authentication: {} }, 'authentication.scheme'],
    ['CreateTaskPushNotificationConfig', { authentication: 'Bearer' }, 'authentication'],
    ['CreateTaskPushNotificationConfig', { token: 5 }, 'token'],
    ['ListTaskPushNotificationConfigs', { pageSize: -1 }, 'pageSize'],
    ['tasks/get', { historyLength: -1 }, 'historyLength'],
    ['tasks/get', { historyLength: 'all' }, 'historyLength'],
    ['tasks/get', { history_length: -1 }, 'historyLength'],
    ['tasks/cancel', { metadata: 'x' }, 'metadata'],
    [
      'tasks/pushNotificationConfig/set',
      { pushNotificationConfig: {} },
      'pushNotificationConfig.url',
    ],
    [
      'tasks/pushNotificationConfig/set',
      {
        pushNotificationConfig: { url: 'https://x.example', authentication: { schemes: 'Bearer' } },
      },
      'pushNotificationConfig.authentication.schemes',
    ],
    [
      'tasks/pushNotificationConfig/get',
      { pushNotificationConfigId: 5 },
      'pushNotificationConfigId',
    ],
    [
      'tasks/pushNotificationConfig/delete',
      { pushNotificationConfigId: '' },
      'pushNotificationConfigId',
    ],
  ])('%s with %j names %s', async (method, wrong, field) => {
    const params = { ...(V1_METHODS[method] ?? V0_METHODS[method]), ...wrong };
    const body = await doors.rpc(method, params);
    expect(body['error'].code).toBe(-32602);
    expect(violationsOf(body, method in V1_METHODS ? '1.0' : '0.3')[0]!['field']).toBe(field);
    expect(doors.calls).toEqual([]);
  });
});

describe('messages that are sent', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

  describe.each(['SendMessage', 'SendStreamingMessage'])('%s', (method) => {
    it.each([
      ['empty parts', { parts: [] }, 'message.parts'],
      ['no parts', { parts: undefined }, 'message.parts'],
      ['parts that are no list', { parts: { text: 'x' } }, 'message.parts'],
      ['a part that is no object', { parts: ['x'] }, 'message.parts[0]'],
      ['a part of nothing', { parts: [{}] }, 'message.parts[0]'],
      ['a part of null', { parts: [{ data: null }] }, 'message.parts[0]'],
      ['a part of two', { parts: [{ text: 'x' }, { text: 'x', url: 'y' }] }, 'message.parts[1]'],
      ['a text that is none', { parts: [{ text: 5 }] }, 'message.parts[0].text'],
      ['an empty url', { parts: [{ url: '' }] }, 'message.parts[0].url'],
      ['bad base64', { parts: [{ raw: 'not base64!' }] }, 'message.parts[0].raw'],
      ['cut base64', { parts: [{ raw: 'abcde' }] }, 'message.parts[0].raw'],
      [
        'a media type that is none',
        { parts: [{ text: 'x', mediaType: 5 }] },
        'message.parts[0].mediaType',
      ],
      [
        'metadata that is a list',
        { parts: [{ text: 'x', metadata: [] }] },
        'message.parts[0].metadata',
      ],
      ['deep data', { parts: [{ data: deep(65) }] }, 'message.parts[0].data'],
      ['no role', { role: undefined }, 'message.role'],
      ['a role of 0.3', { role: 'user' }, 'message.role'],
      ['no known role', { role: 'ROLE_SYSTEM' }, 'message.role'],
      ['no message id', { messageId: undefined }, 'message.messageId'],
      ['an empty message id', { messageId: '' }, 'message.messageId'],
      ['a context id that is none', { contextId: 5 }, 'message.contextId'],
      ['a long task id', { taskId: 'x'.repeat(513) }, 'message.taskId'],
      ['deep metadata', { metadata: deep(65) }, 'message.metadata'],
      ['metadata that is none', { metadata: 'x' }, 'message.metadata'],
      ['extensions that are none', { extensions: [5] }, 'message.extensions[0]'],
      [
        'related tasks that are none',
        { referenceTaskIds: ['a', ''] },
        'message.referenceTaskIds[1]',
      ],
    ])('refuses %s', async (_name, wrong, field) => {
      const answer = await doors.post({
        jsonrpc: '2.0',
        id: 7,
        method,
        params: { message: { ...TEXT_MESSAGE, ...wrong } },
      });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(violationsOf(answer.body, '1.0')[0]).toMatchObject({ field });
      expect(doors.calls).toEqual([]);
    });

    it.each([
      [{ historyLength: -1 }, 'configuration.historyLength'],
      [{ returnImmediately: 'no' }, 'configuration.returnImmediately'],
      [{ acceptedOutputModes: 'text/plain' }, 'configuration.acceptedOutputModes'],
      [{ taskPushNotificationConfig: {} }, 'configuration.taskPushNotificationConfig.url'],
    ])('refuses the configuration %j', async (configuration, field) => {
      const body = await doors.rpc(method, { message: TEXT_MESSAGE, configuration });
      expect(violationsOf(body, '1.0')[0]).toMatchObject({ field });
      expect(doors.calls).toEqual([]);
    });
  });

  describe.each(['message/send', 'message/stream'])('%s', (method) => {
    it.each([
      ['empty parts', { parts: [] }, 'message.parts'],
      ['no parts', { parts: undefined }, 'message.parts'],
      ['a part without a kind', { parts: [{ text: 'x' }] }, 'message.parts[0].kind'],
      ['a part of an unknown kind', { parts: [{ kind: 'audio' }] }, 'message.parts[0].kind'],
      ['a text part without text', { parts: [{ kind: 'text' }] }, 'message.parts[0].text'],
      ['a text that is none', { parts: [{ kind: 'text', text: {} }] }, 'message.parts[0].text'],
      ['a file part without a file', { parts: [{ kind: 'file' }] }, 'message.parts[0].file'],
      ['an empty file', { parts: [{ kind: 'file', file: {} }] }, 'message.parts[0].file'],
      [
        'a file of bytes and uri',
        { parts: [{ kind: 'file', file: { bytes: 'aGk=', uri: 'https://x.example' } }] },
        'message.parts[0].file',
      ],
      [
        'bad base64',
        { parts: [{ kind: 'file', file: { bytes: '?' } }] },
        'message.parts[0].file.bytes',
      ],
      ['a data part without data', { parts: [{ kind: 'data' }] }, 'message.parts[0].data'],
      ['deep data', { parts: [{ kind: 'data', data: deep(65) }] }, 'message.parts[0].data'],
      ['a role of 1.0', { role: 'ROLE_USER' }, 'message.role'],
      ['no role', { role: undefined }, 'message.role'],
      ['no message id', { messageId: undefined }, 'message.messageId'],
      ['another kind', { kind: 'task' }, 'message.kind'],
      ['metadata that is none', { metadata: 5 }, 'message.metadata'],
    ])('refuses %s', async (_name, wrong, field) => {
      const body = await doors.rpc(method, { message: { ...OLD_MESSAGE, ...wrong } });
      expect(body['error']).toMatchObject({ code: -32602, message: 'Invalid parameters' });
      expect(violationsOf(body, '0.3')[0]).toMatchObject({ field });
      expect(doors.calls).toEqual([]);
    });

    it.each([
      [{ historyLength: -1 }, 'configuration.historyLength'],
      [{ blocking: 'no' }, 'configuration.blocking'],
      [{ acceptedOutputModes: 5 }, 'configuration.acceptedOutputModes'],
      [{ pushNotificationConfig: {} }, 'configuration.pushNotificationConfig.url'],
    ])('refuses the configuration %j', async (configuration, field) => {
      const body = await doors.rpc(method, { message: OLD_MESSAGE, configuration });
      expect(violationsOf(body, '0.3')[0]).toMatchObject({ field });
      expect(doors.calls).toEqual([]);
    });
  });

  it('names every field that is wrong, at most some', async () => {
    const parts = Array.from({ length: 1000 }, () => ({}));
    const body = await doors.rpc('SendMessage', { message: { role: 5, parts } });
    const fields = violationsOf(body, '1.0').map(({ field }) => String(field));
    expect(fields).toEqual(expect.arrayContaining(['message.messageId', 'message.role']));
    expect(fields.length).toBeLessThan(30);
  });

  it.each([
    ['SendMessage', TEXT_MESSAGE, 'ROLE_USER'],
    ['message/send', OLD_MESSAGE, 'user'],
  ])(
    '%s reads snake_case, ignores what it does not know, renames nothing free',
    async (method, message, role) => {
      const free = { snake_case: { camelCase: [1, { deep_er: null }] } };
      await doors.rpc(method, {
        unknown: 1,
        message: {
          ...message,
          messageId: undefined,
          message_id: 'snake',
          context_id: 'c-1',
          reference_task_ids: ['t-9'],
          role,
          metadata: free,
          unknown: {},
        },
        configuration: { history_length: 3, accepted_output_modes: ['text/plain'] },
        metadata: free,
      });
      const [request] = doors.calls[0]!.arguments;
      expect(request.message).toMatchObject({
        messageId: 'snake',
        contextId: 'c-1',
        referenceTaskIds: ['t-9'],
        metadata: free,
      });
      expect(request.metadata).toEqual(free);
      expect(request.configuration).toMatchObject({
        historyLength: 3,
        acceptedOutputModes: ['text/plain'],
      });
    },
  );

  it('takes parts of every kind', async () => {
    const parts = [
      { text: '' },
      { raw: 'aGk=', filename: 'a.txt', media_type: 'text/plain' },
      { raw: 'aGk' },
      { url: 'https://example.com/a' },
      { data: [1, { a: null }] },
      { data: false },
    ];
    await doors.rpc('SendMessage', { message: { ...TEXT_MESSAGE, parts } });
    const [request] = doors.calls[0]!.arguments;
    expect(request.message.parts.map((part: Json) => part.content.$case)).toEqual([
      'text',
      'raw',
      'raw',
      'url',
      'data',
      'data',
    ]);
    expect(request.message.parts[1]).toMatchObject({ mediaType: 'text/plain', filename: 'a.txt' });
  });

  it('waits unless a client says otherwise', async () => {
    const immediately = async (method: string, params: Json): Promise<unknown> => {
      await doors.rpc(method, params);
      return doors.calls.at(-1)!.arguments[0].returnImmediately;
    };
    const v1 = { message: TEXT_MESSAGE };
    const v0 = { message: OLD_MESSAGE };
    expect(await immediately('SendMessage', v1)).toBe(false);
    expect(await immediately('SendMessage', { ...v1, configuration: {} })).toBe(false);
    expect(
      await immediately('SendMessage', { ...v1, configuration: { returnImmediately: true } }),
    ).toBe(true);
    expect(await immediately('message/send', v0)).toBe(false);
    expect(await immediately('message/send', { ...v0, configuration: {} })).toBe(false);
    expect(await immediately('message/send', { ...v0, configuration: { blocking: true } })).toBe(
      false,
    );
    expect(await immediately('message/send', { ...v0, configuration: { blocking: false } })).toBe(
      true,
    );
  });

  it('hands the webhook of a message on as it was written', async () => {
    const authentication = { schemes: ['Custom', 'Bearer'], credentials: 'secret' };
    await doors.rpc('message/send', {
      message: OLD_MESSAGE,
      configuration: { pushNotificationConfig: { url: 'https://example.com', authentication } },
    });
    const inline = doors.calls.find(({ operation }) => operation === 'push.inline')!;
    expect(inline.arguments[0]).toMatchObject({ url: 'https://example.com' });
    expect(inline.arguments[2]).toEqual(authentication);
    const send = doors.calls.find(({ operation }) => operation === 'tasks.send')!;
    expect(send.arguments[1]).toHaveLength(1);
  });

  it('refuses a webhook before the task exists', async () => {
    doors.on('push.inline', async () => {
      throw new HubError('INVALID_PARAMS', 'url is forbidden', {
        violations: [{ field: 'configuration.taskPushNotificationConfig.url', description: 'no' }],
      });
    });
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const configuration = { taskPushNotificationConfig: { url: 'http://10.0.0.1/' } };
      const body = await doors.rpc(method, { message: TEXT_MESSAGE, configuration });
      expect(body['error'].code).toBe(-32602);
    }
    expect(doors.calls.map(({ operation }) => operation)).toEqual(['push.inline', 'push.inline']);
  });
});

describe('what the call carries', () => {
  it('reads the headers of a call', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await doors.rpc(
      'GetTask',
      { id: 'task-1' },
      {
        headers: {
          'a2a-extensions': 'urn:a, urn:b',
          'x-a2a-extensions': 'urn:b,urn:c',
          traceparent,
          'a2a-hub-hops': 'hub-1, hub-2',
          'idempotency-key': 'once',
          'last-event-id': '12',
        },
      },
    );
    expect(doors.calls[0]!.arguments[2]).toMatchObject({
      principal: { id: 'alice' },
      extensions: ['urn:a', 'urn:b', 'urn:c'],
      traceparent,
      hops: ['hub-1', 'hub-2'],
      idempotencyKey: 'once',
      lastEventId: 12,
    });
  });

  it.each([
    ['last-event-id', 'abc', 'Last-Event-ID'],
    ['last-event-id', '-1', 'Last-Event-ID'],
    ['idempotency-key', 'k'.repeat(256), 'Idempotency-Key'],
    ['a2a-hub-hops', 'a b', 'A2A-Hub-Hops'],
  ])('refuses the header %s: %s', async (header, value, field) => {
    const body = await doors.rpc('SubscribeToTask', { id: 't' }, { headers: { [header]: value } });
    expect(violationsOf(body, '1.0')[0]).toMatchObject({ field });
  });

  it('ignores a traceparent that is none', async () => {
    await doors.rpc('GetTask', { id: 't' }, { headers: { traceparent: 'nonsense' } });
    expect(doors.calls[0]!.arguments[2].traceparent).toBeUndefined();
  });

  it('takes the agent from the path or from the tenant', async () => {
    const agentOf = async (path: string, method: string, params: Json): Promise<unknown> => {
      await doors.rpc(method, params, { path });
      return doors.calls.at(-1)?.arguments.at(-1).agentId;
    };
    expect(await agentOf('/a2a/agents/csv', 'GetTask', { id: 't' })).toBe('csv');
    expect(await agentOf('/a2a/agents/csv/', 'tasks/get', { id: 't' })).toBe('csv');
    expect(await agentOf('/a2a', 'GetTask', { id: 't', tenant: 'csv' })).toBe('csv');
    expect(await agentOf('/a2a/agents/csv', 'GetTask', { id: 't', tenant: 'csv' })).toBe('csv');
    expect(await agentOf('/a2a', 'GetTask', { id: 't' })).toBeUndefined();
  });

  it('refuses a tenant that is not the agent of the path', async () => {
    const body = await doors.rpc('GetTask', { id: 't', tenant: 'b' }, { path: '/a2a/agents/a' });
    expect(violationsOf(body, '1.0')[0]).toMatchObject({ field: 'tenant' });
    expect(doors.calls).toEqual([]);
  });

  it('says which extensions it has acted by', async () => {
    const call = async (method: string, header: string): Promise<Json> =>
      (
        await doors.post(
          { jsonrpc: '2.0', id: 1, method, params: { id: 't' } },
          { headers: { [header]: 'urn:other, urn:a2a-hub:routing:v1' } },
        )
      ).headers;
    expect((await call('GetTask', 'a2a-extensions'))['a2a-extensions']).toBe(
      'urn:a2a-hub:routing:v1',
    );
    expect((await call('tasks/get', 'x-a2a-extensions'))['x-a2a-extensions']).toBe(
      'urn:a2a-hub:routing:v1',
    );
  });
});

describe('HTTP', () => {
  it.each(['/a2a', '/a2a/', '/', '/a2a/agents/csv', '/a2a/agents/csv/'])(
    'answers at %s',
    async (path) => {
      const answer = await doors.post(
        { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 't' } },
        { path },
      );
      expect(answer.status).toBe(200);
      expect(answer.body['result']).toMatchObject({ id: 'task-1' });
    },
  );

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/a2a+json',
    'APPLICATION/JSON',
  ])('takes a body of type %s', async (type) => {
    const body = await doors.rpc('GetTask', { id: 't' }, { headers: { 'content-type': type } });
    expect(body['result']).toBeDefined();
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
  ])('answers 415 and -32005 to a body of type %s', async (type) => {
    const answer = await doors.post(
      { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 't' } },
      { headers: { 'content-type': type } },
    );
    expect(answer.status).toBe(415);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32005 } });
    expect(doors.calls).toEqual([]);
  });

  it('answers 415 to a request without a body', async () => {
    const answer = await doors.server.inject({
      method: 'POST',
      url: '/a2a',
      headers: { authorization: 'Bearer alice' },
    });
    expect(answer.statusCode).toBe(415);
    expect(answer.json()).toMatchObject({ error: { code: -32005 } });
  });

  it('answers 413 to a body over the limit', async () => {
    const small = await startDoors({ server: { bodyLimit: 2048 } });
    const text = 'x'.repeat(3000);
    const params = { message: { ...TEXT_MESSAGE, parts: [{ text }] } };
    const answer = await small.post({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
    expect(small.calls).toEqual([]);
    await small.server.close();
  });

  it('asks who is calling before it reads the body', async () => {
    const answer = await doors.server.inject({
      method: 'POST',
      url: '/a2a',
      headers: { 'content-type': 'text/plain' },
      payload: '{',
    });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -31401 } });
  });

  it('answers 403 to a key without the scope', async () => {
    const answer = await doors.post('{}', { headers: { authorization: 'Bearer noscope' } });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ error: { code: -31403 } });
  });

  it('shows nothing of its own accidents, and notes them', async () => {
    doors.on('tasks.get', async () => {
      throw new Error('secret detail');
    });
    for (const method of ['GetTask', 'tasks/get']) {
      const answer = await doors.post({ jsonrpc: '2.0', id: 3, method, params: { id: 't' } });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        id: 3,
        error: { code: -32603, message: 'Internal error' },
      });
      expect(answer.text).not.toContain('secret');
    }
    expect(doors.logged).toHaveLength(2);
  });
});

describe('answers', () => {
  it('gives a Message of the agent as a Message', async () => {
    doors.on('tasks.send', async () => ({ kind: 'message', message: agentMessage() }));
    expect((await doors.rpc('SendMessage', { message: TEXT_MESSAGE }))['result']).toEqual({
      message: {
        messageId: 'answer-1',
        contextId: 'context-1',
        role: 'ROLE_AGENT',
        parts: [{ text: 'hello' }],
      },
    });
    expect((await doors.rpc('message/send', { message: OLD_MESSAGE }))['result']).toMatchObject({
      kind: 'message',
      role: 'agent',
      parts: [{ kind: 'text', text: 'hello' }],
    });
  });

  it('lists artifacts exactly when they are asked for', async () => {
    const without = await doors.rpc('ListTasks', {});
    expect(without['result']).toEqual({
      tasks: [{ id: 'task-1', contextId: 'context-1', status: expect.anything() }],
      nextPageToken: '',
      pageSize: 50,
      totalSize: 1,
    });
    const included = await doors.rpc('ListTasks', { includeArtifacts: true });
    expect(included['result'].tasks[0].artifacts).toEqual([]);
  });

  it.each([['DeleteTaskPushNotificationConfig'], ['tasks/pushNotificationConfig/delete']])(
    'answers null to %s',
    async (method) => {
      const params = V1_METHODS[method] ?? V0_METHODS[method];
      const answer = await doors.post({ jsonrpc: '2.0', id: 1, method, params });
      expect(answer.text).toBe('{"jsonrpc":"2.0","id":1,"result":null}');
    },
  );

  it('keeps the names of 0.2.5 for its push methods', async () => {
    const set = await doors.rpc(
      'tasks/pushNotification/set',
      V0_METHODS['tasks/pushNotification/set'],
    );
    expect(set['result']).toEqual({
      id: 'task-1',
      taskId: 'task-1',
      pushNotificationConfig: { id: 'config-1', url: 'https://example.com/hook' },
    });
    expect(doors.calls[0]!.arguments[0]).toMatchObject({ taskId: 'task-1', id: '' });
    const get = await doors.rpc('tasks/pushNotification/get', { id: 'task-1' });
    expect(get['result']).toMatchObject({ id: 'task-1' });
    expect(doors.calls[1]!.arguments.slice(0, 2)).toEqual(['task-1', undefined]);
  });

  it('refuses the extended card as each version wants it', async () => {
    expect((await doors.rpc('GetExtendedAgentCard', {}))['error'].code).toBe(-32004);
    expect(
      (await doors.rpc('agent/getAuthenticatedExtendedCard', undefined))['error'],
    ).toMatchObject({
      code: -32007,
      message: 'Authenticated Extended Card not configured',
    });
  });

  it('tells an unknown task from none: code, text and no details', async () => {
    doors.on('tasks.get', async (id) => {
      throw new HubError('TASK_NOT_FOUND', 'Task not found', { metadata: { taskId: id } });
    });
    const v1 = await doors.rpc('GetTask', { id: 'x' });
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
    const v0 = await doors.rpc('tasks/get', { id: 'x' });
    expect(v0['error']).toEqual({
      code: -32001,
      message: 'Task not found',
      data: { reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' },
    });
  });

  it('says to 0.x clients the standard texts, with the rest in data', async () => {
    doors.on('tasks.send', async () => {
      throw new HubError('NO_ROUTE', 'No agent has the tag x.', { metadata: { skills: 'a.b' } });
    });
    const body = await doors.rpc('message/send', { message: OLD_MESSAGE });
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
  const open = (method: string, params: Json, headers = {}): ReturnType<DoorHarness['post']> =>
    doors.post({ jsonrpc: '2.0', id: 9, method, params }, { headers });

  it('writes the stored text of each event behind its seq', async () => {
    doors.on('tasks.sendStream', () =>
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
    expect(doors.streams.size).toBe(0);
  });

  it('writes 0.3 events with their seq, kind and final', async () => {
    doors.on('tasks.subscribe', () =>
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

  it.each([
    ['SubscribeToTask', 'tasks.subscribe', V1_METHODS['SubscribeToTask']],
    ['SendStreamingMessage', 'tasks.sendStream', V1_METHODS['SendStreamingMessage']],
    ['tasks/resubscribe', 'tasks.subscribe', V0_METHODS['tasks/resubscribe']],
    ['message/stream', 'tasks.sendStream', V0_METHODS['message/stream']],
  ])('answers a refused %s as plain JSON', async (method, operation, params) => {
    doors.on(operation, async function* () {
      yield* [];
      throw new HubError('TASK_NOT_FOUND', 'Task not found');
    });
    const answer = await open(method, params);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body).toMatchObject({
      id: 9,
      error: { code: -32001, message: 'Task not found' },
    });
  });

  it.each([['SubscribeToTask'], ['tasks/resubscribe']])(
    'ends a %s that breaks with one error event',
    async (method) => {
      doors.on('tasks.subscribe', async function* () {
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
      expect(doors.logged).toHaveLength(1);
    },
  );

  it('hands Last-Event-ID on, and the sign that the client is gone', async () => {
    await open('SubscribeToTask', { id: 't' }, { 'last-event-id': '41' });
    const [, call] = doors.calls[0]!.arguments;
    expect(call.lastEventId).toBe(41);
    expect(call.signal.aborted).toBe(true);
  });
});

function violationsOf(body: Json, version: '1.0' | '0.3'): Json[] {
  const { code, data } = body['error'];
  expect(code).toBe(-32602);
  const found =
    version === '1.0'
      ? (data as Json[]).find((detail) => detail['@type'].endsWith('BadRequest'))
      : data;
  return (found?.['fieldViolations'] ?? []) as Json[];
}
