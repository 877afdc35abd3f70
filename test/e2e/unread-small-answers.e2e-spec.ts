import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { type Socket, connect } from 'node:net';
import { SendMessageRequest } from '@a2a-js/sdk';
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AnswerBudget } from '../../src/a2a/limits/answer-budget.js';
import { OpenCalls } from '../../src/a2a/limits/open-calls.js';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { GrpcClient, V1, grpcTarget } from '../support/grpc-client.js';

const MIB = 1024 * 1024;
const PATIENCE_MS = 2000;
const BUDGET = 32 * MIB;
/** What one principal may have of it. */
const SHARE = BUDGET / 4;
/** Less than a large answer, so that nothing is asked for before it is made. */
const MIDDLING = 900_000;

let hub: Hub;
let agent: RunningAgent;
let budget: AnswerBudget;
let idler: string;
let other: string;
/** Calls that are counted as open. */
let open = 0;
const closers: (() => void)[] = [];

beforeAll(async () => {
  agent = await startSdkAgent({
    name: 'clerk',
    execute: (turn) => {
      turn
        .task()
        .artifact('text', 'x'.repeat(Number(turn.text)))
        .complete();
    },
  });
  hub = await startHub({
    config: { grpc: { port: -1 }, routing: { defaultAgent: 'clerk' } },
  });
  budget = hub.app.get(AnswerBudget, { strict: false });
  Object.assign(budget, new AnswerBudget({ bytes: BUDGET, patienceMs: PATIENCE_MS }));
  await hub.registerAgent(agent.url, { id: 'clerk' });
  idler = await hub.createKey({ name: 'idler', organization: 'idle' });
  other = await hub.createKey({ name: 'other', organization: 'busy' });
  countOpen(hub.app.get(OpenCalls, { strict: false }));
});

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

function countOpen(calls: OpenCalls): void {
  const begin = calls.open.bind(calls);
  calls.open = (caller) => {
    const end = begin(caller);
    open += 1;
    return () => {
      open -= 1;
      end();
    };
  };
}

async function taskOf(bytes: number, key: string): Promise<string> {
  const { task } = await hub.rpc('SendMessage', { message: userMessage(String(bytes)) }, { key });
  return task.id as string;
}

/** A client that takes no byte of any answer, and answers pings. */
function idleSession(): ClientHttp2Session {
  const session = connectHttp2(`http://${grpcTarget(hub)}`, { settings: { initialWindowSize: 0 } });
  session.on('error', () => undefined);
  closers.push(() => session.destroy());
  return session;
}

/** Calls a method as the idler; what is known of how it ended. */
function call(session: ClientHttp2Session, path: string, message: Uint8Array) {
  const seen: { status?: number; closed?: boolean } = {};
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: `Bearer ${idler}`,
  });
  stream.on('response', (headers) => {
    if (headers['grpc-status'] !== undefined) seen.status = Number(headers['grpc-status']);
  });
  stream.on('error', () => undefined).on('close', () => (seen.closed = true));
  stream.end(Buffer.concat([prefix, message]));
  return seen;
}

function getTask(session: ClientHttp2Session, id: string) {
  return call(session, V1.getTask.path, V1.getTask.requestSerialize({ tenant: '', id }));
}

/** Asks for a task so many times on one connection, of which nothing is read. */
function askOverHttp(id: string, times: number): Socket {
  const socket = connect(Number(new URL(hub.url).port), '127.0.0.1');
  closers.push(() => socket.destroy());
  socket.on('error', () => undefined);
  const head = [`GET /a2a/tasks/${id} HTTP/1.1`, 'A2A-Version: 1.0', 'Host: hub'];
  const request = [...head, `Authorization: Bearer ${idler}`, '', ''].join('\r\n');
  socket.pause();
  socket.write(request.repeat(times));
  return socket;
}

async function allEnds(begun: number): Promise<void> {
  await eventually(() => expect([open, budget.held]).toEqual([0, 0]), 15_000);
  expect(performance.now() - begun).toBeGreaterThan(PATIENCE_MS / 2);
}

describe('answers that are not large, and that nobody reads', () => {
  it.each([
    ['tiny', 1000, 0],
    ['small', 20_000, 20_000],
    ['middling', MIDDLING, MIDDLING],
  ])(
    'keep their open call and their room over gRPC until the reader of %s ones is cut',
    async (_size, bytes, held) => {
      const id = await taskOf(bytes, idler);
      const session = idleSession();
      const begun = performance.now();
      const calls = Array.from({ length: 5 }, () => getTask(session, id));
      await eventually(() => expect(open).toBe(5));
      await eventually(() => expect(budget.held).toBeGreaterThanOrEqual(5 * held));
      // Another one does not wait for them.
      const client = await GrpcClient.of(hub, { key: other });
      closers.push(() => client.close());
      const task = await client.call(V1.getTask, { tenant: '', id: await taskOf(bytes, other) });
      expect(task.artifacts).toHaveLength(1);
      await allEnds(begun);
      await eventually(() => expect(calls.every(({ closed }) => closed)).toBe(true));
      expect(session.destroyed).toBe(false);
    },
  );

  it('have a share of each principal, beyond which its calls are refused', async () => {
    const id = await taskOf(MIDDLING, idler);
    const session = idleSession();
    const begun = performance.now();
    const calls = Array.from({ length: 20 }, () => getTask(session, id));
    const fit = Math.floor(SHARE / MIDDLING);
    await eventually(() => {
      const refused = calls.filter((one) => one.status !== undefined);
      expect(refused).toHaveLength(20 - fit);
      for (const one of refused) expect(one.status).toBe(status.UNAVAILABLE);
    }, 10_000);
    expect(budget.held).toBeLessThanOrEqual(SHARE);
    expect(open).toBe(fit);
    await allEnds(begun);
  });

  it.each([
    ['small', 50_000, 300],
    ['middling', MIDDLING, 20],
  ])(
    'keep their open call and their room over HTTP until the connection with %s ones is cut',
    async (_size, bytes, times) => {
      const id = await taskOf(bytes, idler);
      const begun = performance.now();
      const socket = askOverHttp(id, times);
      await eventually(() => {
        expect(open).toBeGreaterThan(0);
        expect(budget.held).toBeGreaterThanOrEqual(bytes);
      });
      await allEnds(begun);
      // Bytes that the system had taken come first.
      socket.resume();
      await eventually(() => expect(socket.closed).toBe(true));
    },
  );

  it('keep no open call over HTTP when the client leaves before their turn', async () => {
    const id = await taskOf(MIDDLING, idler);
    const socket = askOverHttp(id, 20);
    await eventually(() => expect(open).toBeGreaterThan(2));
    socket.destroy();
    await eventually(() => expect([open, budget.held]).toEqual([0, 0]), PATIENCE_MS / 2);
  });

  it('that are read at once are given while others have used up all room', async () => {
    const id = await taskOf(100_000, other);
    const holds = Array.from({ length: 4 }, () => budget.begin(holder(crypto.randomUUID())));
    for (const hold of holds) await hold.take(SHARE);
    const client = await GrpcClient.of(hub, { key: other });
    closers.push(() => client.close());
    const answers = await Promise.all([
      ...Array.from({ length: 3 }, () => client.call(V1.getTask, { tenant: '', id })),
      ...Array.from({ length: 2 }, () => hub.get(`/a2a/tasks/${id}`, { key: other })),
    ]);
    expect(answers).toHaveLength(5);
    for (const hold of holds) hold.end();
    await eventually(() => expect(budget.held).toBe(0));
  });
});

describe('a stream that has ended', () => {
  it('keeps its open call over gRPC until its reader has taken the rest or left', async () => {
    const session = idleSession();
    const { path, requestSerialize } = V1.sendStreamingMessage;
    const request = SendMessageRequest.fromJSON({ message: userMessage('1000') });
    const message = requestSerialize(request);
    call(session, path, message);
    await eventually(async () => {
      const { tasks } = await hub.rpc('ListTasks', { pageSize: 1 }, { key: idler });
      expect(tasks[0].status.state).toBe('TASK_STATE_COMPLETED');
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(open).toBe(1);
    session.destroy();
    await eventually(() => expect(open).toBe(0));
  });
});

function holder(id: string): Parameters<AnswerBudget['begin']>[0] {
  return { id, organization: id, scopes: new Set() };
}
