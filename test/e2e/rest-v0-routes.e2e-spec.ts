import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LEGACY_OPERATIONS } from '../../src/a2a/v0-operations.js';
import type { Json } from '../support/json.js';
import {
  type BindingHarness,
  agentMessage,
  eventsOf,
  startBindings,
  subscribesAndCancels,
} from './bindings-harness.js';
import { OLD_MESSAGE } from './bindings-methods.js';

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
const NAMED_HOOK = {
  name: 'tasks/task-1/pushNotificationConfigs/',
  pushNotificationConfig: HOOK,
};
/** Asks for the JSON of 0.3 where no body shows the form. */
const JSON_FORM = { accept: 'application/json; profile=a2a-json' };

/** Where the binding is, and which agent that names. */
const PREFIXES: [prefix: string, agent: string | undefined][] = [
  ['/a2a/v1', undefined],
  ['/a2a/agents/echo/v1', 'echo'],
];

/** Every route, a body for it in each form, and what it must reach. */
const ROUTES: [method: string, path: string, proto: Json, json: Json, reached: string][] = [
  ['POST', '/message:send', { message: PROTO_MESSAGE }, { message: OLD_MESSAGE }, 'tasks.send'],
  [
    'POST',
    '/message:stream',
    { message: PROTO_MESSAGE },
    { message: OLD_MESSAGE },
    'tasks.sendStream',
  ],
  ['GET', '/tasks/task-1', undefined, undefined, 'tasks.get'],
  ['POST', '/tasks/task-1:cancel', { name: 'tasks/task-1' }, { id: 'task-1' }, 'tasks.cancel'],
  ['GET', '/tasks/task-1:subscribe', undefined, undefined, 'tasks.subscribe'],
  [
    'POST',
    '/tasks/task-1:subscribe',
    { name: 'tasks/task-1' },
    { id: 'task-1' },
    'tasks.subscribe',
  ],
  [
    'POST',
    '/tasks/task-1/pushNotificationConfigs',
    NAMED_HOOK,
    { taskId: 'task-1', pushNotificationConfig: HOOK },
    'push.create',
  ],
  ['GET', '/tasks/task-1/pushNotificationConfigs', undefined, undefined, 'push.list'],
  ['GET', '/tasks/task-1/pushNotificationConfigs/config-1', undefined, undefined, 'push.get'],
  ['DELETE', '/tasks/task-1/pushNotificationConfigs/config-1', undefined, undefined, 'push.delete'],
];

const PROTO_TASK = {
  id: 'task-1',
  contextId: 'context-1',
  status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-31T12:00:00.000Z' },
};
const JSON_TASK = {
  kind: 'task',
  id: 'task-1',
  contextId: 'context-1',
  status: { state: 'completed', timestamp: '2026-01-31T12:00:00.000Z' },
};
const PROTO_UPDATE = {
  statusUpdate: {
    taskId: 'task-1',
    contextId: 'context-1',
    status: PROTO_TASK.status,
    final: true,
  },
};
const JSON_UPDATE = {
  kind: 'status-update',
  taskId: 'task-1',
  contextId: 'context-1',
  status: JSON_TASK.status,
  final: true,
};
const PROTO_CONFIG = {
  name: 'tasks/task-1/pushNotificationConfigs/config-1',
  pushNotificationConfig: { id: 'config-1', ...HOOK },
};
const JSON_CONFIG = { taskId: 'task-1', pushNotificationConfig: { id: 'config-1', ...HOOK } };

/** What each operation answers in each form. */
const ANSWERS: Record<string, [proto: Json, json: Json]> = {
  'tasks.send': [{ task: PROTO_TASK }, JSON_TASK],
  'tasks.sendStream': [PROTO_UPDATE, JSON_UPDATE],
  'tasks.subscribe': [PROTO_UPDATE, JSON_UPDATE],
  'tasks.get': [PROTO_TASK, JSON_TASK],
  'tasks.cancel': [PROTO_TASK, JSON_TASK],
  'push.create': [PROTO_CONFIG, JSON_CONFIG],
  'push.get': [PROTO_CONFIG, JSON_CONFIG],
  'push.list': [{ configs: [PROTO_CONFIG] }, [JSON_CONFIG]],
  'push.delete': [{}, {}],
};

describe('the routes of HTTP+JSON 0.3', () => {
  it('are all that the table of operations lists', () => {
    const listed = [...LEGACY_OPERATIONS.values()].flatMap(({ rest }) =>
      rest.map(({ method, path }) => `${method} ${path}`),
    );
    const tried = ROUTES.map(
      ([method, path]) =>
        `${method} ${path
          .replace('task-1', path.includes('push') ? '{taskId}' : '{id}')
          .replace('config-1', '{id}')}`,
    );
    expect(listed.sort()).toEqual([...tried, 'GET /card'].sort());
  });

  it.each(
    PREFIXES.flatMap(([prefix, agent]) =>
      ROUTES.map(([method, path, proto, json, reached]) => ({
        method,
        url: prefix + path,
        bodies: [proto, json],
        reached,
        agent,
      })),
    ),
  )(
    '$method $url reaches its own operation and answers in the form of the request',
    async ({ method, url, bodies, reached, agent }) => {
      for (const [form, body] of bodies.entries()) {
        bindings.reset();
        const headers = form === 1 && body === undefined ? JSON_FORM : {};
        const answer = await bindings.request(method, url, { body, headers });
        expect(answer.status).toBe(200);
        const streaming = /stream|subscribe/i.test(reached);
        expect(streaming ? eventsOf(answer.text)[0]!.data : answer.body).toEqual(
          ANSWERS[reached]![form],
        );
        expect(answer.headers['content-type']).toBe(
          streaming ? 'text/event-stream' : 'application/json; charset=utf-8',
        );
        expect(bindings.calls.map(({ operation }) => operation)).toEqual([reached]);
        const call = bindings.calls[0]!.arguments.find((argument) => argument?.principal);
        expect(call).toMatchObject({ version: '0.3', agentId: agent, principal: { id: 'alice' } });
      }
    },
  );

  it.each(PREFIXES)('%s: a subscribe never cancels, whatever the id', async (prefix) => {
    await subscribesAndCancels(bindings, prefix);
  });

  it('writes an event on one line of data, with a space and its seq', async () => {
    const answer = await bindings.request('GET', '/a2a/v1/tasks/task-1:subscribe', {
      headers: JSON_FORM,
    });
    expect(answer.text).toBe(`id: 1\ndata: ${JSON.stringify(JSON_UPDATE)}\n\n`);
  });

  it('lists all push configs, for 0.3 has no pages', async () => {
    const config = { tenant: '', id: 'p', taskId: 't', token: '', ...HOOK };
    bindings.on('push.list', async (_task, _size, token) =>
      token === ''
        ? { configs: [config, config], nextPageToken: 'more' }
        : { configs: [config], nextPageToken: '' },
    );
    const rest = await bindings.request('GET', '/a2a/v1/tasks/t/pushNotificationConfigs');
    expect(rest.body.configs).toHaveLength(3);
    const rpc = await bindings.rpc('tasks/pushNotificationConfig/list', { id: 't' });
    expect(rpc['result']).toHaveLength(3);
    expect(bindings.calls.map((call) => call.arguments[2])).toEqual(['', 'more', '', 'more']);
  });

  it('gives a Message of the agent as a Message', async () => {
    bindings.on('tasks.send', async () => ({ kind: 'message', message: agentMessage() }));
    const send = (message: Json): ReturnType<BindingHarness['request']> =>
      bindings.request('POST', '/a2a/v1/message:send', { body: { message } });
    expect((await send(PROTO_MESSAGE)).body).toEqual({
      message: {
        messageId: 'answer-1',
        contextId: 'context-1',
        role: 'ROLE_AGENT',
        content: [{ text: 'hello' }],
      },
    });
    expect((await send(OLD_MESSAGE)).body).toMatchObject({
      kind: 'message',
      messageId: 'answer-1',
      parts: [{ kind: 'text', text: 'hello' }],
    });
  });
});

describe('the form of a request', () => {
  const formOf = async (body: Json): Promise<string> => {
    const { body: answer } = await bindings.request('POST', '/a2a/v1/message:send', { body });
    return 'task' in answer ? 'proto' : answer.kind === 'task' ? 'json' : JSON.stringify(answer);
  };

  it.each([
    ['proto', { message: PROTO_MESSAGE }],
    ['proto', { request: PROTO_MESSAGE }],
    ['proto', { message: { message_id: 'm', role: 1, content: [{ text: 'x' }] } }],
    ['json', { message: OLD_MESSAGE }],
    ['json', { message: { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }] } }],
  ])('is %s for %j', async (form, body) => {
    expect(await formOf(body)).toBe(form);
  });

  it('waits, unless the request says otherwise in the way of its form', async () => {
    const immediately = async (body: Json): Promise<unknown> => {
      await bindings.request('POST', '/a2a/v1/message:send', { body });
      return bindings.calls.at(-1)!.arguments[0].returnImmediately;
    };
    // Protocol Buffers write false by leaving it out.
    expect(await immediately({ message: PROTO_MESSAGE })).toBe(false);
    expect(await immediately({ message: PROTO_MESSAGE, configuration: {} })).toBe(true);
    expect(await immediately({ message: PROTO_MESSAGE, configuration: { blocking: true } })).toBe(
      false,
    );
    expect(await immediately({ message: OLD_MESSAGE, configuration: {} })).toBe(false);
    expect(await immediately({ message: OLD_MESSAGE, configuration: { blocking: false } })).toBe(
      true,
    );
  });

  it('reads historyLength under both names', async () => {
    await bindings.request('GET', '/a2a/v1/tasks/t?historyLength=0');
    await bindings.request('GET', '/a2a/v1/tasks/t?history_length=7');
    await bindings.request('GET', '/a2a/v1/tasks/t?unknown=1');
    expect(bindings.calls.map((call) => call.arguments[1])).toEqual([0, 7, undefined]);
  });

  it.each<[string, Json]>([
    [
      'the config alone (JavaScript)',
      { ...NAMED_HOOK, pushNotificationConfig: { id: 'p', ...HOOK } },
    ],
    ['the whole request (Java)', { parent: 'tasks/task-1', configId: 'p', config: NAMED_HOOK }],
    [
      'the whole request in snake_case (conformance kit)',
      {
        parent: 'tasks/task-1',
        config_id: 'p',
        config: {
          name: 'tasks/task-1/pushNotificationConfigs/p',
          push_notification_config: { id: 'p', ...HOOK, token: '', authentication: {} },
        },
      },
    ],
    [
      'a name without an id (Python)',
      {
        parent: 'tasks/task-1',
        config: {
          name: 'tasks/task-1/pushNotificationConfigs/None',
          pushNotificationConfig: { id: 'p', ...HOOK },
        },
      },
    ],
    ['the JSON of 0.3', { taskId: 'task-1', pushNotificationConfig: { id: 'p', ...HOOK } }],
    ['the same without its task', { pushNotificationConfig: { id: 'p', ...HOOK } }],
    [
      'the text of the specification',
      { config: { taskId: 'task-1', pushNotificationConfig: { id: 'p', ...HOOK } } },
    ],
  ])('sets a push config by %s', async (_name, body) => {
    const answer = await bindings.request('POST', '/a2a/v1/tasks/task-1/pushNotificationConfigs', {
      body,
    });
    expect(answer.status).toBe(200);
    expect(bindings.calls.map(({ operation }) => operation)).toEqual(['push.create']);
    expect(bindings.calls[0]!.arguments[0]).toMatchObject({ taskId: 'task-1', id: 'p', ...HOOK });
  });

  it('hands all schemes of a push config on, in either form', async () => {
    const authentication = { schemes: ['Unknown', 'Bearer', 'Basic'], credentials: 'secret' };
    const config = { ...HOOK, authentication };
    const path = '/a2a/v1/tasks/task-1/pushNotificationConfigs';
    await bindings.request('POST', path, {
      body: { ...NAMED_HOOK, pushNotificationConfig: config },
    });
    await bindings.request('POST', path, {
      body: { taskId: 'task-1', pushNotificationConfig: config },
    });
    await bindings.request('POST', '/a2a/v1/message:send', {
      body: { message: PROTO_MESSAGE, configuration: { push_notification: config } },
    });
    const written = bindings.calls.filter(({ operation }) => operation.startsWith('push.'));
    expect(written.map((call) => call.arguments[2])).toEqual([
      authentication,
      authentication,
      authentication,
    ]);
  });
});

describe('the version of a path of 0.3', () => {
  const get = (url: string, version: string): ReturnType<BindingHarness['request']> =>
    bindings.request('GET', url, { headers: { 'a2a-version': version } });

  it.each(['', '0.3', '0.3.0', '0.2', '0.2.5', '0.2.6'])('may be stated as %j', async (version) => {
    expect((await get('/a2a/v1/tasks/t', version)).status).toBe(200);
    expect((await get(`/a2a/v1/tasks/t?A2A-Version=${version}`, '')).status).toBe(200);
  });

  it.each([
    ['/a2a/v1/tasks/t', '/a2a/tasks/t'],
    ['/a2a/agents/echo/v1/tasks/t', '/a2a/agents/echo/tasks/t'],
    ['/a2a/v1/card', '/a2a/extendedAgentCard'],
    ['/agent/authenticatedExtendedCard', '/a2a/extendedAgentCard'],
  ])('is not 1.0: %s is %s there', async (url, path) => {
    for (const answer of [await get(url, '1.0'), await get(`${url}?A2A-Version=1.0`, '')]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({
        code: -32601,
        message: 'Method not found',
        data: { reason: 'METHOD_NOT_FOUND', metadata: { path } },
      });
    }
    expect(bindings.calls).toEqual([]);
  });

  it.each(['2.0', '99.0', 'x', '1'])('is not %j', async (version) => {
    const answer = await get('/a2a/v1/tasks/t', version);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: -32009, message: 'Version not supported' });
    expect(bindings.calls).toEqual([]);
  });
});
