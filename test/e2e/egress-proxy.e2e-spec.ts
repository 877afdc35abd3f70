import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import {
  logVerbosity,
  Server as GrpcServer,
  ServerCredentials,
  setLogVerbosity,
} from '@grpc/grpc-js';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EndpointMemory } from '../../src/agents/client/endpoint-memory.js';
import { SdkAgentClient } from '../../src/agents/client/sdk-agent.client.js';
import { SystemClock } from '../../src/common/clock.js';
import { ConnectError, Egress, type EgressOptions } from '../../src/common/egress/egress.js';
import type { EgressProxyOptions } from '../../src/common/egress/egress-proxy.js';
import { configWith } from '../../src/config/index.js';
import { WebhookEgress } from '../../src/common/egress/webhook-egress.js';
import { HttpWebhookSender } from '../../src/push/sending/http-webhook.sender.js';
import { endpoint, failure, options } from '../support/agent-calls.js';
import {
  anAgent,
  NO_CALLERS,
  NO_DEVIATIONS,
  NO_PROOFS,
  NO_REGISTRY,
  NO_REFERENCES,
} from '../support/an-agent.js';
import { type Issued, TestAuthority } from '../support/authority.js';
import { ConnectProxy } from '../support/connect-proxy.js';
import { freePort } from '../support/free-port.js';
import { sendInTime } from '../support/send-in-time.js';
import { NoTracing } from '../../src/common/tracing/tracing.js';

const PUBLIC = '93.184.215.14';

/** What each name resolves to, one answer after the other, the last for ever. */
type Names = Record<string, string[][]>;

describe('the egress proxy', () => {
  let authority: TestAuthority;
  let [hooks, proxyHost]: Issued[] = [];
  let proxy: ConnectProxy;
  let server: Server;
  let port: number;
  const seen: IncomingHttpHeaders[] = [];
  const closing: (() => unknown)[] = [];

  beforeAll(async () => {
    // It writes every tunnel it does not get to the console.
    setLogVerbosity(logVerbosity.NONE);
    authority = await TestAuthority.make();
    hooks = await authority.issue('hooks', ['hooks.example']);
    proxyHost = await authority.issue('proxy', ['127.0.0.1']);
  });

  beforeEach(async () => {
    seen.length = 0;
    proxy = await ConnectProxy.start();
    server = createTlsServer({ cert: hooks!.certificate, key: hooks!.key }, (request, response) => {
      seen.push(request.headers);
      response.end('hello');
    });
    port = await listen(server);
  });

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await proxy.close();
  });

  async function listen(one: Server): Promise<number> {
    one.listen(0, '127.0.0.1');
    await once(one, 'listening');
    closing.push(() => {
      one.closeAllConnections();
      one.close();
    });
    return (one.address() as AddressInfo).port;
  }

  function egressWith(
    names: Names,
    settings: Partial<EgressProxyOptions> = {},
    more: Partial<EgressOptions> = {},
  ): Egress {
    const resolve = async (name: string) => {
      const left = names[name];
      if (!left) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      const answer = (left.length > 1 ? left.shift() : left[0]) ?? [];
      return answer.map((address) => {
        const family = address.includes(':') ? (6 as const) : (4 as const);
        return { address, family };
      });
    };
    const egress = new Egress({
      allow: [],
      resolver: { resolve },
      ...more,
      proxy: { url: `http://127.0.0.1:${proxy.port}`, noProxy: [], resolves: false, ...settings },
    });
    closing.push(() => egress.close());
    return egress;
  }

  const get = async (egress: Egress, url: string): Promise<string> => {
    const ca = authority.certificate;
    // Long only where an answer comes.
    const connectTimeoutMs = proxy.refusal === 'hang' ? 300 : 10_000;
    const answer = await egress.request(url, { method: 'GET', ca, connectTimeoutMs });
    return answer.body.text();
  };
  const failed = async (egress: Egress, url: string): Promise<ConnectError> => {
    const error: unknown = await get(egress, url).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectError);
    return error as ConnectError;
  };

  it('is asked for the checked address; TLS and Host name the host that was meant', async () => {
    const egress = egressWith({ 'hooks.example': [[PUBLIC]] });
    expect(await get(egress, `https://hooks.example:${port}/`)).toBe('hello');
    expect(proxy.targets).toEqual([`${PUBLIC}:${port}`]);
    expect(seen[0]!.host).toBe(`hooks.example:${port}`);
  });

  it('does not make a certificate of another host good', async () => {
    const egress = egressWith({ 'other.example': [[PUBLIC]] });
    const error = await failed(egress, `https://other.example:${port}/`);
    expect(error.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(seen).toEqual([]);
  });

  it('carries plain http to allowed hosts in a tunnel as well', async () => {
    const plain = createServer((_request, response) => response.end('plain'));
    const at = await listen(plain);
    const egress = egressWith({ 'agents.internal': [['10.1.2.3']] }, {}, { allow: ['*.internal'] });
    expect(await get(egress, `http://agents.internal:${at}/`)).toBe('plain');
    expect(proxy.targets).toEqual([`10.1.2.3:${at}`]);
    expect(proxy.others).toEqual([]);
  });

  it('gets its user and password, and nobody else does', async () => {
    const url = `http://hub:p%40ss%3Aword@127.0.0.1:${proxy.port}`;
    const egress = egressWith({ 'hooks.example': [[PUBLIC]] }, { url });
    await get(egress, `https://hooks.example:${port}/`);
    const sent = Buffer.from('hub:p@ss:word').toString('base64');
    expect(proxy.requested[0]!.authorization).toBe(`Basic ${sent}`);
    expect(seen[0]).not.toHaveProperty('proxy-authorization');
    proxy.refusal = 407;
    const error = await failed(egress, `https://HOOKS.example:${port + 1}/`);
    expect(error.code).toBe('EGRESS_PROXY_AUTH');
    expect(JSON.stringify([error.message, String(error.cause)])).not.toMatch(/p@ss|p%40ss|aHVi/);
  });

  it.each<[string, Names]>([
    ['https://127.0.0.1', {}],
    ['https://[::ffff:169.254.169.254]', {}],
    ['https://inside.example', { 'inside.example': [['10.0.0.1']] }],
    ['https://half.example', { 'half.example': [[PUBLIC, '127.0.0.1']] }],
    ['https://localhost', { localhost: [[PUBLIC]] }],
    ['http://hooks.example', { 'hooks.example': [[PUBLIC]] }],
  ])('is not asked for %s, which the guard refuses', async (origin, names) => {
    const egress = egressWith(names);
    const refused = { reason: 'EGRESS_DENIED' };
    await expect(egress.check(`${origin}:${port}/`)).rejects.toMatchObject(refused);
    await expect(get(egress, `${origin}:${port}/`)).rejects.toMatchObject(refused);
    expect(proxy.requested).toEqual([]);
  });

  it('is not asked for a name that has come to lead inside since it was checked', async () => {
    const egress = egressWith({ 'rebind.example': [[PUBLIC], ['127.0.0.1']] });
    const url = `https://rebind.example:${port}/`;
    expect(await egress.check(url)).toEqual({ verified: true });
    await expect(get(egress, url)).rejects.toMatchObject({ reason: 'EGRESS_DENIED' });
    expect(proxy.requested).toEqual([]);
  });

  it('is asked for the next address when it cannot reach one, IPv4 first', async () => {
    const egress = egressWith({ 'hooks.example': [['2606:4700::1111', PUBLIC]] });
    const hole = await freePort();
    proxy.hosts.set(`${PUBLIC}:${port}`, hole);
    proxy.hosts.set(`[2606:4700::1111]:${port}`, port);
    expect(await get(egress, `https://hooks.example:${port}/`)).toBe('hello');
    expect(proxy.targets).toEqual([`${PUBLIC}:${port}`, `[2606:4700::1111]:${port}`]);
  });

  it.each([
    [407, 'EGRESS_PROXY_AUTH'],
    [403, 'EGRESS_PROXY_REFUSED'],
    [502, 'EGRESS_PROXY_REFUSED'],
    [302, 'EGRESS_PROXY_REFUSED'],
    ['hang', 'EGRESS_PROXY_TIMEOUT'],
  ] as const)('answers %s: no connection (%s)', async (refusal, code) => {
    const egress = egressWith({ 'hooks.example': [[PUBLIC]] });
    proxy.refusal = refusal;
    const error = await failed(egress, `https://hooks.example:${port}/`);
    expect(error).toMatchObject({ code, noServer: false });
    expect(error.message).not.toContain(PUBLIC);
    expect(seen).toEqual([]);
  });

  it('is down: no connection, also for webhooks, and back again as soon as it is', async () => {
    const names = { 'hooks.example': [[PUBLIC]] };
    const egress = egressWith(names, { url: `http://127.0.0.1:${await freePort()}` });
    const limits = { connectTimeoutMs: 500, timeoutMs: 1000, responseBytes: 100 };
    const sender = new HttpWebhookSender(new WebhookEgress(egress), new SystemClock(), limits);
    const url = `https://hooks.example:${port}/`;
    const ca = authority.certificate;
    const request = { url, organization: 'acme', headers: {}, body: '{}', secrets: [], ca };
    const answer = await sendInTime(sender, request, limits);
    const { error, detail } = answer;
    expect([error, detail]).toEqual(['connect', 'EGRESS_PROXY_UNREACHABLE']);
    const well = new HttpWebhookSender(
      new WebhookEgress(egressWith(names)),
      new SystemClock(),
      limits,
    );
    expect(await sendInTime(well, request, limits)).toMatchObject({ status: 200 });
  });

  it.each([
    ['a name', ['hooks.example'], '127.0.0.1'],
    ['names below a domain', ['*.example'], '127.0.0.1'],
    ['a network', ['127.0.0.0/8'], '127.0.0.1'],
  ])('is left out for %s of egress.noProxy, where the guard counts', async (_what, noProxy, to) => {
    const names = { 'hooks.example': [[to]] };
    const egress = egressWith(names, { noProxy }, { allow: ['127.0.0.1'] });
    expect(await get(egress, `https://hooks.example:${port}/`)).toBe('hello');
    const strict = egressWith(names, { noProxy });
    const url = `https://hooks.example:${port}/`;
    await expect(get(strict, url)).rejects.toMatchObject({ reason: 'EGRESS_DENIED' });
    expect(proxy.requested).toEqual([]);
  });

  it('is used when only some addresses of a name are in a network of egress.noProxy', async () => {
    const names = { 'hooks.example': [['10.0.0.1', PUBLIC]] };
    const egress = egressWith(names, { noProxy: ['10.0.0.0/8'] }, { allow: ['10.0.0.0/8'] });
    expect(await get(egress, `https://hooks.example:${port}/`)).toBe('hello');
    expect(proxy.targets).toEqual([`10.0.0.1:${port}`]);
  });

  it('may be at https, with an authority of its own', async () => {
    const secure = await ConnectProxy.start(proxyHost);
    closing.push(() => secure.close());
    const url = `https://127.0.0.1:${secure.port}`;
    const names = { 'hooks.example': [[PUBLIC]] };
    const egress = egressWith(names, { url, ca: authority.certificate });
    expect(await get(egress, `https://hooks.example:${port}/`)).toBe('hello');
    expect(secure.targets).toEqual([`${PUBLIC}:${port}`]);
    const untrusting = egressWith(names, { url });
    const error = await failed(untrusting, `https://hooks.example:${port}/`);
    expect(error.code).toBe('EGRESS_PROXY_UNREACHABLE');
  });

  describe('that resolves names', () => {
    it('gets the names of hosts in egress.allow, and no others', async () => {
      const egress = egressWith({}, { resolves: true }, { allow: ['hooks.example'] });
      proxy.hosts.set(`hooks.example:${port}`, port);
      const url = `https://hooks.example:${port}/`;
      expect(await egress.check(url)).toEqual({ verified: false });
      expect(await get(egress, url)).toBe('hello');
      expect(proxy.targets).toEqual([`hooks.example:${port}`]);
      for (const origin of ['https://unknown.example', 'https://localhost', 'https://10.0.0.1']) {
        const refused = { reason: 'EGRESS_DENIED' };
        await expect(egress.check(origin)).rejects.toMatchObject(refused);
        await expect(get(egress, origin)).rejects.toMatchObject(refused);
      }
      expect(proxy.targets).toHaveLength(1);
    });

    it('gets public addresses as they are', async () => {
      const egress = egressWith({}, { resolves: true });
      const error = await failed(egress, `https://${PUBLIC}:${port}/`);
      expect(error.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
      expect(proxy.targets).toEqual([`${PUBLIC}:${port}`]);
    });
  });

  describe('for gRPC', () => {
    const calls: string[] = [];

    async function agent(): Promise<number> {
      const grpc = new GrpcServer();
      calls.length = 0;
      grpc.addService(A2AService, {
        getTask: (
          call: { getHost(): string },
          callback: (error: null, task: object) => void,
        ): void => {
          calls.push(call.getHost());
          const status = { state: 2, message: undefined, timestamp: undefined };
          callback(null, { id: 't', contextId: '', status, artifacts: [], history: [] });
        },
      });
      closing.push(() => grpc.forceShutdown());
      return new Promise((resolve, reject) => {
        grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
          error ? reject(error) : resolve(bound),
        );
      });
    }

    function clientOf(egress: Egress): SdkAgentClient {
      const memory = new EndpointMemory(new SystemClock(), configWith({}));
      const client = new SdkAgentClient(
        egress,
        configWith({}),
        memory,
        NO_DEVIATIONS,
        NO_CALLERS,
        NO_REFERENCES,
        NO_PROOFS,
        NO_REGISTRY,
        new NoTracing(),
      );
      closing.push(() => client.onApplicationShutdown());
      return client;
    }

    const at = (place: string) =>
      anAgent('grpc', { endpoint: endpoint(place, '1.0', 'GRPC'), budgets: { connectMs: 800 } });

    it('is asked for the checked address; the call names the host that was meant', async () => {
      const bound = await agent();
      const url = `http://hub:secret@127.0.0.1:${proxy.port}`;
      const names = { 'agent.internal': [['10.1.2.3']] };
      const client = clientOf(egressWith(names, { url }, { allow: ['agent.internal'] }));
      const task = await client.getTask(at(`agent.internal:${bound}`), 't', options());
      expect(task.id).toBe('t');
      expect(new Set(proxy.targets)).toEqual(new Set([`10.1.2.3:${bound}`]));
      const sent = Buffer.from('hub:secret').toString('base64');
      expect(proxy.requested[0]!.authorization).toBe(`Basic ${sent}`);
      expect(calls).toEqual([`agent.internal:${bound}`]);
    });

    it('is asked for nothing that the guard refuses', async () => {
      const bound = await agent();
      const names = { 'rebind.example': [[PUBLIC], ['127.0.0.1']] };
      const client = clientOf(egressWith(names));
      for (const host of ['127.0.0.1', '[::1]', 'rebind.example']) {
        const error = await failure(client.getTask(at(`${host}:${bound}`), 't', options()));
        expect(error.kind).toBe('unreachable');
        expect(error.message).toMatch(/loopback|plain http/);
      }
      expect(proxy.requested).toEqual([]);
    });

    it('does not make a connection when it refuses or hangs', async () => {
      const bound = await agent();
      const names = { 'agent.internal': [['10.1.2.3']] };
      for (const refusal of [403, 'hang'] as const) {
        proxy.refusal = refusal;
        const client = clientOf(egressWith(names, {}, { allow: ['agent.internal'] }));
        const place = `agent.internal:${bound}`;
        expect((await failure(client.getTask(at(place), 't', options()))).kind).toBe('unreachable');
      }
      expect(calls).toEqual([]);
    });

    it('is refused at registration when it is at https, unless the host goes without it', async () => {
      const bound = await agent();
      const names = { 'agent.internal': [['127.0.0.1']] };
      const url = `https://127.0.0.1:${proxy.port}`;
      const allow = ['agent.internal'];
      const place = `http://agent.internal:${bound}`;
      const egress = egressWith(names, { url }, { allow });
      await expect(egress.check(place, 'grpc')).rejects.toThrow('gRPC cannot use an egress proxy');
      const error = await failure(clientOf(egress).getTask(at(place), 't', options()));
      expect(error.message).toContain('gRPC cannot use an egress proxy');
      const direct = egressWith(names, { url, noProxy: allow }, { allow });
      expect(await direct.check(place, 'grpc')).toEqual({ verified: true });
      expect((await clientOf(direct).getTask(at(place), 't', options())).id).toBe('t');
      expect(proxy.requested).toEqual([]);
    });
  });
});
