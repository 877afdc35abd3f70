import { connect as connectHttp2 } from 'node:http2';
import { type Socket, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AnswerBudget } from '../../src/a2a/limits/answer-budget.js';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { GrpcClient, V1, grpcTarget } from '../support/grpc-client.js';

const MIB = 1024 * 1024;
/** More than a connection that nobody reads takes in. */
const TASK_BYTES = 14 * MIB;
const PATIENCE_MS = 2000;
/** Readers of one principal, each of which would hold a task. */
const READERS = 3;

let hub: Hub;
let agent: RunningAgent;
let budget: AnswerBudget;
/** One of an organization that never reads, one of another. */
let idler: string;
let other: string;
let idlersTask: string;
let othersTask: string;
const closers: (() => void)[] = [];

beforeAll(async () => {
  agent = await startSdkAgent({
    name: 'clerk',
    execute: (turn) => {
      turn.task().artifact('large', 'x'.repeat(TASK_BYTES)).complete();
    },
  });
  hub = await startHub({
    config: { grpc: { port: -1 }, routing: { defaultAgent: 'clerk' } },
  });
  budget = hub.app.get(AnswerBudget, { strict: false });
  const rules = { bytes: 4 * TASK_BYTES, patienceMs: PATIENCE_MS };
  Object.assign(budget, new AnswerBudget(rules));
  await hub.registerAgent(agent.url, { id: 'clerk' });
  idler = await hub.createKey({ name: 'idler', organization: 'idle' });
  other = await hub.createKey({ name: 'other', organization: 'busy' });
  idlersTask = await largeTask(idler);
  othersTask = await largeTask(other);
});

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

async function largeTask(key: string): Promise<string> {
  const { task } = await hub.rpc('SendMessage', { message: userMessage('go') }, { key });
  return task.id as string;
}

/** A request on a connection of its own, of whose answer nothing is read. */
function unread(lines: readonly string[], body = ''): Socket {
  const socket = connect(Number(new URL(hub.url).port), '127.0.0.1');
  closers.push(() => socket.destroy());
  socket.on('error', () => undefined);
  const head = [...lines, 'Host: hub', `Authorization: Bearer ${idler}`];
  const length = body === '' ? [] : [`Content-Length: ${body.length}`];
  socket.write([...head, ...length, '', body].join('\r\n'));
  return socket;
}

function unreadRpc(method: string, version: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id: idlersTask } });
  const lines = ['POST /a2a HTTP/1.1', 'Content-Type: application/json', `A2A-Version: ${version}`];
  unread(lines, body);
}

function unreadGrpc(): void {
  const session = connectHttp2(`http://${grpcTarget(hub)}`);
  session.on('error', () => undefined);
  closers.push(() => session.destroy());
  const message = V1.getTask.requestSerialize({ tenant: '', id: idlersTask });
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  const stream = session.request({
    ':method': 'POST',
    ':path': V1.getTask.path,
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: `Bearer ${idler}`,
  });
  stream.on('error', () => undefined);
  stream.end(Buffer.concat([prefix, message]));
}

const WAYS: readonly (readonly [string, () => void])[] = [
  ['JSON-RPC 1.0', () => unreadRpc('GetTask', '1.0')],
  ['JSON-RPC 0.3', () => unreadRpc('tasks/get', '0.3')],
  [
    'HTTP+JSON 1.0',
    () => void unread([`GET /a2a/tasks/${idlersTask} HTTP/1.1`, 'A2A-Version: 1.0']),
  ],
  ['HTTP+JSON 0.3', () => void unread([`GET /a2a/v1/tasks/${idlersTask} HTTP/1.1`])],
  ['gRPC', unreadGrpc],
];

describe('large answers that nobody reads', () => {
  it.each(WAYS)('have a bounded room over %s, and end', async (_name, ask) => {
    expect(budget.held).toBe(0);
    let most = 0;
    const look = setInterval(() => (most = Math.max(most, budget.held)), 5);
    for (let i = 0; i < READERS; i++) ask();
    await eventually(() => expect(budget.held).toBeGreaterThan(TASK_BYTES - 1), 10_000);
    const begun = performance.now();

    // Another organization is answered meanwhile, over HTTP and gRPC.
    const { artifacts } = await hub.rpc('GetTask', { id: othersTask }, { key: other });
    expect(artifacts[0].parts[0].text).toHaveLength(TASK_BYTES);
    const client = await GrpcClient.of(hub, { key: other });
    closers.push(() => client.close());
    const task = await client.call(V1.getTask, { tenant: '', id: othersTask });
    expect(task.artifacts[0]!.parts[0]!.content).toMatchObject({ value: expect.any(String) });

    // The idler has its share still: one answer, until its reader is cut.
    expect(budget.held).toBeGreaterThan(TASK_BYTES - 1);
    await eventually(() => expect(budget.held).toBe(0), 30_000);
    clearInterval(look);
    expect(performance.now() - begun).toBeGreaterThan(PATIENCE_MS / 2);
    // One answer of the idler's and one of the other's at any time.
    expect(most).toBeLessThan(2.1 * TASK_BYTES);
  });

  it('are refused with Retry-After when there is no room after a while', async () => {
    const holds = Array.from({ length: 3 }, () => budget.begin(holder(crypto.randomUUID())));
    for (const hold of holds) await hold.take(TASK_BYTES + 3 * MIB);
    const answer = await hub.get(`/a2a/tasks/${othersTask}`, { key: other });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
    for (const hold of holds) hold.end();
    expect((await hub.get(`/a2a/tasks/${othersTask}`, { key: other })).status).toBe(200);
    await eventually(() => expect(budget.held).toBe(0));
  });
});

function holder(id: string): Parameters<AnswerBudget['begin']>[0] {
  return { id, organization: id, scopes: new Set() };
}
