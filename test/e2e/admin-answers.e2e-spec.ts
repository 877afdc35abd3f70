import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AnswerBudget } from '../../src/a2a/limits/answer-budget.js';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';

const MIB = 1024 * 1024;
const CHUNK = 3 * MIB;
const CHUNKS = 5;
const PATIENCE_MS = 2000;

let hub: Hub;
let agent: RunningAgent;
let budget: AnswerBudget;
let taskId: string;
let key: string;

beforeAll(async () => {
  agent = await startSdkAgent({
    name: 'clerk',
    execute: (turn) => {
      turn.task();
      for (let n = 0; n < CHUNKS; n++) turn.artifact(`large ${n}`, 'x'.repeat(CHUNK));
      turn.complete();
    },
  });
  hub = await startHub({ config: { routing: { defaultAgent: 'clerk' } } });
  budget = hub.app.get(AnswerBudget, { strict: false });
  Object.assign(budget, new AnswerBudget({ bytes: 64 * MIB, patienceMs: PATIENCE_MS }));
  await hub.registerAgent(agent.url, { id: 'clerk' });
  key = await hub.createKey({ organization: 'large', scopes: ['a2a', 'tasks:organization'] });
  const { task } = await hub.rpc('SendMessage', { message: userMessage('go') }, { key });
  taskId = task.id as string;
});
afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

/** Takes nearly all there is; gives it back. */
async function full(): Promise<() => void> {
  const holds = Array.from({ length: 4 }, () => {
    const id = crypto.randomUUID();
    return budget.begin({ id, organization: id, scopes: new Set() });
  });
  for (const hold of holds) await hold.take(15 * MIB);
  return () => holds.forEach((hold) => hold.end());
}

describe('large answers of the admin API', () => {
  it('show the newest events of a large task, as many as have 8 MiB', async () => {
    const { status, body } = await hub.admin('GET', `/api/v1/tasks/${taskId}`, undefined, key);
    expect(status).toBe(200);
    const events = body.events as JsonObject[];
    const seqs = events.map(({ seq }) => Number(seq));
    expect(seqs).toEqual(seqs.map((_, index) => seqs[0]! + index));
    const { kind } = events.at(-1)!;
    expect(kind).toBe('status');
    const text = JSON.stringify(body);
    expect(text.length).toBeGreaterThan(2 * CHUNK);
    expect(text.length).toBeLessThan(9 * MIB);
    await eventually(() => expect(budget.held).toBe(0));
  });

  it.each([
    ['a task', () => `/api/v1/tasks/${taskId}`],
    ['the content of a task', () => `/api/v1/tasks/${taskId}/content`],
  ])('wait for the budget before they are made, and are refused without: %s', async (_, path) => {
    const free = await full();
    const answer = await hub.admin('GET', path());
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
    free();
    expect((await hub.admin('GET', path())).status).toBe(200);
    await eventually(() => expect(budget.held).toBe(0));
  });

  it('are not lists of large tasks: they have no contents, and are there when the budget is used up', async () => {
    const free = await full();
    const { status, body } = await hub.admin('GET', '/api/v1/tasks');
    free();
    expect(status).toBe(200);
    expect(body.items).toMatchObject([{ id: taskId }]);
    expect(JSON.stringify(body).length).toBeLessThan(10_000);
  });

  it('keep their budget until their reader has them, and end when it takes nothing', async () => {
    const sockets = Array.from({ length: 4 }, () => {
      const socket = connect(Number(new URL(hub.url).port), '127.0.0.1');
      socket.on('error', () => undefined).pause();
      socket.write(
        `GET /api/v1/tasks/${taskId} HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      );
      return socket;
    });
    let most = 0;
    const look = setInterval(() => (most = Math.max(most, budget.held)), 5);
    await eventually(() => expect(budget.held).toBeGreaterThan(CHUNK), 10_000);
    // An answer of another organization is made meanwhile.
    expect((await hub.admin('GET', `/api/v1/tasks/${taskId}`)).status).toBe(200);
    await eventually(() => expect(budget.held).toBe(0), 40_000);
    clearInterval(look);
    expect(most).toBeLessThan(40 * MIB);
    for (const socket of sockets) socket.destroy();
  });
});
