import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { OpenCalls } from '../../src/a2a/limits/open-calls.js';
import { AuditLog } from '../../src/audit/index.js';
import { NO_CALLER } from '../../src/audit/audit-entry.js';
import { AuthService, CredentialWatch } from '../../src/auth/index.js';
import type { Hub } from '../support/app.js';
import { entryOf } from '../support/audit-process.js';
import { eventually } from '../support/eventually.js';
import { GrpcClient, grpcTarget, V1 } from '../support/grpc-client.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';

let served: GrpcHub;
let hub: Hub;
let id: string;
let key: string;
let exportId: string;

/** Who is found out from now on is let in when this is called. */
let letIn: () => void;
/** Callers who are found out, and wait to be let in. */
let atDoor: number;
/** Calls whose credential is watched, ever and now; calls that are open. */
let watched: number;
let watching: number;
let open: number;

beforeAll(async () => {
  served = await startGrpcHub({}, { live: { manual: true, chunks: 1000 } });
  ({ hub } = served);
  key = await hub.key();
  const task = await hub.submit('go', { message: { metadata: { agentId: 'scripted' } } });
  id = task['id'] as string;
  // More than is sent before its reader takes any.
  const actor = { ...NO_CALLER, principal: 'p', organization: 'tests' };
  const entry = entryOf({ actor });
  await hub.app.get(AuditLog, { strict: false }).recordFrom(function* (tx) {
    yield* tx.all('SELECT 1 AS n');
    return Array.from({ length: 1500 }, () => entry);
  });
  const made = await hub.admin('POST', '/api/v1/data/exports', { organization: 'tests' });
  exportId = made.body.id as string;
});

afterAll(() => served.close());

beforeEach(() => {
  [atDoor, watched, watching, open] = [0, 0, 0, 0];
  const auth = hub.app.get(AuthService, { strict: false });
  const watch = hub.app.get(CredentialWatch, { strict: false });
  const calls = hub.app.get(OpenCalls, { strict: false });
  const original = {
    authenticate: auth.authenticate.bind(auth),
    watch: watch.watch.bind(watch),
    open: calls.open.bind(calls),
  };
  const isLetIn = new Promise<void>((resolve) => (letIn = resolve));
  jest.spyOn(auth, 'authenticate').mockImplementation(async (...given) => {
    const caller = await original.authenticate(...given);
    atDoor += 1;
    await isLetIn;
    return caller;
  });
  jest.spyOn(watch, 'watch').mockImplementation((...given) => {
    const unwatch = original.watch(...given);
    [watched, watching] = [watched + 1, watching + 1];
    let isWatched = true;
    return () => {
      if (isWatched) watching -= 1;
      isWatched = false;
      unwatch();
    };
  });
  jest.spyOn(calls, 'open').mockImplementation((...given) => {
    const close = original.open(...given);
    open += 1;
    return () => {
      open -= 1;
      close();
    };
  });
});

afterEach(() => {
  letIn();
  jest.restoreAllMocks();
});

function begin(...requests: readonly string[]): Socket {
  const socket = connect(Number(new URL(hub.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(requests.join(''));
  return socket;
}

const request = (line: string, as = key, body = ''): string =>
  [
    `${line} HTTP/1.1`,
    'Host: hub',
    `Authorization: Bearer ${as}`,
    'A2A-Version: 1.0',
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    '',
    body,
  ].join('\r\n');

const rpc = (): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id } });

const STREAMS: readonly (readonly [string, () => string])[] = [
  ['HTTP+JSON 1.0', () => request(`POST /a2a/tasks/${id}:subscribe`)],
  ['HTTP+JSON 0.3', () => request(`GET /a2a/v1/tasks/${id}:subscribe`)],
  ['JSON-RPC', () => request('POST /a2a', key, rpc())],
  ['the health of agents', () => request('GET /api/v1/agents/events', hub.adminKey)],
  ['events of webhooks', () => request('GET /api/v1/push/events', hub.adminKey)],
  ['the audit log', () => request('GET /api/v1/audit:export', hub.adminKey)],
  [
    'an export of data',
    () => request(`GET /api/v1/data/exports/${exportId}/content`, hub.adminKey),
  ],
];

/** The client leaves, and the hub has seen it. */
async function leave(socket: Socket): Promise<void> {
  const server = hub.app.getHttpServer();
  const count = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, found) => resolve(found)));
  const before = await count();
  socket.destroy();
  await eventually(async () => expect(await count()).toBe(before - 1));
}

/** Nothing of it is left, and the hub serves others. */
async function isForgotten(): Promise<void> {
  await hub.get('/a2a/tasks', { key });
  await eventually(() => expect([watching, open]).toEqual([0, 0]), 5000);
}

describe('a client that leaves while its caller is found out', () => {
  it.each(STREAMS)('is not watched any more, nor open: %s', async (_name, line) => {
    const socket = begin(line());
    await eventually(() => expect(atDoor).toBe(1));
    await leave(socket);
    letIn();
    await eventually(() => expect(watched).toBe(1));
    await isForgotten();
  });

  it('is not watched any more, nor open: gRPC', async () => {
    const client = new GrpcClient(grpcTarget(hub), { key });
    const stream = client.stream(V1.subscribeToTask, { tenant: '', id });
    const failed = once(stream, 'error');
    await eventually(() => expect(atDoor).toBe(1));
    stream.cancel();
    await failed;
    client.close();
    letIn();
    await isForgotten();
  });
});

describe('a client that leaves while another answer is before its own', () => {
  it.each(STREAMS)('is not watched any more, nor open: %s', async (_name, line) => {
    letIn();
    const socket = begin(request(`POST /a2a/tasks/${id}:subscribe`), line());
    await eventually(() => expect(watched).toBe(2));
    await leave(socket);
    await isForgotten();
  });
});
