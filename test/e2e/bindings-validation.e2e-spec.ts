import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HubError } from '../../src/common/hub-error.js';
import type { Json } from '../support/json.js';
import { type BindingHarness, startBindings } from './bindings-harness.js';
import {
  ALL_METHODS,
  OLD_MESSAGE,
  TEXT_MESSAGE,
  V0_METHODS,
  V1_METHODS,
  violationsOf,
} from './bindings-methods.js';

let bindings: BindingHarness;

beforeAll(async () => {
  bindings = await startBindings();
});

beforeEach(() => bindings.reset());

afterAll(async () => {
  await bindings.server.close();
});

describe('params of every method', () => {
  it.each(ALL_METHODS.filter(([, method]) => !method.includes('Extended')))(
    '%s %s answers what is right',
    async (_version, method, params) => {
      const answer = await bindings.post({ jsonrpc: '2.0', id: 1, method, params });
      expect(answer.text).toContain('"result"');
      expect(bindings.calls).toHaveLength(1);
    },
  );

  it.each(ALL_METHODS)('%s %s refuses params that are no object', async (_version, method) => {
    for (const params of [[], 'text', 5, true]) {
      const body = await bindings.rpc(method, params);
      expect(body).toMatchObject({ id: 7, error: { code: -32602 } });
    }
    expect(bindings.calls).toEqual([]);
  });

  it.each(ALL_METHODS.filter(([, , params]) => Object.keys(params).length > 0))(
    '%s %s names the fields that are missing',
    async (version, method, params) => {
      for (const field of Object.keys(params)) {
        const rest = { ...params, [field]: undefined };
        const violations = violationsOf(await bindings.rpc(method, rest), version);
        const named = method === 'tasks/pushNotification/set' && field === 'id' ? 'taskId' : field;
        expect(violations).toContainEqual({ field: named, description: 'is required' });
      }
      const none = await bindings.rpc(method, undefined);
      expect(none['error'].code).toBe(-32602);
      expect(bindings.calls).toEqual([]);
    },
  );

  it.each(ALL_METHODS.filter(([, , params]) => 'id' in params || 'taskId' in params))(
    '%s %s refuses ids that are none',
    async (version, method, params) => {
      const name = 'taskId' in params ? 'taskId' : 'id';
      for (const id of [5, {}, [], true, 'x'.repeat(513), 'a\u0000b', '\ud800']) {
        const body = await bindings.rpc(method, { ...params, [name]: id });
        expect(body['error'].code).toBe(-32602);
        expect(violationsOf(body, version)[0]!['field']).toMatch(/^(id|taskId)$/);
      }
      expect(bindings.calls).toEqual([]);
    },
  );

  it.each([
    ['GetTask', { historyLength: -1 }, 'historyLength'],
    ['GetTask', { historyLength: 1.5 }, 'historyLength'],
    ['GetTask', { historyLength: '3' }, 'historyLength'],
    ['GetTask', { historyLength: 2 ** 40 }, 'historyLength'],
    ['GetTask', { history_length: -1 }, 'historyLength'],
    ['GetTask', { tenant: 5 }, 'tenant'],
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
    ['ListTaskPushNotificationConfigs', { pageSize: 101 }, 'pageSize'],
    ['GetTask', { tenant: 'x'.repeat(513) }, 'tenant'],
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
    const body = await bindings.rpc(method, params);
    expect(body['error'].code).toBe(-32602);
    expect(violationsOf(body, method in V1_METHODS ? '1.0' : '0.3')[0]!['field']).toBe(field);
    expect(bindings.calls).toEqual([]);
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
      ['a part of null', { parts: [{ text: null }] }, 'message.parts[0]'],
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
      const answer = await bindings.post({
        jsonrpc: '2.0',
        id: 7,
        method,
        params: { message: { ...TEXT_MESSAGE, ...wrong } },
      });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(violationsOf(answer.body, '1.0')[0]).toMatchObject({ field });
      expect(bindings.calls).toEqual([]);
    });

    it.each([
      [{ historyLength: -1 }, 'configuration.historyLength'],
      [{ returnImmediately: 'no' }, 'configuration.returnImmediately'],
      [{ acceptedOutputModes: 'text/plain' }, 'configuration.acceptedOutputModes'],
      [{ taskPushNotificationConfig: {} }, 'configuration.taskPushNotificationConfig.url'],
    ])('refuses the configuration %j', async (configuration, field) => {
      const body = await bindings.rpc(method, { message: TEXT_MESSAGE, configuration });
      expect(violationsOf(body, '1.0')[0]).toMatchObject({ field });
      expect(bindings.calls).toEqual([]);
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
      ['data that is a text', { parts: [{ kind: 'data', data: 'x' }] }, 'message.parts[0].data'],
      ['deep data', { parts: [{ kind: 'data', data: deep(65) }] }, 'message.parts[0].data'],
      ['a role of 1.0', { role: 'ROLE_USER' }, 'message.role'],
      ['no role', { role: undefined }, 'message.role'],
      ['no message id', { messageId: undefined }, 'message.messageId'],
      ['another kind', { kind: 'task' }, 'message.kind'],
      ['metadata that is none', { metadata: 5 }, 'message.metadata'],
    ])('refuses %s', async (_name, wrong, field) => {
      const body = await bindings.rpc(method, { message: { ...OLD_MESSAGE, ...wrong } });
      expect(body['error']).toMatchObject({ code: -32602, message: 'Invalid parameters' });
      expect(violationsOf(body, '0.3')[0]).toMatchObject({ field });
      expect(bindings.calls).toEqual([]);
    });

    it.each([
      [{ historyLength: -1 }, 'configuration.historyLength'],
      [{ blocking: 'no' }, 'configuration.blocking'],
      [{ acceptedOutputModes: 5 }, 'configuration.acceptedOutputModes'],
      [{ pushNotificationConfig: {} }, 'configuration.pushNotificationConfig.url'],
    ])('refuses the configuration %j', async (configuration, field) => {
      const body = await bindings.rpc(method, { message: OLD_MESSAGE, configuration });
      expect(violationsOf(body, '0.3')[0]).toMatchObject({ field });
      expect(bindings.calls).toEqual([]);
    });
  });

  it.each([
    ['an object', { a: 1 }],
    ['an array, as some clients send', [{ a: 1 }, 'b', null]],
  ])('message/send takes data that is %s', async (_what, data) => {
    const parts = [{ kind: 'data', data }];
    await bindings.rpc('message/send', { message: { ...OLD_MESSAGE, parts } });
    const { message } = bindings.calls.at(-1)!.arguments[0];
    expect(message.parts[0].content).toEqual({ $case: 'data', value: data });
  });

  it('names every field that is wrong, at most some', async () => {
    const parts = Array.from({ length: 1000 }, () => ({}));
    const body = await bindings.rpc('SendMessage', { message: { role: 5, parts } });
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
      await bindings.rpc(method, {
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
      const [request] = bindings.calls[0]!.arguments;
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
      { data: null },
    ];
    await bindings.rpc('SendMessage', { message: { ...TEXT_MESSAGE, parts } });
    const [request] = bindings.calls[0]!.arguments;
    expect(request.message.parts.map((part: Json) => part.content.$case)).toEqual([
      'text',
      'raw',
      'raw',
      'url',
      'data',
      'data',
      'data',
    ]);
    expect(request.message.parts[1]).toMatchObject({ mediaType: 'text/plain', filename: 'a.txt' });
  });

  it('waits unless a client says otherwise', async () => {
    const immediately = async (method: string, params: Json): Promise<unknown> => {
      await bindings.rpc(method, params);
      return bindings.calls.at(-1)!.arguments[0].returnImmediately;
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

  it.each([
    [{ blockingDefault: 'never' }, true],
    [{ blockingDefault: 'always', acceptClientTaskIds: true }, false],
    [{ acceptClientTaskIds: true }, true],
  ])('with %j a 0.x send that does not say returns immediately: %s', async (tasks, immediately) => {
    const configured = await startBindings({ tasks });
    try {
      await configured.rpc('message/send', { message: OLD_MESSAGE });
      expect(configured.calls.at(-1)!.arguments[0].returnImmediately).toBe(immediately);
      await configured.rpc('SendMessage', { message: TEXT_MESSAGE });
      expect(configured.calls.at(-1)!.arguments[0].returnImmediately).toBe(false);
    } finally {
      await configured.server.close();
    }
  });

  it('hands the webhook of a message on as it was written', async () => {
    const authentication = { schemes: ['Custom', 'Bearer'], credentials: 'secret' };
    await bindings.rpc('message/send', {
      message: OLD_MESSAGE,
      configuration: { pushNotificationConfig: { url: 'https://example.com', authentication } },
    });
    const inline = bindings.calls.find(({ operation }) => operation === 'push.inline')!;
    expect(inline.arguments[0]).toMatchObject({ url: 'https://example.com' });
    expect(inline.arguments[2]).toEqual(authentication);
    const send = bindings.calls.find(({ operation }) => operation === 'tasks.send')!;
    expect(send.arguments[1]).toHaveLength(1);
  });

  it('refuses a webhook before the task exists', async () => {
    bindings.on('push.inline', async () => {
      throw new HubError('INVALID_PARAMS', 'url is forbidden', {
        violations: [{ field: 'configuration.taskPushNotificationConfig.url', description: 'no' }],
      });
    });
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const configuration = { taskPushNotificationConfig: { url: 'http://10.0.0.1/' } };
      const body = await bindings.rpc(method, { message: TEXT_MESSAGE, configuration });
      expect(body['error'].code).toBe(-32602);
    }
    expect(bindings.calls.map(({ operation }) => operation)).toEqual([
      'push.inline',
      'push.inline',
    ]);
  });
});
