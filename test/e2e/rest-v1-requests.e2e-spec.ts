import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '../support/json.js';
import { type BindingHarness, startBindings } from './bindings-harness.js';
import { TEXT_MESSAGE } from './bindings-methods.js';
import { EVERYWHERE, HOOK, ROUTES, violated } from './rest-v1-table.js';

let bindings: BindingHarness;

beforeAll(async () => {
  bindings = await startBindings();
});

beforeEach(() => bindings.reset());

afterAll(async () => {
  await bindings.server.close();
});

describe('the body of a request', () => {
  const BODYLESS = ROUTES.filter(([, , body]) => body === undefined);

  it.each(BODYLESS)(
    '%s %s takes the bodies clients send for none',
    async (method, path, _, reached) => {
      // Go sends null, Python nothing at all, others an empty body with a type.
      for (const options of [
        { body: 'null' },
        { body: '' },
        { body: 'null', headers: { 'content-type': 'application/a2a+json' } },
        {},
      ]) {
        bindings.reset();
        const answer = await bindings.request(method, `/a2a${path}`, options);
        expect(answer.status).toBe(200);
        expect(bindings.calls.map(({ operation }) => operation)).toEqual([reached]);
      }
    },
  );

  it.each(['cancel', 'subscribe'])('of :%s may repeat the id, not change it', async (verb) => {
    const same = await bindings.request('POST', `/a2a/tasks/t:${verb}`, { body: { id: 't' } });
    expect(same.status).toBe(200);
    bindings.reset();
    for (const body of [{ id: 'u' }, { id: 5 }]) {
      const answer = await bindings.request('POST', `/a2a/tasks/t:${verb}`, { body });
      expect(violated(answer)).toEqual(['id']);
    }
    expect(bindings.calls).toEqual([]);
  });

  it('names the field that is not as in the path', async () => {
    const create = '/tasks/t/pushNotificationConfigs';
    const cases: [method: string, url: string, body: Json, field: string][] = [
      ['POST', `/a2a${create}`, { ...HOOK, taskId: 'u' }, 'taskId'],
      ['POST', `/a2a${create}`, { ...HOOK, task_id: 'u' }, 'taskId'],
      ['POST', `/a2a/echo${create}`, { ...HOOK, tenant: 'other' }, 'tenant'],
      ['POST', '/a2a/agents/echo/message:send', { message: TEXT_MESSAGE, tenant: 'x' }, 'tenant'],
      ['POST', '/a2a/echo/tasks/t:cancel', { tenant: 'other' }, 'tenant'],
      ['GET', '/a2a/tasks/t?id=u', undefined, 'id'],
      ['GET', '/a2a/echo/tasks/t?tenant=other', undefined, 'tenant'],
      ['DELETE', `/a2a${create}/c?task_id=u`, undefined, 'taskId'],
    ];
    for (const [method, url, body, field] of cases) {
      expect([url, violated(await bindings.request(method, url, { body }))]).toEqual([
        url,
        [field],
      ]);
    }
    expect(bindings.calls).toEqual([]);
    for (const body of [
      { ...HOOK, taskId: 't' },
      { ...HOOK, task_id: 't', tenant: 'echo' },
    ]) {
      expect((await bindings.request('POST', `/a2a/echo${create}`, { body })).status).toBe(200);
    }
  });

  it('names the fields at fault, as JSON-RPC does', async () => {
    const send = (body: Json): Promise<Json> =>
      bindings.request('POST', '/a2a/message:send', { body });
    expect(violated(await send({}))).toEqual(['message']);
    expect(violated(await send({ message: { ...TEXT_MESSAGE, parts: [{ text: 5 }] } }))).toEqual([
      'message.parts[0].text',
    ]);
    expect(
      violated(
        await send({
          message: TEXT_MESSAGE,
          configuration: { historyLength: -1, returnImmediately: 1 },
        }),
      ),
    ).toEqual(['configuration.historyLength', 'configuration.returnImmediately']);
    expect(
      violated(
        await bindings.request('POST', '/a2a/tasks/t/pushNotificationConfigs', { body: {} }),
      ),
    ).toEqual(['url']);
    expect(bindings.calls).toEqual([]);
  });

  it.each([
    ['{', 'PARSE_ERROR'],
    ['nonsense', 'PARSE_ERROR'],
    ['\ufeff{}', 'PARSE_ERROR'],
    ['null', 'INVALID_PARAMS'],
    ['', 'INVALID_PARAMS'],
    ['[]', 'INVALID_PARAMS'],
    ['"text"', 'INVALID_PARAMS'],
    ['5', 'INVALID_PARAMS'],
  ])('%j is no message: %s', async (body, reason) => {
    const answer = await bindings.request('POST', '/a2a/message:send', { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason }] },
    });
  });

  it('may be application/json or application/a2a+json; another type is 415', async () => {
    const post = (type: string): Promise<Json> =>
      bindings.request('POST', '/a2a/message:send', {
        body: { message: TEXT_MESSAGE },
        headers: { 'content-type': type },
      });
    for (const type of ['application/json; charset=utf-8', 'application/a2a+json']) {
      expect((await post(type)).status).toBe(200);
    }
    bindings.reset();
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'x']) {
      const answer = await post(type);
      expect(answer.status).toBe(415);
      expect(answer.headers['accept']).toBe('application/json, application/a2a+json');
      expect(answer.body).toMatchObject({
        error: { code: 415, details: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }] },
      });
    }
    const packed = await bindings.request('POST', '/a2a/message:send', {
      body: '{}',
      headers: { 'content-encoding': 'gzip' },
    });
    expect([packed.status, packed.headers['accept-encoding']]).toEqual([415, 'identity']);
    expect(bindings.calls).toEqual([]);
  });

  it('ignores what it does not know and reads snake_case', async () => {
    const { messageId, ...rest } = TEXT_MESSAGE;
    const body = {
      message: { ...rest, message_id: messageId },
      unknown: 1,
      configuration: { x: 1 },
    };
    expect((await bindings.request('POST', '/a2a/message:send', { body })).status).toBe(200);
    expect(bindings.calls[0]!.arguments[0].message.messageId).toBe('m-1');
  });
});

describe('the query', () => {
  it('holds what GET asks for, in camelCase or snake_case', async () => {
    const filters = {
      contextId: 'c 1',
      status: 'TASK_STATE_WORKING',
      pageSize: 7,
      pageToken: 'a+b',
      historyLength: 0,
      statusTimestampAfter: '2026-01-31T12:00:00.000Z',
      includeArtifacts: true,
    };
    const camel =
      'contextId=c%201&status=TASK_STATE_WORKING&pageSize=7&pageToken=a%2Bb&historyLength=0' +
      '&statusTimestampAfter=2026-01-31T12:00:00.000Z&includeArtifacts=true';
    const snake =
      'context_id=c+1&status=TASK_STATE_WORKING&page_size=7&page_token=a%2Bb&history_length=0' +
      '&status_timestamp_after=2026-01-31T12%3A00%3A00.000Z&include_artifacts=true';
    await bindings.rpc('ListTasks', filters);
    await bindings.request('GET', `/a2a/tasks?${camel}&unknown=1&unknown=2`);
    await bindings.request('GET', `/a2a/tasks?${snake}`);
    const [rpc, ...rest] = bindings.calls.map((call) => call.arguments[0]);
    expect(rpc).toMatchObject({ contextId: 'c 1', pageSize: 7, includeArtifacts: true });
    expect(rest).toEqual([rpc, rpc]);
  });

  it.each([
    [
      '/tasks/t',
      'historyLength',
      ['-1', '1.5', 'x', '', '1e3', ' 1', '0x1', '99999999999', '9'.repeat(40)],
    ],
    ['/tasks', 'historyLength', ['-1', 'null']],
    ['/tasks', 'pageSize', ['101', '-1', 'ten', '']],
    ['/tasks', 'includeArtifacts', ['1', 'TRUE', 'yes', '']],
    ['/tasks', 'status', ['working', 'TASK_STATE_NONE', '2', '']],
    [
      '/tasks',
      'statusTimestampAfter',
      ['yesterday', '2026-01-31T12:00:00', '2026-02-30T12:00:00Z', ''],
    ],
    ['/tasks', 'contextId', ['x'.repeat(513), '\0']],
    ['/tasks/t/pushNotificationConfigs', 'pageSize', ['101', '-1', 'x']],
  ])('of %s refuses a %s that is none', async (path, name, values) => {
    for (const value of values) {
      const answer = await bindings.request(
        'GET',
        `/a2a${path}?${name}=${encodeURIComponent(value)}`,
      );
      expect([value, violated(answer)]).toEqual([value, [name]]);
    }
    expect(bindings.calls).toEqual([]);
  });

  it.each(['pageSize=1&pageSize=2', 'pageSize=1&page_size=1', 'page_size=1&page_size=1'])(
    'refuses a parameter that is repeated: %s',
    async (query) => {
      const answer = await bindings.request('GET', `/a2a/tasks?${query}`);
      expect(violated(answer)).toEqual(['pageSize']);
    },
  );

  it.each(['__proto__=1', 'constructor=x&constructor=y', '%=%', 'a[b]=c', '&&&=', '%00=%00'])(
    'lets %j pass by',
    async (query) => {
      expect((await bindings.request('GET', `/a2a/tasks?${query}`)).status).toBe(200);
    },
  );

  it('takes a page size of 0 for the default', async () => {
    await bindings.request('GET', '/a2a/tasks?pageSize=0');
    await bindings.rpc('ListTaskPushNotificationConfigs', { taskId: 't', pageSize: 0 });
    expect(bindings.calls.map(({ operation }) => operation)).toEqual(['tasks.list', 'push.list']);
  });

  it('refuses ids that no database keeps', async () => {
    for (const id of ['%00', 'x'.repeat(513)]) {
      expect(violated(await bindings.request('GET', `/a2a/tasks/${id}`))).toEqual(['id']);
    }
    expect(violated(await bindings.request('GET', '/a2a/tasks//pushNotificationConfigs'))).toEqual([
      'taskId',
    ]);
  });
});

describe('the version', () => {
  it.each(['1.0', '1.0.7', ''])('%j is that of these paths', async (version) => {
    const answer = await bindings.request('GET', '/a2a/tasks/t', {
      headers: { 'a2a-version': version },
    });
    expect(answer.status).toBe(200);
  });

  it.each(EVERYWHERE)('0.3 is told where %s %s is in 0.3', async (method, url, body) => {
    const path = url
      .replace('/a2a/echo/', '/a2a/agents/echo/')
      .replace(/^(\/a2a(\/agents\/echo)?)\//, '$1/v1/');
    // 0.3 has no lists of tasks.
    const metadata = url.endsWith('/tasks') ? undefined : { path };
    const probe = await bindings.request(method, path, { body });
    expect(probe.status === 404).toBe(metadata === undefined);
    bindings.calls.length = 0;
    for (const [query, headers] of [
      ['', { 'a2a-version': '0.3' }],
      ['', { 'a2a-version': '0.2.5' }],
      ['?A2A-Version=0.3.0', {}],
    ] as [string, Record<string, string>][]) {
      const answer = await bindings.request(method, url + query, { body, headers });
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({
        error: { details: [{ reason: 'METHOD_NOT_FOUND' }] },
      });
      expect(answer.body.error.details[0].metadata).toEqual(metadata);
    }
    expect(bindings.calls).toEqual([]);
  });

  it.each(['99.0', '2.0', 'latest', '1.0&A2A-Version=1.0'])(
    '%s is not supported',
    async (version) => {
      const byHeader = await bindings.request('GET', '/a2a/tasks', {
        headers: { 'a2a-version': version.replace('&A2A-Version=', ', ') },
      });
      const byQuery = await bindings.request('GET', `/a2a/tasks?A2A-Version=${version}`);
      expect(byHeader.status).toBe(400);
      expect(byHeader.body).toMatchObject({
        error: {
          code: 400,
          status: 'FAILED_PRECONDITION',
          details: [
            { reason: 'VERSION_NOT_SUPPORTED', metadata: { supportedVersions: '1.0,0.3,0.2.5' } },
          ],
        },
      });
      expect(byQuery.text).toBe(byHeader.text);
    },
  );
});
