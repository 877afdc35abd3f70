import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../src/agents/agent.js';
import { EndpointMemory } from '../../src/agents/client/endpoint-memory.js';
import { SdkAgentClient } from '../../src/agents/client/sdk-agent.client.js';
import { SystemClock } from '../../src/common/clock.js';
import { Egress, type ResolvedAddress } from '../../src/common/egress/egress.js';
import { guardedClient } from '../../src/common/egress/guarded-channel.js';
import { configWith } from '../../src/config/index.js';
import {
  anAgent,
  NO_CALLERS,
  NO_DEVIATIONS,
  NO_PROOFS,
  NO_REGISTRY,
  NO_REFERENCES,
} from '../support/an-agent.js';
import { freePort } from '../support/free-port.js';
import { endpoint, failure, options } from '../support/agent-calls.js';
import { NoTracing } from '../../src/common/tracing/tracing.js';

const LOOPBACK = { address: '127.0.0.1', family: 4 } as const;
const PUBLIC = { address: '93.184.215.14', family: 4 } as const;

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The hub's client behind an egress whose names resolve to the next answer of `answers`, the last for ever. */
function clientWith(allow: string[], ...answers: ResolvedAddress[][]) {
  const requested: string[] = [];
  const resolve = async (name: string) => {
    requested.push(name);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' });
    return answer;
  };
  const egress = new Egress({ allow, resolver: { resolve } });
  const config = configWith({});
  const memory = new EndpointMemory(new SystemClock(), config);
  const client = new SdkAgentClient(
    egress,
    config,
    memory,
    NO_DEVIATIONS,
    NO_CALLERS,
    NO_REFERENCES,
    NO_PROOFS,
    NO_REGISTRY,
    new NoTracing(),
  );
  closing.push(
    () => egress.close(),
    () => client.onApplicationShutdown(),
  );
  return { client, requested };
}

function clientOf(egress: Egress): SdkAgentClient {
  const config = configWith({});
  const memory = new EndpointMemory(new SystemClock(), config);
  const client = new SdkAgentClient(
    egress,
    config,
    memory,
    NO_DEVIATIONS,
    NO_CALLERS,
    NO_REFERENCES,
    NO_PROOFS,
    NO_REGISTRY,
    new NoTracing(),
  );
  closing.push(
    () => egress.close(),
    () => client.onApplicationShutdown(),
  );
  return client;
}

const at = (url: string): Agent =>
  anAgent('grpc', { endpoint: endpoint(url, '1.0', 'GRPC'), budgets: { connectMs: 400 } });

/** A gRPC agent that knows one task. */
async function agent(port = 0) {
  const server = new Server();
  const calls: string[] = [];
  server.addService(A2AService, {
    getTask: (call: { getHost(): string }, callback: (error: null, task: object) => void): void => {
      calls.push(call.getHost());
      const status = { state: 2, message: undefined, timestamp: undefined };
      callback(null, { id: 't', contextId: '', status, artifacts: [], history: [] });
    },
  });
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, found) =>
      error ? reject(error) : resolve(found),
    );
  });
  const stop = () => server.forceShutdown();
  closing.push(stop);
  return { port: bound, calls, stop };
}

/** A port that takes connections and says what first bytes come. */
async function listener() {
  const first: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('data', (bytes: Buffer) => first.push(bytes));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const opened = async (): Promise<Buffer> => {
    for (;;) {
      const bytes = first.pop();
      if (bytes !== undefined) return bytes;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  return { port: (server.address() as AddressInfo).port, first, sockets, opened };
}

describe('gRPC through the egress guard', () => {
  it('connects to what the resolver of the hub gives, under the name that was asked for', async () => {
    const { port, calls } = await agent();
    const { client, requested } = clientWith([`agent.internal:${port}`], [LOOPBACK]);
    const task = await client.getTask(at(`agent.internal:${port}`), 't', options());
    expect(task.id).toBe('t');
    expect(calls).toEqual([`agent.internal:${port}`]);
    expect(new Set(requested)).toEqual(new Set(['agent.internal']));
  });

  it.each<[string, ResolvedAddress[], string]>([
    ['127.0.0.1', [], 'loopback'],
    ['[::1]', [], 'loopback'],
    ['[::ffff:127.0.0.1]', [], 'loopback'],
    ['2130706433', [], 'loopback'],
    ['169.254.169.254', [], 'metadata'],
    ['inward.example', [LOOPBACK], 'loopback'],
    ['half.example', [PUBLIC, LOOPBACK], 'loopback'],
  ])('does not connect to %s', async (host, addresses, why) => {
    const { port, sockets } = await listener();
    for (const scheme of ['', 'grpc://', 'grpcs://', 'http://', 'https://']) {
      const { client } = clientWith([], addresses);
      const error = await failure(client.getTask(at(`${scheme}${host}:${port}`), 't', options()));
      expect(error.kind).toBe('unreachable');
      expect(error.message).toMatch(new RegExp(`${why}|plain http`));
    }
    expect(sockets.size).toBe(0);
  });

  it('does not connect to a name that was public when it was looked up first', async () => {
    const { port, sockets } = await listener();
    // Once for the choice of TLS, then for the connection itself.
    const { client, requested } = clientWith([], [PUBLIC], [LOOPBACK]);
    const error = await failure(client.getTask(at(`rebind.example:${port}`), 't', options()));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toContain('loopback');
    expect(requested.length).toBeGreaterThan(1);
    expect(sockets.size).toBe(0);
  });

  it('looks a name up again when it connects again, and refuses it then', async () => {
    const { port, stop } = await agent();
    const elsewhere = { address: '169.254.169.254', family: 4 } as const;
    const answers = [[LOOPBACK], [LOOPBACK], [elsewhere]];
    const { client } = clientWith([`agent.internal:${port}`], ...answers);
    const known = at(`agent.internal:${port}`);
    expect((await client.getTask(known, 't', options())).id).toBe('t');
    stop();
    // The first calls may still meet the connection that is closing, and the address it had.
    for (let calls = 0; calls < 2; calls++) await failure(client.getTask(known, 't', options()));
    const error = await failure(client.getTask(known, 't', options()));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toContain('metadata');
  });

  it('speaks TLS to an address without a scheme, unless plain calls to it are allowed', async () => {
    const { port, first, opened } = await listener();
    const tls = clientWith([], [PUBLIC]);
    await failure(tls.client.getTask(at(`agent.example:${port}`), 't', options()));
    expect(first).toHaveLength(0);
    for (const [url, opening] of [
      [`127.0.0.1:${port}`, 'PRI * HTTP/2.0'],
      [`grpcs://127.0.0.1:${port}`, '\x16\x03'],
      [`https://127.0.0.1:${port}`, '\x16\x03'],
      [`grpc://127.0.0.1:${port}`, 'PRI * HTTP/2.0'],
    ] as const) {
      const { client } = clientWith(['127.0.0.1']);
      const abort = new AbortController();
      const call = failure(client.getTask({ ...at(url), budgets: {} }, 't', abort));
      expect((await opened()).toString('latin1').startsWith(opening)).toBe(true);
      abort.abort();
      expect((await call).kind).toBe('interrupted');
    }
  });

  it('says within its budget that nobody answers', async () => {
    const { port } = await listener();
    const { client } = clientWith(['127.0.0.1']);
    const error = await failure(client.getTask(at(`127.0.0.1:${port}`), 't', options()));
    expect(error).toMatchObject({ kind: 'unreachable' });
    expect(error.message).toContain('CONNECT_TIMEOUT');
  });

  it('waits for a file descriptor when the process has none to look its name up', async () => {
    const { port } = await agent();
    let lacking = 4;
    const egress = new Egress({
      allow: [`agent.internal:${port}`],
      resolver: {
        resolve: () =>
          lacking-- > 0
            ? Promise.reject(Object.assign(new Error('none left'), { code: 'EMFILE' }))
            : Promise.resolve([LOOPBACK]),
      },
    });
    const task = await clientOf(egress).getTask(at(`agent.internal:${port}`), 't', options());
    expect(task.id).toBe('t');
  });

  it('waits for one when it has none to connect, which the library does not tell', async () => {
    const port = await freePort();
    let left = false;
    const egress = new Egress({ allow: ['127.0.0.1'], hasFileLeft: () => left });
    const requested = clientOf(egress).getTask(at(`127.0.0.1:${port}`), 't', options());
    // Longer than it may take to connect.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(egress.lacksFiles).toBe(true);
    await agent(port);
    expect((await requested).id).toBe('t');
    left = true;
    expect(egress.lacksFiles).toBe(false);
  });

  it('looks a name up once a second at most, however often a connection fails', async () => {
    const { port, stop } = await agent();
    stop();
    let requested = 0;
    const resolver = { resolve: async () => (requested++, [LOOPBACK]) };
    const egress = new Egress({ allow: ['agent.internal'], resolver });
    const { client } = guardedClient(egress, `http://agent.internal:${port}`, {});
    closing.push(
      () => egress.close(),
      () => client.close(),
    );
    const began = performance.now();
    client.getChannel().getConnectivityState(true);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(requested).toBeGreaterThan(0);
    expect(requested).toBeLessThanOrEqual(1 + (performance.now() - began) / 1000);
  });

  it('says that a name does not resolve', async () => {
    const { client } = clientWith([]);
    const error = await failure(client.getTask(at('later.example:443'), 't', options()));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toContain('ENOTFOUND');
  });

  it.each(['grpc_proxy', 'https_proxy', 'http_proxy'])('asks no proxy of %s', async (name) => {
    const proxy = await listener();
    const { port, calls } = await agent();
    const before = process.env[name];
    process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      const { client } = clientWith(['127.0.0.1']);
      expect((await client.getTask(at(`127.0.0.1:${port}`), 't', options())).id).toBe('t');
      const refused = clientWith([]);
      const error = await failure(refused.client.getTask(at(`127.0.0.1:${port}`), 't', options()));
      expect(error.kind).toBe('unreachable');
    } finally {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    }
    expect(calls).toHaveLength(1);
    expect(proxy.sockets.size).toBe(0);
  });
});
