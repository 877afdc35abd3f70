import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { request } from 'undici';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import type { Json } from '../support/json.js';

let hub: Hub;
let agent: RunningAgent;

beforeAll(async () => {
  hub = await startHub();
  agent = await startSdkAgent();
  await hub.registerAgent(agent.url, { id: 'echo' });
});

afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

describe('HTTP at the bindings', () => {
  it('asks who is calling before it reads anything', async () => {
    const none = await hub.rest('POST', '/a2a/message:send', '{', { key: null });
    expect(none.status).toBe(401);
    expect(none.headers['www-authenticate']).toBe('Bearer realm="a2a-hub"');
    expect(none.body).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
    const bad = await hub.rest('GET', '/a2a/tasks', undefined, { key: 'hub_nobody_nothing' });
    expect(bad.status).toBe(401);
    expect(bad.headers['www-authenticate']).toMatch(
      /^Bearer realm="a2a-hub", error="invalid_token"/,
    );
    const admin = await hub.createKey({ name: 'no a2a', scopes: ['agents'] });
    const forbidden = await hub.rest('GET', '/a2a/tasks', undefined, { key: admin });
    expect(forbidden.status).toBe(403);
    expect(forbidden.headers['www-authenticate']).toBe(
      'Bearer realm="a2a-hub", error="insufficient_scope", scope="a2a"',
    );
    expect(forbidden.body).toMatchObject({ error: { code: 403, status: 'PERMISSION_DENIED' } });
  });

  it.each([
    ['GET', '/a2a/tasks', 200],
    ['GET', '/a2a/tasks/none', 404],
    ['GET', '/a2a/agents/echo/tasks', 200],
    ['GET', '/a2a/agents/echo/tasks/none', 404],
    ['GET', '/a2a/extendedAgentCard', 200],
    ['GET', '/a2a/nothing/here', 404],
    ['GET', '/a2a/tasks/%zz', 400],
    ['DELETE', '/a2a/tasks', 405],
    ['POST', '/a2a/message:send', 400],
    ['POST', '/a2a/message:stream', 400],
    ['GET', '/a2a/v1/tasks/none', 404],
    ['GET', '/a2a/v1/card', 200],
  ])('answers %s %s (%i) in the media type that Accept prefers', async (method, path, status) => {
    const typeFor = async (accept: string | null, key = hub.key()): Promise<string> => {
      const answer = await request(hub.url + path, {
        method: method as 'GET',
        headers: { authorization: `Bearer ${await key}`, ...(accept && { accept }) },
        ...(method === 'POST' && { body: '{' }),
      });
      const { statusCode, headers } = answer;
      await answer.body.dump();
      expect([200, 400, 401, 404, 405, 415]).toContain(statusCode);
      if (method === 'GET' && statusCode !== 401) expect(statusCode).toBe(status);
      expect(headers['vary']).toBe('Accept');
      return String(headers['content-type']).split(';')[0]!;
    };
    const [a2a, json] = ['application/a2a+json', 'application/json'];
    const usual = path.startsWith('/a2a/v1/') ? json : a2a;
    for (const accept of [null, '*/*', 'text/html']) expect(await typeFor(accept)).toBe(usual);
    expect(await typeFor(json)).toBe(json);
    expect(await typeFor(json, Promise.resolve('hub_no_key'))).toBe(json);
    expect(await typeFor(a2a)).toBe(a2a);
    expect(await typeFor(`${json};q=0.5, ${a2a};q=0.4`)).toBe(json);
    expect(await typeFor(`${json};q=0.4, ${a2a};q=0.5`)).toBe(a2a);
  });

  it('answers 413 also to who writes all of the body before reading', async () => {
    const { hostname, port } = new URL(hub.url);
    const size = 64 * 1024 * 1024;
    const socket = connect(Number(port), hostname);
    const head = [
      'POST /a2a/message:send HTTP/1.1',
      `Host: ${hostname}`,
      `Authorization: Bearer ${await hub.key()}`,
      'Content-Type: application/json',
      `Content-Length: ${size}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent < size; sent += chunk.length) {
      if (!socket.write(chunk)) await once(socket, 'drain');
    }
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });

  it('answers 413 to a body over the limit, at each binding', async () => {
    const message = userMessage('x'.repeat(11 * 1024 * 1024));
    const rest = await hub.rest('POST', '/a2a/message:send', { message });
    expect(rest.status).toBe(413);
    expect(rest.body).toMatchObject({
      error: {
        code: 413,
        status: 'RESOURCE_EXHAUSTED',
        details: [{ reason: 'PAYLOAD_TOO_LARGE' }],
      },
    });
    expect((await hub.rpcRaw('SendMessage', { message })).status).toBe(413);
  });

  it.each(['/a2a/tasks/%e4%b8', '/a2a/tasks/%zz', '/a2a/agents/%/tasks'])(
    'tells of the path %s, which is no path, in the form of the binding',
    async (path) => {
      const answer = await hub.rest('GET', path);
      expect(answer.status).toBe(400);
      expect(answer.headers['content-type']).toMatch(/^application\/a2a\+json/);
      expect(answer.body).toMatchObject({
        error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'INVALID_REQUEST' }] },
      });
    },
  );

  it('answers 404 and 405 in the form of the binding', async () => {
    const unknown = await hub.rest('GET', '/a2a/nothing');
    expect([unknown.status, unknown.body.error.status]).toEqual([404, 'UNIMPLEMENTED']);
    const wrong = await hub.rest('PUT', '/a2a/tasks', {});
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
    for (const path of ['/', '/a2a', '/a2a/agents/echo']) {
      const rpc = await hub.rest(path === '/' ? 'PUT' : 'GET', path);
      expect([rpc.status, rpc.headers['allow'], rpc.body.jsonrpc]).toEqual([
        405,
        path === '/' ? 'GET, HEAD, POST, OPTIONS' : 'POST, OPTIONS',
        '2.0',
      ]);
    }
  });

  it('is measured by the route, not by the path', async () => {
    await hub.rest('POST', '/a2a/echo/tasks/some-id:cancel');
    const { text } = await hub.get('/metrics');
    expect(text).toContain('route="/a2a/:agentId/tasks/:id:cancel"');
    expect(text).not.toContain('some-id');
  });

  it('tells which extensions are active', async () => {
    const uri = 'urn:a2a-hub:routing:v1';
    const message = userMessage('hi', { metadata: { [uri]: { agentId: 'echo' } } });
    const answer = await hub.rest(
      'POST',
      '/a2a/message:send',
      { message },
      {
        headers: { 'a2a-extensions': uri },
      },
    );
    expect(answer.headers['a2a-extensions']).toBe(uri);
  });

  it('serves the upgrade to HTTP/2 that Java asks for as HTTP/1.1', async () => {
    const key = await hub.key();
    const body = JSON.stringify({ message: userMessage('hi', { metadata: { agentId: 'echo' } }) });
    const java = [
      'Connection: Upgrade, HTTP2-Settings',
      'Host: 127.0.0.1',
      'HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAABgAGAAA',
      'Upgrade: h2c',
      'User-Agent: Java-http-client/21.0.2',
      'Content-Type: application/json',
      `Authorization: Bearer ${key}`,
    ];
    const posts = ['/a2a/message:send', '/a2a/message:stream'].map((path) => [
      `POST ${path} HTTP/1.1`,
      ...java,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ]);
    const gets = ['/a2a/tasks', '/.well-known/agent-card.json'].map((path) => [
      `GET ${path} HTTP/1.1`,
      ...java,
      '',
      '',
    ]);
    for (const request of [...posts, ...gets]) {
      expect(await statusLineOf(request.join('\r\n'))).toBe('HTTP/1.1 200 OK');
    }
  });
});

describe('the rate limit', () => {
  let limited: Hub;

  beforeAll(async () => {
    limited = await startHub({
      config: { server: { rateLimit: { requestsPerSecond: 1, burst: 2 } } },
    });
  });

  afterAll(() => limited?.close());

  it('is per principal, and the same at every binding', async () => {
    const refused = async (ask: () => Promise<Json>): Promise<Json> => {
      for (let requested = 0; requested < 50; requested++) {
        const answer = await ask();
        if (answer.status !== 200) return answer;
      }
      throw new Error('it was never refused');
    };
    const rest = await refused(() => limited.rest('GET', '/a2a/tasks'));
    expect(rest.status).toBe(429);
    expect(rest.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(rest.body).toMatchObject({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        details: [{ reason: 'RATE_LIMITED', domain: 'a2a-hub' }],
      },
    });
    for (const [method, version] of [
      ['ListTasks', '1.0'],
      ['tasks/get', '0.3'],
    ] as const) {
      const rpc = await refused(() => limited.rpcRaw(method, { id: 'x' }, { version }));
      expect(rpc.status).toBe(429);
      expect(rpc.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(rpc.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -31429 } });
    }
    const other = await limited.createKey({ name: 'somebody else' });
    expect((await limited.rest('GET', '/a2a/tasks', undefined, { key: other })).status).toBe(200);
  });

  it('is off unless it is set', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => hub.rest('GET', '/a2a/tasks')),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });
});

/** The first line that comes back for these bytes. */
function statusLineOf(bytes: string): Promise<string> {
  const { hostname, port } = new URL(hub.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(5000, () => socket.destroy(new Error('no answer')));
    socket.once('data', (chunk) => {
      resolve(chunk.toString().split('\r\n')[0]!);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
