import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '../support/json.js';
import { type BindingHarness, startBindings } from './bindings-harness.js';
import { TEXT_MESSAGE, violationsOf } from './bindings-methods.js';

let bindings: BindingHarness;

beforeEach(async () => {
  bindings = await startBindings();
});

afterEach(async () => {
  await bindings.server.close();
});

describe('what is no JSON-RPC request', () => {
  it.each(['', '{', 'nonsense', '{"jsonrpc":"2.0",}', '\ufeff{}'])(
    'answers -32700 with HTTP 200 for malformed JSON: %j',
    async (text) => {
      const answer = await bindings.post(text);
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
    const answer = await bindings.post(text);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32600 } });
    expect(bindings.calls).toEqual([]);
  });

  it('answers -32700 for bytes that are not UTF-8, at each binding', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: TEXT_MESSAGE },
      message: TEXT_MESSAGE,
    });
    for (const url of ['/a2a', '/a2a/message:send', '/a2a/v1/message:send']) {
      const answer = await bindings.server.inject({
        method: 'POST',
        url,
        headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
        payload: Buffer.from(body.replace('hello', '\xff'), 'latin1'),
      });
      expect(answer.body).toMatch(/PARSE_ERROR/);
      expect(answer.statusCode).toBe(url === '/a2a' ? 200 : 400);
    }
    expect(bindings.calls).toEqual([]);
  });

  it('answers -32600 for an id that is too long, and does not repeat it', async () => {
    const text = (length: number): string =>
      JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(length), method: 'GetTask', params: {} });
    const answer = await bindings.post(text(1025));
    expect(answer.body).toMatchObject({ id: null, error: { code: -32600 } });
    expect(answer.text.length).toBeLessThan(1000);
    expect((await bindings.post(text(1024))).body['id']).toHaveLength(1024);
  });

  it('does not repeat a tenant that no agent can have', async () => {
    const body = { id: 't', tenant: 'x'.repeat(1_000_000) };
    const answer = await bindings.rpc('GetTask', body, { path: '/a2a/agents/csv' });
    expect(JSON.stringify(answer).length).toBeLessThan(1000);
    expect(answer['error']).toMatchObject({ code: -32602 });
  });

  it.each([['GetTask'], ['tasks/get']])(
    'answers an absent and a null id of %s alike',
    async (method) => {
      const without = await bindings.post({ jsonrpc: '2.0', method, params: { id: 'task-1' } });
      const empty = await bindings.post({
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
      expect((await bindings.rpc('GetTask', { id: 'task-1' }, { id })).id).toBe(id);
    }
  });

  it.each([['tasks/nothing'], ['DeleteTask'], ['constructor'], ['__proto__']])(
    'answers -32601 for the unknown method %s',
    async (method) => {
      for (const version of ['1.0', '0.3', '']) {
        const body = await bindings.rpc(method, {}, { headers: { 'a2a-version': version } });
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
    await bindings.rpc(method, { id: 'task-1' }, { headers: { 'a2a-version': header } });
    expect(bindings.calls[0]!.arguments[2]).toMatchObject({ version });
  });

  it.each(['99.0', '2.0', '1', '0.1', 'latest', '1.0; 0.3'])(
    'answers -32009 for the version %s and names those it speaks',
    async (version) => {
      const body = await bindings.rpc(
        'GetTask',
        { id: 't' },
        { headers: { 'a2a-version': version } },
      );
      expect(body['error'].code).toBe(-32009);
      expect(body['error'].data[0]).toEqual({
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'VERSION_NOT_SUPPORTED',
        domain: 'a2a-protocol.org',
        metadata: { supportedVersions: '1.0,0.3,0.2.5' },
      });
    },
  );

  it('takes the version from the query when there is no header', async () => {
    const body = await bindings.rpc('GetTask', { id: 't' }, { path: '/a2a?A2A-Version=99.0' });
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
    const body = await bindings.rpc(method, {}, { headers: { 'a2a-version': version } });
    expect(body['error'].code).toBe(-32601);
    expect(JSON.stringify(body['error'])).toContain(right);
  });

  it('knows no ListTasks before 1.0', async () => {
    const body = await bindings.rpc('ListTasks', {}, { headers: { 'a2a-version': '0.3' } });
    expect(body['error']).toMatchObject({ code: -32601, message: 'Method not found' });
  });
});

describe('what the call carries', () => {
  it('reads the headers of a call', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await bindings.rpc(
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
    expect(bindings.calls[0]!.arguments[2]).toMatchObject({
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
    const body = await bindings.rpc(
      'SubscribeToTask',
      { id: 't' },
      { headers: { [header]: value } },
    );
    expect(violationsOf(body, '1.0')[0]).toMatchObject({ field });
  });

  it('ignores a traceparent that is none', async () => {
    await bindings.rpc('GetTask', { id: 't' }, { headers: { traceparent: 'nonsense' } });
    expect(bindings.calls[0]!.arguments[2].traceparent).toBeUndefined();
  });

  it('takes the agent from the path or from the tenant', async () => {
    const agentOf = async (path: string, method: string, params: Json): Promise<unknown> => {
      await bindings.rpc(method, params, { path });
      return bindings.calls.at(-1)?.arguments.at(-1).agentId;
    };
    expect(await agentOf('/a2a/agents/csv', 'GetTask', { id: 't' })).toBe('csv');
    expect(await agentOf('/a2a/agents/csv/', 'tasks/get', { id: 't' })).toBe('csv');
    expect(await agentOf('/a2a', 'GetTask', { id: 't', tenant: 'csv' })).toBe('csv');
    expect(await agentOf('/a2a/agents/csv', 'GetTask', { id: 't', tenant: 'csv' })).toBe('csv');
    expect(await agentOf('/a2a', 'GetTask', { id: 't' })).toBeUndefined();
  });

  it('refuses a tenant that is not the agent of the path', async () => {
    const body = await bindings.rpc('GetTask', { id: 't', tenant: 'b' }, { path: '/a2a/agents/a' });
    expect(violationsOf(body, '1.0')[0]).toMatchObject({ field: 'tenant' });
    expect(bindings.calls).toEqual([]);
  });

  it('says which extensions it has acted by', async () => {
    const call = async (method: string, header: string): Promise<Json> =>
      (
        await bindings.post(
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
      const answer = await bindings.post(
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
    const body = await bindings.rpc('GetTask', { id: 't' }, { headers: { 'content-type': type } });
    expect(body['result']).toBeDefined();
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
  ])('answers 415 and -32005 to a body of type %s', async (type) => {
    const answer = await bindings.post(
      { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 't' } },
      { headers: { 'content-type': type } },
    );
    expect(answer.status).toBe(415);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32005 } });
    expect(bindings.calls).toEqual([]);
  });

  it('forbids to keep any answer to a GET, failures too', async () => {
    for (const [path, status] of [
      ['/a2a/tasks/t', 200],
      ['/a2a/tasks/t?historyLength=x', 400],
      ['/a2a/v1/tasks/t?historyLength=x', 400],
      ['/a2a/nothing/at/all', 404],
    ] as const) {
      const answer = await bindings.request('GET', path);
      expect([answer.status, answer.headers['cache-control']]).toEqual([status, 'no-store']);
    }
  });

  it('answers 415 to a request without a body', async () => {
    const answer = await bindings.server.inject({
      method: 'POST',
      url: '/a2a',
      headers: { authorization: 'Bearer alice' },
    });
    expect(answer.statusCode).toBe(415);
    expect(answer.json()).toMatchObject({ error: { code: -32005 } });
  });

  it('answers 413 to a body over the limit', async () => {
    const small = await startBindings({ server: { bodyLimit: 2048 } });
    const text = 'x'.repeat(3000);
    const params = { message: { ...TEXT_MESSAGE, parts: [{ text }] } };
    const answer = await small.post({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
    expect(small.calls).toEqual([]);
    await small.server.close();
  });

  it('asks who is calling before it reads the body', async () => {
    const answer = await bindings.server.inject({
      method: 'POST',
      url: '/a2a',
      headers: { 'content-type': 'text/plain' },
      payload: '{',
    });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="a2a-hub"');
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -31401 } });
  });

  it('answers 403 to a key without the scope', async () => {
    const answer = await bindings.post('{}', { headers: { authorization: 'Bearer noscope' } });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ error: { code: -31403 } });
  });

  it('shows nothing of its own accidents, and notes them', async () => {
    bindings.on('tasks.get', async () => {
      throw new Error('secret detail');
    });
    for (const method of ['GetTask', 'tasks/get']) {
      const answer = await bindings.post({ jsonrpc: '2.0', id: 3, method, params: { id: 't' } });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        id: 3,
        error: { code: -32603, message: 'Internal error' },
      });
      expect(answer.text).not.toContain('secret');
    }
    expect(bindings.logged).toHaveLength(2);
  });
});
