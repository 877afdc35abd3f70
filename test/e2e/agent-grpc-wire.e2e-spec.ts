import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { encodeGrpcStatusDetails } from '@a2a-js/sdk/errors/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import {
  Client,
  type ClientReadableStream,
  connectivityState,
  Metadata,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type ServerUnaryCall,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { TaskState } from '../../src/protocol/a2a.js';
import type { Agent } from '../../src/agents/agent.js';
import { GrpcChannels, type GrpcLease } from '../../src/agents/binding/grpc-channels.js';
import { GrpcExchange } from '../../src/agents/binding/grpc-exchange.js';
import { GrpcTransport } from '../../src/agents/binding/grpc.transport.js';
import { LegacyGrpcTransports } from '../../src/agents/binding/legacy-grpc.transport.js';
import { Egress } from '../../src/common/egress/egress.js';
import { ReadBudget, Reading, readRules } from '../../src/common/read-budget.js';
import { anAgent } from '../support/an-agent.js';
import {
  agentCalls,
  all,
  endpoint,
  failure,
  hello,
  kinds,
  options,
  withCredentials,
} from '../support/agent-calls.js';
import { textPart } from '../support/agents.js';
import { FileBytes } from '../../src/agents/binding/file-forms.js';
import { eventually } from '../support/eventually.js';

const AS_THEY_ARE = new FileBytes(() => Promise.resolve('once'));

const { client } = agentCalls();
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.forceShutdown();
});

/** An agent that answers each gRPC method as the test says; others are UNIMPLEMENTED. */
function answering(version: '1.0' | '0.3', handlers: object, port = 0): Promise<Agent> {
  return serving(version, version === '1.0' ? A2AService : LegacyA2AService, handlers, port);
}

async function serving(
  version: '1.0' | '0.3',
  service: ServiceDefinition,
  handlers: object,
  port = 0,
): Promise<Agent> {
  const server = new Server();
  servers.push(server);
  server.addService(service, handlers as UntypedServiceImplementation);
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, found) =>
      error ? reject(error) : resolve(found),
    );
  });
  return anAgent('grpc', { endpoint: endpoint(`127.0.0.1:${bound}`, version, 'GRPC') });
}

const TASK = {
  id: 't',
  contextId: 'c',
  status: { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: undefined },
  artifacts: [],
  history: [],
  metadata: undefined,
};

type Callback = (error: object | null, value?: unknown) => void;
type Call = ServerUnaryCall<unknown, unknown>;

const MIB = 1024 * 1024;

/** An exchange of one call with an agent, with all that it needs. */
function exchangeTo(
  agent: Agent,
  version: '1.0' | '0.3',
  signal: AbortSignal = new AbortController().signal,
) {
  const egress = new Egress({ allow: ['127.0.0.1'] });
  const channels = new GrpcChannels(egress, 64 * MIB, 50);
  const budget = new ReadBudget(readRules(64 * MIB));
  const exchange = new GrpcExchange(channels, {
    address: agent.endpoint.url,
    kind: 'message',
    headers: {},
    secrets: [],
    agentId: 'agent',
    budget,
    maxAnswerBytes: 64 * MIB,
    connectTimeoutMs: 1000,
    onSent: () => undefined,
    signal,
  });
  const transport =
    version === '1.0'
      ? new GrpcTransport(exchange)
      : new LegacyGrpcTransports().over(exchange, AS_THEY_ARE);
  const close = async (): Promise<void> => {
    channels.close();
    await egress.close();
  };
  return { budget, channels, exchange, transport, close };
}

/** More events, of 1 kB each, than any buffer holds. */
const LONG_STREAM = 20_000;

interface Writable {
  write(event: unknown): boolean;
  once(event: 'drain' | 'cancelled', then: () => void): void;
}

/** An agent that streams as fast as it may; `left` resolves when its caller is gone. */
async function endless(version: '1.0' | '0.3') {
  let written = 0;
  let cancelled = false;
  let gone: (() => void) | undefined;
  const left = new Promise<void>((resolve) => (gone = resolve));
  const value = { ...TASK, metadata: { filler: 'x'.repeat(1000) } };
  const write = (call: Writable): void => {
    while (!cancelled && written < LONG_STREAM) {
      written++;
      if (!call.write({ payload: { $case: 'task', value } })) {
        return call.once('drain', () => write(call));
      }
    }
  };
  const agent = await answering(version, {
    sendStreamingMessage: (call: Writable) => {
      call.once('cancelled', () => {
        cancelled = true;
        gone?.();
      });
      write(call);
    },
  });
  return Object.defineProperty({ ...agent, left, written }, 'written', { get: () => written });
}

/** A count as soon as it stands still. */
async function settled(count: () => number): Promise<number> {
  let before = -1;
  while (before !== count()) {
    before = count();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return before;
}

const SEND = {
  tenant: '',
  message: hello().message,
  configuration: undefined,
  metadata: undefined,
};

describe.each(['1.0', '0.3'] as const)('a gRPC call to an agent of %s', (version) => {
  it('says its version, and sends extensions, hops, trace and credentials as metadata', async () => {
    let seen: Metadata | undefined;
    const agent = await answering(version, {
      getTask: (call: Call, callback: Callback) => {
        seen = call.metadata;
        callback(null, TASK);
      },
    });
    const known = withCredentials(agent, { authorization: 'Bearer abcdef', 'x-key': 'k' });
    const more = { extensions: ['urn:a', 'urn:b'], hops: ['hub-1', 'hub-2'], traceparent: '00-a' };
    expect((await client.getTask(known, 't', options(more))).id).toBe('t');
    expect(seen?.getMap()).toMatchObject({
      'a2a-version': version,
      [version === '1.0' ? 'a2a-extensions' : 'x-a2a-extensions']: 'urn:a,urn:b',
      'a2a-hub-hops': 'hub-1,hub-2',
      traceparent: '00-a',
      authorization: 'Bearer abcdef',
      'x-key': 'k',
    });
    expect(seen?.get('exchange')).toEqual([]);
  });

  it('says on whose behalf it is made to an agent that wants to know, and to no other', async () => {
    const seen: unknown[] = [];
    const agent = await answering(version, {
      getTask: (call: Call, callback: Callback) => {
        seen.push(call.metadata.get('a2a-hub-caller'));
        callback(null, TASK);
      },
    });
    const caller = { principalId: 'p', organization: 'o', taskId: 't', contextId: 'c' };
    for (const switches of [{ caller: 'signed' } as const, {}]) {
      await client.getTask({ ...agent, switches }, 't', options({ caller }));
    }
    await client.getTask({ ...agent, switches: { caller: 'signed' } }, 't', options());
    expect(seen).toEqual([[`for p at ${agent.endpoint.url}`], [], []]);
  });

  it('takes an answer of many megabytes', async () => {
    const text = 'x'.repeat(9_000_000);
    const part = version === '1.0' ? textPart(text) : { part: { $case: 'text', value: text } };
    const artifact = { artifactId: 'a', name: '', description: '', parts: [part], extensions: [] };
    const agent = await answering(version, {
      getTask: (_call: Call, callback: Callback) =>
        callback(null, { ...TASK, artifacts: [artifact] }),
    });
    const task = await client.getTask(agent, 't', options());
    expect(task.artifacts[0]?.parts[0]?.content).toEqual({ $case: 'text', value: text });
  });

  it.each<[string, number, string, string, number | undefined, string]>([
    ['NOT_FOUND', 5, 'no such task', 'not-found', -32001, 'does not know the task'],
    ['INVALID_ARGUMENT', 3, 'bad', 'rejected', -32602, 'invalid parameters'],
    ['UNIMPLEMENTED', 12, 'what?', 'rejected', -32601, 'not known'],
    ['FAILED_PRECONDITION', 9, 'no', 'rejected', undefined, 'refused'],
    ['UNIMPLEMENTED by name', 12, 'TaskNotCancelableError: over', 'rejected', -32002, 'canceled'],
    ['UNAUTHENTICATED', 16, 'who?', 'rejected', undefined, 'credentials'],
    ['PERMISSION_DENIED', 7, 'no', 'rejected', undefined, 'credentials'],
    ['INTERNAL', 13, 'oops', 'rejected', -32603, 'internal error'],
    ['UNKNOWN', 2, 'Unexpected <class KeyError>', 'rejected', undefined, 'refused'],
    ['RESOURCE_EXHAUSTED', 8, 'slow down', 'rejected', undefined, 'HTTP 429'],
    ['UNAVAILABLE', 14, 'gone', 'interrupted', undefined, 'broke off'],
    ['DEADLINE_EXCEEDED', 4, 'late', 'interrupted', undefined, 'broke off'],
    ['CANCELLED', 1, 'stopped', 'interrupted', undefined, 'broke off'],
  ])('takes the status %s for what it means', async (_name, code, details, kind, rpc, words) => {
    const agent = await answering(version, {
      getTask: (_call: Call, callback: Callback) => callback({ code, details }),
    });
    const error = await failure(client.getTask(agent, 't', options()));
    expect(error).toMatchObject({ kind });
    expect(error.detail.code).toBe(rpc);
    expect(error.publicMessage).toContain(words);
  });

  it('reads the reason in the details before the status', async () => {
    const metadata = new Metadata();
    const details = encodeGrpcStatusDetails(9, 'no', 'CONTENT_TYPE_NOT_SUPPORTED');
    metadata.set('grpc-status-details-bin', details);
    const agent = await answering(version, {
      getTask: (_call: Call, callback: Callback) =>
        callback({ code: status.FAILED_PRECONDITION, details: 'no', metadata }),
    });
    expect(await failure(client.getTask(agent, 't', options()))).toMatchObject({
      kind: 'rejected',
      detail: { code: -32005 },
    });
  });

  it('takes details that are no google.rpc.Status for none', async () => {
    const metadata = new Metadata();
    metadata.set('grpc-status-details-bin', Buffer.from([255, 255, 255, 1]));
    const agent = await answering(version, {
      getTask: (_call: Call, callback: Callback) => callback({ code: 5, details: 'no', metadata }),
    });
    expect((await failure(client.getTask(agent, 't', options()))).kind).toBe('not-found');
  });

  it('calls an error after an event an interruption', async () => {
    const agent = await answering(version, {
      sendStreamingMessage: (call: {
        write(event: unknown): void;
        emit(event: string, error: object): void;
      }) => {
        call.write({ payload: { $case: 'task', value: TASK } });
        call.emit('error', { code: status.INVALID_ARGUMENT, details: 'too late' });
      },
    });
    const seen: unknown[] = [];
    const stream = (async () => {
      for await (const event of client.stream(agent, hello(), options())) seen.push(event);
    })();
    expect((await failure(stream)).kind).toBe('interrupted');
    expect(seen).toHaveLength(1);
  });

  it('refuses answers that are not A2A', async () => {
    const agent = await answering(version, {
      getTask: (_call: Call, callback: Callback) => callback(null, { ...TASK, id: '' }),
      sendMessage: (_call: Call, callback: Callback) => callback(null, { payload: undefined }),
      sendStreamingMessage: (call: { write(event: unknown): void; end(): void }) => {
        call.write({ payload: undefined });
        call.end();
      },
    });
    expect((await failure(client.getTask(agent, 't', options()))).kind).toBe('invalid');
    expect((await failure(client.send(agent, hello(), options()))).kind).toBe('invalid');
    expect((await failure(all(client.stream(agent, hello(), options())))).kind).toBe('invalid');
  });

  it('calls a connection that is cut within a stream an interruption', async () => {
    const agent = await answering(version, {
      sendStreamingMessage: (call: { write(event: unknown): void }) => {
        call.write({ payload: { $case: 'task', value: TASK } });
      },
    });
    const stream = (async () => {
      for await (const event of client.stream(agent, hello(), options())) {
        expect(kinds([event])).toEqual(['task']);
        servers.splice(0).forEach((server) => server.forceShutdown());
      }
    })();
    expect((await failure(stream)).kind).toBe('interrupted');
  });

  it('refuses bytes that are no message', async () => {
    const service = version === '1.0' ? 'lf.a2a.v1.A2AService' : 'a2a.v1.A2AService';
    const bytes = (value: Buffer): Buffer => value;
    const method = {
      path: `/${service}/GetTask`,
      requestStream: false,
      responseStream: false,
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    };
    const agent = await serving(
      version,
      { getTask: method },
      {
        getTask: (_call: Call, callback: Callback) => callback(null, Buffer.from([255, 255, 255])),
      },
    );
    expect((await failure(client.getTask(agent, 't', options()))).kind).toBe('invalid');
  });

  it('leaves secrets out of what the agent said of them', async () => {
    const agent = await answering(version, {
      getTask: (_call: Call, callback: Callback) =>
        callback({ code: status.PERMISSION_DENIED, details: 'not with hunter2-token' }),
    });
    const known = withCredentials(agent, { authorization: 'Bearer hunter2-token' });
    const error = await failure(client.getTask(known, 't', options()));
    expect(error.message).toContain('***');
    expect(error.message).not.toContain('hunter2');
  });

  it.each<[string, Record<string, string>]>([
    ['binary', { 'key-bin': 'abc' }],
    ['reserved', { 'grpc-timeout': '1S' }],
    ['not a name', { 'a!b': 'abc' }],
    ['printable', { 'x-key': 'grün' }],
  ])('sends nothing with a header that gRPC cannot carry (%s)', async (why, credentials) => {
    const agent = await answering(version, {
      getTask: (_call: Call, callback: Callback) => callback(null, TASK),
    });
    const error = await failure(
      client.getTask(withCredentials(agent, credentials), 't', options()),
    );
    expect(error.kind).toBe('unreachable');
    expect(error.message).toMatch(new RegExp(`${Object.keys(credentials)[0]}.*${why}`));
    expect(error.message).not.toContain('abc');
  });

  it('uses one connection for calls after each other and at once', async () => {
    const peers = new Set<string>();
    const agent = await answering(version, {
      getTask: (call: Call, callback: Callback) => {
        peers.add(call.getPeer());
        callback(null, TASK);
      },
    });
    const get = () => client.getTask(agent, 't', options());
    await Promise.all([get(), get(), get()]);
    await get();
    expect(peers.size).toBe(1);
  });

  it('says at once that nothing listens, and comes back when it does', async () => {
    const working = {
      getTask: (_call: Call, callback: Callback) => callback(null, TASK),
    };
    const agent = await answering(version, working);
    expect((await client.getTask(agent, 't', options())).id).toBe('t');
    servers.splice(0).forEach((server) => server.forceShutdown());
    let error = await failure(client.getTask(agent, 't', options()));
    // The first call may still have met the connection that was closing.
    if (error.kind === 'interrupted') error = await failure(client.getTask(agent, 't', options()));
    expect(error.kind).toBe('unreachable');
    await answering(version, working, Number(agent.endpoint.url.split(':')[1]));
    expect((await client.getTask(agent, 't', options())).id).toBe('t');
  });

  it('cuts a call that is aborted, before and after it is connected', async () => {
    let canceled: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (canceled = resolve));
    let requested: (() => void) | undefined;
    const arrived = new Promise<void>((resolve) => (requested = resolve));
    const agent = await answering(version, {
      getTask: (call: Call) => {
        call.on('cancelled', () => canceled?.());
        requested?.();
      },
    });
    const before = AbortSignal.abort();
    expect((await failure(client.getTask(agent, 't', { signal: before }))).kind).toBe(
      'interrupted',
    );
    const abort = new AbortController();
    const call = failure(client.getTask(agent, 't', { signal: abort.signal }));
    await arrived;
    abort.abort();
    expect((await call).kind).toBe('interrupted');
    await gone;
  });

  it('reads no more of a stream than is asked for, and cancels one that is left', async () => {
    const agent = await endless(version);
    const stream = client.stream(agent, hello(), options());
    expect(kinds([(await stream.next()).value!])).toEqual(['task']);
    const taken = await settled(() => agent.written);
    // What the windows of HTTP/2 and the buffers on both sides hold.
    expect(taken).toBeLessThan(LONG_STREAM / 2);
    for (let read = 0; read < 1000; read++) await stream.next();
    expect(await settled(() => agent.written)).toBeGreaterThan(taken);
    await stream.return();
    await agent.left;
    expect(agent.written).toBeLessThan(LONG_STREAM);
  });

  it('counts what it reads until it is done with, one event at a time', async () => {
    const value = { ...TASK, metadata: { filler: 'x'.repeat(2 * MIB) } };
    let written = 0;
    const agent = await answering(version, {
      getTask: (_call: Call, callback: Callback) => callback(null, value),
      sendStreamingMessage: (call: Writable) => {
        const write = (): void => {
          while (++written < 60) {
            if (!call.write({ payload: { $case: 'task', value } }))
              return call.once('drain', write);
          }
        };
        write();
      },
    });
    const { budget, transport, exchange, close } = exchangeTo(agent, version);
    const holds = jest.spyOn(Reading.prototype, 'reserve');
    const calls = jest.spyOn(Client.prototype, 'makeServerStreamRequest');
    const events = transport.sendMessageStream(SEND);
    await events.next();
    expect(budget.held).toBeGreaterThanOrEqual(2 * MIB);
    await settled(() => written);
    expect(Math.max(...holds.mock.calls.map(([bytes]) => bytes))).toBeLessThan(3 * MIB);
    expect(written).toBeLessThan(60);
    // The library's own streams take 16 messages ahead.
    for (const { value: stream } of calls.mock.results) {
      expect((stream as ClientReadableStream<unknown>).readableLength).toBeLessThanOrEqual(1);
    }
    await events.next();
    expect(budget.held).toBeLessThan(4 * MIB);
    await events.return(undefined);
    exchange.release();
    expect(budget.held).toBe(0);
    holds.mockRestore();
    calls.mockRestore();
    await close();

    const unary = exchangeTo(agent, version);
    await unary.transport.getTask({ tenant: '', id: 't', historyLength: undefined });
    expect(unary.budget.held).toBeGreaterThanOrEqual(2 * MIB);
    unary.exchange.release();
    expect(unary.budget.held).toBe(0);
    await unary.close();
  });

  it('leaves a stream at an event over 16 MiB', async () => {
    const value = { ...TASK, metadata: { filler: 'x'.repeat(17 * MIB) } };
    const agent = await answering(version, {
      sendStreamingMessage: (call: Writable) =>
        void call.write({ payload: { $case: 'task', value } }),
    });
    const error = await failure(all(client.stream(agent, hello(), options())));
    expect(error.kind).toBe('interrupted');
    expect(error.message).toContain('16 MiB');
  });

  it('ends while its answer waits for room', async () => {
    const value = { ...TASK, metadata: { filler: 'x'.repeat(2 * MIB) } };
    const agent = await answering(version, {
      getTask: (_call: Call, callback: Callback) => callback(null, value),
    });
    const abort = new AbortController();
    const { budget, transport, exchange, close } = exchangeTo(agent, version, abort.signal);
    // What goes beyond the budget, all there is, and what is left to those that hold little.
    const others = [32, 32, 24, 4, 4].map((size, n) => {
      const other = budget.begin(`other ${n}`, () => undefined);
      void other.reserve(size * MIB);
      return other;
    });
    const holds = jest.spyOn(Reading.prototype, 'reserve');
    const answer = transport
      .getTask({ tenant: '', id: 't', historyLength: undefined })
      .catch((thrown: unknown) => exchange.failure(thrown));
    await eventually(() => expect(holds.mock.results.at(-1)?.value).toBeInstanceOf(Promise));
    abort.abort();
    expect(await answer).toMatchObject({ kind: 'interrupted' });
    holds.mockRestore();
    others.forEach((other) => other.end());
    await close();
  });

  it('gives its channel back when it is aborted while nobody reads on', async () => {
    const agent = await endless(version);
    const abort = new AbortController();
    const { channels, transport, close } = exchangeTo(agent, version, abort.signal);
    const { url } = agent.endpoint;
    const events = transport.sendMessageStream(SEND);
    await events.next();
    const { signal } = new AbortController();
    const other = await channels.connect({ address: url }, 'message', 1000, signal);
    abort.abort();
    other.release();
    await agent.left;
    await eventually(() => {
      expect(other.client.getChannel().getConnectivityState(false)).toBe(
        connectivityState.SHUTDOWN,
      );
    });
    await close();
  });
});

describe('a gRPC agent of 1.0', () => {
  it('is refused a state that A2A does not have', async () => {
    const agent = await answering('1.0', {
      getTask: (_call: Call, callback: Callback) =>
        callback(null, { ...TASK, status: { ...TASK.status, state: 77 } }),
    });
    expect((await failure(client.getTask(agent, 't', options()))).kind).toBe('invalid');
  });

  it('finds the tasks of a message by ListTasks', async () => {
    const message = { ...hello('x', { messageId: 'm1' }).message };
    const agent = await answering('1.0', {
      listTasks: (_call: Call, callback: Callback) =>
        callback(null, {
          tasks: [{ ...TASK, history: [message] }, TASK],
          totalSize: 2,
          pageSize: 2,
          nextPageToken: '',
        }),
    });
    const found = await client.findTasksByMessage(agent, 'c', 'm1', options());
    expect(found.map(({ id }) => id)).toEqual(['t']);
  });
});

describe('the channels to gRPC agents', () => {
  it('have a connection for each hundred calls, and one of its own for what must not wait', async () => {
    const agent = await answering('1.0', {});
    const egress = new Egress({ allow: ['127.0.0.1'] });
    const channels = new GrpcChannels(egress, 64 * 1024 * 1024);
    const { signal } = new AbortController();
    const connect = (kind: 'message' | 'control') =>
      channels.connect({ address: agent.endpoint.url }, kind, 1000, signal);
    const messages = await Promise.all(Array.from({ length: 201 }, () => connect('message')));
    const clients = new Set(messages.map(({ client: used }) => used));
    expect(clients.size).toBe(3);
    const control = await connect('control');
    expect(clients.has(control.client)).toBe(false);
    messages[0]!.release();
    expect((await connect('message')).client).toBe(messages[0]!.client);
    channels.close();
    await egress.close();
  });

  it('let each caller wait as long as it may for the same connection', async () => {
    const sockets: Socket[] = [];
    const mute = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const address = `127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const egress = new Egress({ allow: ['127.0.0.1'] });
    const channels = new GrpcChannels(egress, 1024 * 1024);
    const { signal } = new AbortController();
    const gaveUp: string[] = [];
    const wait = (name: string, ms: number) =>
      channels.connect({ address }, 'message', ms, signal).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'CONNECT_TIMEOUT', noServer: false });
        gaveUp.push(name);
      });
    const patient = wait('patient', 600);
    await wait('hasty', 100);
    expect(gaveUp).toEqual(['hasty']);
    await patient;
    // Nobody waits any more, so the next caller begins another attempt.
    const before = sockets.length;
    await wait('next', 100);
    expect(sockets.length).toBeGreaterThan(before);
    channels.close();
    await egress.close();
    for (const socket of sockets) socket.destroy();
    mute.close();
  });

  it('are closed when nothing has used them for a while, and not before', async () => {
    const agent = await answering('1.0', {});
    const egress = new Egress({ allow: ['127.0.0.1'] });
    const channels = new GrpcChannels(egress, 1024 * 1024, 100);
    const { signal } = new AbortController();
    const stateOf = ({ client: used }: GrpcLease) => used.getChannel().getConnectivityState(false);
    const first = await channels.connect({ address: agent.endpoint.url }, 'message', 1000, signal);
    const second = await channels.connect({ address: agent.endpoint.url }, 'message', 1000, signal);
    expect(second.client).toBe(first.client);
    first.release();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(stateOf(second)).toBe(connectivityState.READY);
    second.release();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(stateOf(second)).toBe(connectivityState.SHUTDOWN);
    const third = await channels.connect({ address: agent.endpoint.url }, 'message', 1000, signal);
    expect(third.client).not.toBe(first.client);
    channels.close();
    await egress.close();
  });
});
