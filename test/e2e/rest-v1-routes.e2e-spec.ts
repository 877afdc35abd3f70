import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OPERATIONS } from '../../src/a2a/operations.js';
import { type BindingHarness, startBindings, subscribesAndCancels } from './bindings-harness.js';
import { TEXT_MESSAGE, V1_METHODS } from './bindings-methods.js';
import { EVERYWHERE, PREFIXES, ROUTES } from './rest-v1-table.js';

let bindings: BindingHarness;

beforeAll(async () => {
  bindings = await startBindings();
});

beforeEach(() => bindings.reset());

afterAll(async () => {
  await bindings.server.close();
});

describe('the routes of HTTP+JSON 1.0', () => {
  it('are all that the table of operations lists', () => {
    const listed = [...OPERATIONS.values()].flatMap(({ rest }) =>
      rest.map(({ method, path }) => `${method} ${path}`),
    );
    const tried = ROUTES.map(
      ([method, path]) =>
        `${method} ${path
          .replace('task-1', path.includes('push') ? '{taskId}' : '{id}')
          .replace('config-1', '{id}')}`,
    );
    expect(listed.sort()).toEqual([...tried, 'GET /extendedAgentCard'].sort());
    expect([...OPERATIONS.keys()].sort()).toEqual(Object.keys(V1_METHODS).sort());
  });

  it.each(EVERYWHERE)(
    '%s %s reaches its own operation',
    async (method, url, body, reached, agent) => {
      for (const path of [url, `${url}/`]) {
        bindings.reset();
        const answer = await bindings.request(method, path, { body });
        expect(answer.status).toBe(200);
        expect(bindings.calls.map(({ operation }) => operation)).toEqual([reached]);
        const call = bindings.calls[0]!.arguments.find((argument) => argument?.principal);
        expect(call).toMatchObject({ version: '1.0', agentId: agent, principal: { id: 'alice' } });
        expect(answer.headers['content-type']).toMatch(
          reached.match(/stream|subscribe/i) ? /^text\/event-stream/ : /^application\/a2a\+json/,
        );
      }
    },
  );

  it.each(PREFIXES)('%s: a subscribe never cancels, whatever the id', async (prefix) => {
    await subscribesAndCancels(bindings, prefix);
  });

  it.each(['messageXsend', 'message::send', 'message%3Asend/x', 'message:sendx'])(
    'POST /a2a/%s is no send',
    async (path) => {
      const answer = await bindings.request('POST', `/a2a/${path}`, {
        body: { message: TEXT_MESSAGE },
      });
      expect(answer.status).toBe(404);
      expect(bindings.calls).toEqual([]);
    },
  );

  it.each(['agents', 'tasks', 'v1', 'extensions'])('%s is never a tenant', async (name) => {
    await bindings.request('GET', `/a2a/${name}/tasks/task-1/pushNotificationConfigs`);
    // Below v1 is the hub in 0.3; the others are nothing.
    expect(bindings.calls.map((call) => call.arguments.at(-1))).toMatchObject(
      name === 'v1' ? [{ version: '0.3', agentId: undefined }] : [],
    );
  });

  it('reads ids with anything in them', async () => {
    const id = 'ä/?#%:& +日';
    await bindings.request('GET', `/a2a/tasks/${encodeURIComponent(id)}`);
    await bindings.request('GET', `/a2a/tasks/t/pushNotificationConfigs/${encodeURIComponent(id)}`);
    expect(bindings.calls.map((call) => call.arguments.slice(0, 2))).toMatchObject([
      [id, undefined],
      ['t', id],
    ]);
  });
});

describe('what is no route', () => {
  it.each([
    '/a2a/nothing',
    '/a2a/tasks/a/b',
    '/a2a/tasks/a/pushNotificationConfigs/b/c',
    '/a2a//tasks',
    '/a2a/echo/other/tasks',
    '/a2a/agents/echo/nothing',
    '/a2a/agents',
    '/a2a/message:sending',
    '/a2a/x/y/z',
  ])('%s is 404 in the form of the binding, unread and whoever asks', async (url) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await bindings.request(method, url, {
        headers: { authorization: '', 'content-type': 'text/plain' },
        ...(method === 'GET' ? {} : { body: '{' }),
      });
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toMatch(/^application\/a2a\+json/);
      expect(answer.body).toEqual({
        error: {
          code: 404,
          status: 'UNIMPLEMENTED',
          message: 'There is no such path.',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'METHOD_NOT_FOUND',
              domain: 'a2a-protocol.org',
            },
          ],
        },
      });
    }
  });

  it.each(PREFIXES)('%s: other methods of a path are 405 with what it allows', async (prefix) => {
    const allowed: [path: string, allow: string][] = [
      ['/message:send', 'POST, OPTIONS'],
      ['/message:stream', 'POST, OPTIONS'],
      ['/tasks', 'GET, HEAD, OPTIONS'],
      ['/tasks/x', 'GET, HEAD, OPTIONS'],
      ['/tasks/x:frobnicate', 'GET, HEAD, OPTIONS'],
      ['/tasks/x:cancel', 'POST, OPTIONS'],
      ['/tasks/x:subscribe', 'GET, POST, OPTIONS'],
      ['/tasks/x/pushNotificationConfigs', 'POST, GET, HEAD, OPTIONS'],
      ['/tasks/x/pushNotificationConfigs/y', 'GET, HEAD, DELETE, OPTIONS'],
      ['/extendedAgentCard', 'GET, HEAD, OPTIONS'],
    ];
    for (const [path, allow] of allowed) {
      const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY'];
      for (const method of methods.filter((each) => !allow.split(', ').includes(each))) {
        const answer = await bindings.request(method, prefix + path);
        expect([method, path, answer.status, answer.headers['allow']]).toEqual([
          method,
          path,
          405,
          allow,
        ]);
        if (method !== 'HEAD') {
          expect(answer.body).toMatchObject({
            error: { code: 405, details: [{ reason: 'METHOD_NOT_ALLOWED', domain: 'a2a-hub' }] },
          });
        }
      }
      const options = await bindings.request('OPTIONS', prefix + path, {
        headers: { authorization: '', 'content-type': 'text/plain' },
        body: 'unread',
      });
      expect([options.status, options.headers['allow'], options.text]).toEqual([204, allow, '']);
    }
    expect(bindings.calls).toEqual([]);
  });

  it.each(['/', '/a2a', '/a2a/agents/echo'])(
    '%s takes POST alone, and says so in the form of JSON-RPC',
    async (url) => {
      // What `GET /` answers is the front page, which is not of the A2A routes.
      for (const method of ['PUT', 'DELETE', ...(url === '/' ? [] : ['GET'])]) {
        const answer = await bindings.request(method, url);
        const allow = url === '/' ? 'GET, HEAD, POST, OPTIONS' : 'POST, OPTIONS';
        expect([answer.status, answer.headers['allow']]).toEqual([405, allow]);
        expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32601 } });
      }
    },
  );

  it('HEAD answers as GET would, without the body', async () => {
    const get = await bindings.request('GET', '/a2a/tasks/task-1');
    const head = await bindings.request('HEAD', '/a2a/tasks/task-1');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['cache-control']).toBe('no-store');
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
    expect(
      (await bindings.request('HEAD', '/a2a/tasks/x', { headers: { authorization: '' } })).status,
    ).toBe(401);
  });
});
