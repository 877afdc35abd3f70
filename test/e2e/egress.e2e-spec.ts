import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConnectError, Egress, type Resolver } from '../../src/common/egress/egress.js';
import { EgressPolicy } from '../../src/common/egress/guard.js';
import { GuardedConnector } from '../../src/common/egress/guarded-connector.js';
import { smallFetch } from '../../src/common/egress/small-fetch.js';
import { HubError } from '../../src/common/hub-error.js';
import { collectGarbage } from '../support/collect-garbage.js';

const PUBLIC = { address: '93.184.215.14', family: 4 } as const;
const LOOPBACK = { address: '127.0.0.1', family: 4 } as const;

/** A resolver that gives each name its next answer, the last one for ever. */
class ScriptedResolver implements Resolver {
  readonly requested: string[] = [];

  constructor(private readonly answers: Record<string, (typeof PUBLIC | typeof LOOPBACK)[][]>) {}

  async resolve(hostname: string) {
    this.requested.push(hostname);
    const left = this.answers[hostname];
    if (!left) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    return (left.length > 1 ? left.shift() : left[0]) ?? [];
  }
}

describe('Egress on real sockets', () => {
  const seen: string[] = [];
  let respond: (request: IncomingMessage, response: ServerResponse) => void;
  let egress: Egress;
  let port: number;
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.headers.host} ${request.url}`);
    respond(request, response);
  });

  beforeEach(async () => {
    seen.length = 0;
    respond = (_request, response) => response.end('hello');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });

  afterEach(async () => {
    await egress?.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function egressWith(
    allow: string[],
    answers: ConstructorParameters<typeof ScriptedResolver>[0] = {},
  ) {
    const resolver = new ScriptedResolver(answers);
    egress = new Egress({ allow, resolver });
    return resolver;
  }

  const get = (url: string) => egress.request(url, { method: 'GET', connectTimeoutMs: 1000 });
  const refused = (why: string) =>
    expect.objectContaining({ reason: 'EGRESS_DENIED', message: expect.stringContaining(why) });

  it('connects to an allowed host by the injected resolver', async () => {
    egressWith(['agent.internal'], { 'agent.internal': [[LOOPBACK]] });
    const answer = await get(`http://agent.internal:${port}/path?q=1`);
    expect(answer.statusCode).toBe(200);
    expect(await answer.body.text()).toBe('hello');
    expect(seen).toEqual([`GET agent.internal:${port} /path?q=1`]);
  });

  it('refuses a name that was public when checked and loopback when connected to', async () => {
    const resolver = egressWith([], { 'rebind.example': [[PUBLIC], [LOOPBACK]] });
    const url = `https://rebind.example:${port}/`;
    expect(await egress.check(url)).toEqual({ verified: true });
    await expect(get(url)).rejects.toEqual(refused('loopback'));
    expect(resolver.requested).toEqual(['rebind.example', 'rebind.example']);
    expect(seen).toEqual([]);
  });

  it('refuses a name when only one of its addresses is inside', async () => {
    egressWith([], { 'half.example': [[PUBLIC, LOOPBACK]] });
    await expect(egress.check('https://half.example/')).rejects.toEqual(refused('loopback'));
    await expect(get(`https://half.example:${port}/`)).rejects.toEqual(refused('loopback'));
  });

  it('answers with a redirect instead of following it', async () => {
    egressWith([`127.0.0.1:${port}`]);
    respond = (_request, response) => response.writeHead(302, { location: '/inside' }).end();
    const answer = await get(`http://127.0.0.1:${port}/`);
    expect(answer.statusCode).toBe(302);
    await answer.body.dump();
    const fetched = await egress.fetch(`http://127.0.0.1:${port}/`);
    expect(fetched.status).toBe(302);
    expect(seen).toHaveLength(2);
    expect(seen.join()).not.toContain('/inside');
  });

  it.each([
    ['http://127.0.0.1', 'loopback'],
    ['http://2130706433', 'loopback'],
    ['http://0x7f000001', 'loopback'],
    ['http://017700000001', 'loopback'],
    ['http://127.1', 'loopback'],
    ['http://[::1]', 'loopback'],
    ['http://[::ffff:127.0.0.1]', 'loopback'],
    ['http://[::127.0.0.1]', 'loopback'],
    ['http://[64:ff9b::7f00:1]', 'NAT64'],
    ['http://[2002:7f00:1::]', '6to4'],
    ['http://0.0.0.0', 'wildcard'],
    ['http://169.254.169.254', 'metadata'],
    ['http://user:password@127.0.0.1', 'user'],
    ['ws://127.0.0.1', 'scheme'],
  ])('refuses %s without a connection', async (origin, why) => {
    egressWith([]);
    await expect(get(`${origin}:${port}/`)).rejects.toEqual(refused(why));
    await expect(egress.check(`${origin}:${port}/`)).rejects.toEqual(refused(why));
    expect(seen).toEqual([]);
  });

  it('checks an address in the URL at connect time too', async () => {
    egressWith(['127.0.0.1:1']);
    await expect(get(`http://127.0.0.1:${port}/`)).rejects.toEqual(refused('loopback'));
    // Also where nobody has looked at the URL before.
    const policy = new EgressPolicy(['127.0.0.1:1']);
    const connect = new GuardedConnector(policy, new ScriptedResolver({}), undefined).connectorTo(
      new URL(`http://127.0.0.1:${port}`),
      {
        timeoutMs: 1000,
        secureContext: undefined,
      },
    );
    const target = { hostname: '127.0.0.1', protocol: 'http:', port: String(port) };
    const error = await new Promise((resolve) => connect(target, (...[why]) => resolve(why)));
    expect(error).toEqual(refused('loopback'));
    expect(seen).toEqual([]);
  });

  it('does not say secrets of a refused URL', async () => {
    egressWith([]);
    const error = await get('https://user:hunter2@agent.example/?key=hunter2').catch((e) => e);
    expect(error).toBeInstanceOf(HubError);
    expect(error.message).not.toContain('hunter2');
  });

  it('lets a host that does not resolve be registered unverified, and fails to connect to it', async () => {
    egressWith([]);
    expect(await egress.check('https://later.example/')).toEqual({ verified: false });
    const error = await get('https://later.example/').catch((e) => e);
    expect(error).toBeInstanceOf(ConnectError);
    expect(error.code).toBe('ENOTFOUND');
  });

  it('tells a refused connection from an answer that broke off', async () => {
    egressWith(['127.0.0.1']);
    respond = (_request, response) => void response.socket?.destroy();
    const cut = await get(`http://127.0.0.1:${port}/`).catch((e) => e);
    expect(cut).not.toBeInstanceOf(ConnectError);
    const none = await get('http://127.0.0.1:1/').catch((e) => e);
    expect(none).toBeInstanceOf(ConnectError);
    expect(none.code).toBe('ECONNREFUSED');
  });

  it('gives up connecting after the timeout', async () => {
    egress = new Egress({
      allow: ['slow.internal'],
      resolver: { resolve: () => new Promise(() => undefined) },
    });
    const error = await egress
      .request('http://slow.internal/', { method: 'GET', connectTimeoutMs: 50 })
      .catch((e) => e);
    expect(error).toBeInstanceOf(ConnectError);
    expect(error.code).toBe('UND_ERR_CONNECT_TIMEOUT');
  });

  it('is a fetch with a streaming body that can be aborted', async () => {
    egressWith(['127.0.0.1']);
    respond = (request, response) => {
      response.writeHead(200, { 'x-seen': request.headers['x-sent'] ?? '' });
      response.write('one');
    };
    const abort = new AbortController();
    const response = await egress.fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: 'ping',
      headers: { 'x-sent': 'yes' },
      signal: abort.signal,
    });
    expect(response.headers.get('x-seen')).toBe('yes');
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value).toString()).toBe('one');
    abort.abort();
    await expect(reader.read()).rejects.toThrow();
  });

  it('keeps the time limit of a fetch whatever memory is freed meanwhile', async () => {
    egressWith(['127.0.0.1']);
    respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    };
    const send = smallFetch(egress, 1000);
    const answer = send(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1000) });
    const outcome = answer.catch((error: Error) => error.name);
    await setTimeout(300);
    collectGarbage();
    const still = setTimeout(5000, 'still waits', { ref: false });
    expect(await Promise.race([outcome, still])).toBe('TimeoutError');
  });
});
