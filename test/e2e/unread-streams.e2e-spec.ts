import { request } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { type Socket, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AnswerBudget } from '../../src/a2a/limits/answer-budget.js';
import { type AgentTurn, type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { GrpcClient, V0, V1, grpcTarget } from '../support/grpc-client.js';

const MIB = 1024 * 1024;
/** More than a connection that nobody reads takes in. */
const TASK_BYTES = 14 * MIB;
const PATIENCE_MS = 2500;
/** Readers of one principal, each of which would hold a task. */
const READERS = 2;

let hub: Hub;
let agent: RunningAgent;
let budget: AnswerBudget;
/** One of an organization that never reads, one of another. */
let idler: string;
let other: string;
/** Tasks that have a large artifact and wait for their clients. */
let idlersTask: string;
let othersTask: string;
/** By their own ids: what has a task that works give its large artifact. */
const given = new Map<string, () => void>();
const closers: (() => void)[] = [];

beforeAll(async () => {
  agent = await startSdkAgent({ name: 'clerk', execute });
  hub = await startHub({
    config: { grpc: { port: -1 }, routing: { defaultAgent: 'clerk' } },
  });
  budget = hub.app.get(AnswerBudget, { strict: false });
  const rules = { bytes: 4 * TASK_BYTES, patienceMs: PATIENCE_MS };
  Object.assign(budget, new AnswerBudget(rules));
  await hub.registerAgent(agent.url, { id: 'clerk' });
  idler = await hub.createKey({ name: 'idler', organization: 'idle' });
  other = await hub.createKey({ name: 'other', organization: 'busy' });
  idlersTask = await begun('go', idler);
  othersTask = await begun('go', other);
});

afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await eventually(() => expect(budget.held).toBe(0));
});

afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

async function execute(turn: AgentTurn): Promise<void> {
  const { text } = turn;
  turn.task();
  if (text === 'go') turn.artifact('large', 'x'.repeat(TASK_BYTES)).askForInput('And now?');
  else if (text === 'again') turn.working('Again.').askForInput('And now?');
  else {
    turn.working();
    await new Promise<void>((resolve) => given.set(turn.taskId, resolve));
    turn.artifact('late', 'y'.repeat(TASK_BYTES));
    await turn.untilCanceled();
  }
}

async function begun(text: string, key: string): Promise<string> {
  const params = {
    message: userMessage(text),
    configuration: { returnImmediately: text === 'later' },
  };
  const { task } = await hub.rpc('SendMessage', params, { key });
  return task.id as string;
}

/** A request on a connection of its own, of whose answer nothing is read. */
function unread(key: string, lines: readonly string[], json?: object): Socket {
  const socket = connect(Number(new URL(hub.url).port), '127.0.0.1');
  closers.push(() => socket.destroy());
  socket.on('error', () => undefined);
  const body = json === undefined ? '' : JSON.stringify(json);
  const head = [...lines, 'Host: hub', `Authorization: Bearer ${key}`];
  const length = json === undefined ? [] : [`Content-Length: ${body.length}`];
  socket.write([...head, ...length, '', body].join('\r\n'));
  return socket;
}

function unreadRpc(key: string, method: string, params: object, version: string): Socket {
  const lines = ['POST /a2a HTTP/1.1', 'Content-Type: application/json', `A2A-Version: ${version}`];
  return unread(key, lines, { jsonrpc: '2.0', id: 1, method, params });
}

/** A call over gRPC of which nothing is read. */
function unreadGrpc(key: string, path: string, message: Uint8Array): ClientHttp2Session {
  const session = connectHttp2(`http://${grpcTarget(hub)}`);
  session.on('error', () => undefined);
  closers.push(() => session.destroy());
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: `Bearer ${key}`,
  });
  stream.on('error', () => undefined);
  stream.end(Buffer.concat([prefix, message]));
  return session;
}

type Way = readonly [name: string, ask: (id: string, key: string) => void];

const WAYS: readonly Way[] = [
  ['JSON-RPC 1.0', (id, key) => void unreadRpc(key, 'SubscribeToTask', { id }, '1.0')],
  ['JSON-RPC 0.3', (id, key) => void unreadRpc(key, 'tasks/resubscribe', { id }, '0.3')],
  [
    'HTTP+JSON 1.0, with Last-Event-ID',
    (id, key) =>
      void unread(key, [
        `GET /a2a/tasks/${id}:subscribe HTTP/1.1`,
        'A2A-Version: 1.0',
        'Last-Event-ID: 0',
      ]),
  ],
  [
    'gRPC 1.0',
    (id, key) => {
      const { path, requestSerialize } = V1.subscribeToTask;
      unreadGrpc(key, path, requestSerialize({ tenant: '', id }));
    },
  ],
  [
    'gRPC 0.3',
    (id, key) => {
      const { path, requestSerialize } = V0.taskSubscription;
      unreadGrpc(key, path, requestSerialize({ name: `tasks/${id}` }));
    },
  ],
];

/** Reads the other's task as its stream begins; gives what has come last. */
async function subscribed(method: string, version: string): Promise<() => string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id: othersTask } });
  const headers = {
    'content-type': 'application/json',
    'a2a-version': version,
    authorization: `Bearer ${other}`,
  };
  let [bytes, newest] = [0, ''];
  const call = request(`${hub.url}/a2a`, { method: 'POST', headers, agent: false });
  closers.push(() => call.destroy());
  call.on('error', () => undefined);
  call.on('response', (answer) => {
    answer
      .on('error', () => undefined)
      .on('data', (piece: Buffer) => {
        bytes += piece.length;
        newest = piece.toString();
      });
  });
  call.end(body);
  await eventually(() => expect(bytes).toBeGreaterThan(TASK_BYTES), 20_000);
  return () => newest;
}

/** Asks in this way several times and reads nothing: that is bounded, and ends. */
async function isBounded(ask: () => void, meanwhile?: () => Promise<void>): Promise<void> {
  expect(budget.held).toBe(0);
  let most = 0;
  const look = setInterval(() => (most = Math.max(most, budget.held)), 5);
  for (let i = 0; i < READERS; i++) ask();
  await eventually(() => expect(budget.held).toBeGreaterThan(TASK_BYTES - 1), 20_000);
  const begin = performance.now();
  await meanwhile?.();
  await eventually(() => expect(budget.held).toBe(0), 30_000);
  clearInterval(look);
  expect(performance.now() - begin).toBeGreaterThan(PATIENCE_MS / 2);
  // One of the idler's and one of the other's at any time.
  expect(most).toBeLessThan((meanwhile ? 2.2 : 1.1) * TASK_BYTES);
}

describe('streams that begin with a large task, and that nobody reads', () => {
  it.each(WAYS)('have a bounded budget over %s, and are cut', async (_name, ask) => {
    await isBounded(
      () => ask(idlersTask, idler),
      // Another organization is served meanwhile.
      async () => {
        await subscribed('SubscribeToTask', '1.0');
      },
    );
  });

  it('count as well when they follow a message', async () => {
    const follow = (): void => {
      const message = { ...userMessage('again'), taskId: idlersTask };
      unreadRpc(idler, 'SendStreamingMessage', { message }, '1.0');
    };
    await isBounded(follow);
  });
});

describe('a stream whose reader has taken the large task', () => {
  /** Of the budget, meanwhile. */
  let most = 0;
  let look: NodeJS.Timeout;

  beforeEach(() => {
    most = 0;
    look = setInterval(() => (most = Math.max(most, budget.held)), 2);
  });

  afterEach(() => {
    clearInterval(look);
    expect(most).toBeGreaterThan(TASK_BYTES - 1);
  });

  it('holds nothing of it while it goes on, over HTTP', async () => {
    const newest = await subscribed('tasks/resubscribe', '0.3');
    await eventually(() => expect(budget.held).toBe(0));
    await followUp();
    await eventually(() => expect(newest()).toContain('"status-update"'), 10_000);
  });

  it('holds nothing of it while it goes on, over gRPC', async () => {
    const client = await GrpcClient.of(hub, { key: other });
    closers.push(() => client.close());
    const events: unknown[] = [];
    const stream = client.stream(V1.subscribeToTask, { tenant: '', id: othersTask });
    stream.on('data', (event) => events.push(event)).on('error', () => undefined);
    await eventually(() => expect(events).toHaveLength(1), 10_000);
    await eventually(() => expect(budget.held).toBe(0));
    await followUp();
    await eventually(() => expect(events.length).toBeGreaterThan(1), 10_000);
    stream.cancel();
  });

  async function followUp(): Promise<void> {
    const message = { ...userMessage('again'), taskId: othersTask };
    await hub.rpc('SendMessage', { message }, { key: other });
  }
});

describe('a large event of a stream that nobody reads', () => {
  it.each(WAYS.filter(([name]) => name.endsWith('1.0')))(
    'counts, and its reader is cut, over %s',
    async (_name, ask) => {
      given.clear();
      const id = await begun('later', idler);
      ask(id, idler);
      await eventually(() => expect(given.size).toBe(1), 10_000);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(budget.held).toBe(0);
      [...given.values()][0]!();
      await eventually(() => expect(budget.held).toBeGreaterThan(TASK_BYTES - 1), 20_000);
      await eventually(() => expect(budget.held).toBe(0), 30_000);
      await hub.rpc('CancelTask', { id }, { key: idler });
    },
  );
});

describe('when the budget stays used up', () => {
  let holds: { end(): void }[];

  beforeAll(async () => {
    const begin = Array.from({ length: 3 }, () => budget.begin(holder(crypto.randomUUID())));
    for (const hold of begin) await hold.take(TASK_BYTES + 3 * MIB);
    holds = begin;
  });

  afterEach(() => {
    for (const hold of holds) hold.end();
  });

  it('streams are refused, and say where to read when a message has been taken', async () => {
    const message = { ...userMessage('again'), taskId: othersTask };
    const client = await GrpcClient.of(hub, { key: other });
    closers.push(() => client.close());
    const failures = new Promise<{ code: number }>((resolve) => {
      const call = client.stream(V1.subscribeToTask, { tenant: '', id: othersTask });
      call.on('data', () => undefined).on('error', (error) => resolve(error as never));
    });
    const [subscribed, sent, overGrpc] = await Promise.all([
      hub.rpcRaw('SubscribeToTask', { id: othersTask }, { key: other }),
      hub.rpcRaw('SendStreamingMessage', { message }, { key: other }),
      failures,
    ]);
    expect(subscribed.text).toContain('too many large answers');
    expect(subscribed.text).not.toContain('xxxx');
    expect(sent.text).toContain(`The operation is done`);
    expect(sent.text).toContain(othersTask);
    expect(overGrpc.code).toBe(14);
  });
});

function holder(id: string): Parameters<AnswerBudget['begin']>[0] {
  return { id, organization: id, scopes: new Set() };
}
