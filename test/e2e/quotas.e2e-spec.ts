import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import type { ConfigOverrides } from '../../src/config/index.js';
import type { DataSource } from 'typeorm';
import { Database, type DiskSpace } from '../../src/database/database.js';
import { DiskWatch } from '../../src/database/disk-watch.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { WebhookSink } from '../support/webhook-sink.js';

/** Asks for more, or holds until it may go on, when told to; completes at once otherwise. */
const held: (() => void)[] = [];
let agent: RunningAgent;
const hubs: Hub[] = [];

beforeAll(async () => {
  agent = await startSdkAgent({
    execute: async (turn) => {
      turn.task();
      if (turn.text.startsWith('wait')) return void turn.askForInput('and?');
      turn.working();
      if (turn.text === 'hold') {
        await new Promise<void>((go) => held.push(go));
        turn.artifact('large', 'y'.repeat(200_000));
      }
      turn.artifact('r', turn.text).complete();
    },
  });
});
afterAll(async () => {
  await Promise.all([...hubs.map((hub) => hub.close()), agent?.close()]);
});

async function hubWith(
  quotas: ConfigOverrides['quotas'],
  rest: ConfigOverrides = {},
): Promise<Hub> {
  const hub = await startHub({ config: { ...rest, quotas } });
  hubs.push(hub);
  await hub.registerAgent(agent.url, { id: 'worker' });
  return hub;
}

async function taskOf(hub: Hub, text: string, key: string, more: object = {}): Promise<JsonObject> {
  const message = { metadata: { agentId: 'worker' }, ...more };
  return (await hub.send(text, { message }, { key }))['task'] as JsonObject;
}

const rpc = (hub: Hub, key: string, body: object): Promise<Response> =>
  fetch(`${hub.url}/a2a`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'a2a-version': '1.0',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  });
const message = (text: string): object => ({
  messageId: text.slice(0, 50),
  role: 'ROLE_USER',
  parts: [{ text }],
  metadata: { agentId: 'worker' },
});
const sendBody = (text: string): object => ({
  method: 'SendMessage',
  params: { message: message(text) },
});

describe('quotas', () => {
  it('of a task that an operator retries is said to be that of its owner', async () => {
    const hub = await hubWith({ principal: { openTasks: 1 } });
    const key = await hub.createKey();
    const { id } = await taskOf(hub, 'done', key);
    await hub.admin('POST', `/api/v1/tasks/${String(id)}:cancel`);
    await taskOf(hub, 'wait', key);
    const { status, body } = await hub.admin('POST', `/api/v1/tasks/${String(id)}:retry`);
    expect(status).toBe(429);
    expect(body.detail).toMatch(
      /^The retry would be a task of the principal .+ It says: The quota /,
    );
    expect(body.metadata).toMatchObject({ quota: 'principal.openTasks' });
  });

  it('refuses one task too many at each binding, and goes on for others', async () => {
    const hub = await hubWith({ principal: { openTasks: 1 } });
    const [key, other] = [await hub.createKey(), await hub.createKey()];
    const waiting = await taskOf(hub, 'wait', key);
    const refused = await rpc(hub, key, sendBody('one more'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    expect(await refused.json()).toMatchObject({
      error: {
        code: -31429,
        message: expect.stringContaining('you have 1 open tasks of 1'),
        data: [{ reason: 'QUOTA_EXCEEDED', metadata: { quota: 'principal.openTasks' } }],
      },
    });
    const rest = await fetch(`${hub.url}/a2a/message:send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: message('by REST') }),
    });
    expect([rest.status, rest.headers.get('retry-after')]).toEqual([429, '10']);
    expect(await rest.json()).toMatchObject({ error: { status: 'RESOURCE_EXHAUSTED' } });
    expect(await taskOf(hub, 'theirs', other)).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
    });
    // A further message ends the one that is open; then there is room.
    await taskOf(hub, 'go on', key, { taskId: waiting['id'] });
    expect(await taskOf(hub, 'next', key)).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
    });
    const metrics = await (await fetch(`${hub.url}/metrics`)).text();
    expect(metrics).toContain('a2a_hub_quota_refusals_total{quota="principal.openTasks"} 2');
  });

  it('answers the repetition of a request that has begun a task, although the quota is used up', async () => {
    const hub = await hubWith({ principal: { openTasks: 1 } });
    const key = await hub.createKey();
    const bodies = [];
    for (let sent = 0; sent < 2; sent++) {
      const answer = await rpc(hub, key, sendBody('wait'));
      bodies.push(((await answer.json()) as { result: { task: JsonObject } }).result.task['id']);
    }
    expect(bodies[0]).toBeDefined();
    expect(bodies[1]).toBe(bodies[0]);
  });

  it('bounds what one principal stores, and tells the operator who has how much', async () => {
    const hub = await hubWith({ principal: { storedBytes: 400_000 } });
    const key = await hub.createKey({ organization: 'greedy' });
    const text = 'x'.repeat(50_000);
    const sent: JsonObject[] = [];
    let refused: Response | undefined;
    for (let count = 0; count < 20 && refused === undefined; count++) {
      const answer = await rpc(hub, key, sendBody(`${count}${text}`));
      if (answer.status === 429) refused = answer;
      else sent.push(((await answer.json()) as { result: { task: JsonObject } }).result.task);
    }
    expect(refused?.headers.get('retry-after')).toBeNull();
    expect(await refused?.json()).toMatchObject({
      error: { data: [{ metadata: { quota: 'principal.storedBytes' } }] },
    });
    const { body } = await hub.admin('GET', '/api/v1/usage/organizations?limit=200');
    const greedy = (body.items as JsonObject[]).find((each) => each['organization'] === 'greedy');
    const { storedBytes, tasksToday } = greedy!['usage'] as Record<string, number>;
    expect(tasksToday).toBe(sent.length);
    expect(storedBytes).toBeGreaterThanOrEqual(400_000);
    expect(storedBytes).toBeLessThan(800_000);
    const { body: principals } = await hub.admin(
      'GET',
      '/api/v1/usage/organizations/greedy/principals',
    );
    expect(principals.items).toMatchObject([
      { usage: { storedBytes }, limits: { storedBytes: 400_000, tasksPerDay: null } },
    ]);
    const { body: all } = await hub.admin('GET', '/api/v1/usage');
    expect((all.disk as JsonObject)['isLow']).toBe(false);
    expect((await hub.admin('GET', '/api/v1/usage', undefined, key)).status).toBe(403);
    for (const path of ['usage', 'usage/organizations', 'signing-keys', 'secrets']) {
      const answer = await hub.admin('GET', `/api/v1/${path}?organisation=greedy`);
      expect([path, answer.status, answer.body['errors']]).toEqual([
        path,
        400,
        [{ field: 'organisation', description: expect.stringContaining('is not known here') }],
      ]);
    }
    // Deleting makes room.
    for (const { id } of sent) {
      const answer = await hub.admin('DELETE', `/api/v1/tasks/${String(id)}`, undefined, key);
      expect(answer.status).toBe(204);
    }
    expect(await taskOf(hub, 'small', key)).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
    });
  });

  it('still knows after a restart', async () => {
    const first = await hubWith({ principal: { openTasks: 1 } });
    const key = await first.createKey();
    await taskOf(first, 'wait', key);
    await first.disconnect();
    await first.app.close();
    hubs.pop();
    const config = { quotas: { principal: { openTasks: 1 } } };
    const next = await startHub({ databaseUrl: first.databaseUrl, config });
    hubs.unshift(next);
    expect((await rpc(next, key, sendBody('again'))).status).toBe(429);
  });
});

describe('a disk that is almost full', () => {
  it('refuses new tasks and messages, while open ones can be read, canceled and deleted', async () => {
    const hub = await hubWith({});
    const key = await hub.createKey();
    const waiting = await taskOf(hub, 'wait', key);
    const disk = hub.app.get<{
      database: { diskSpace(): Promise<DiskSpace | null> };
      look(): Promise<void>;
    }>(DiskWatch);
    const { database } = disk;
    disk.database = { diskSpace: () => Promise.resolve({ free: 1, reusable: 0, used: 0 }) };
    await disk.look();
    const refused = await rpc(hub, key, sendBody('one more'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    expect(JSON.stringify(await refused.json())).toContain('disk of the hub is almost full');
    const further = {
      method: 'SendMessage',
      params: { message: { ...message('go'), taskId: waiting['id'] } },
    };
    expect((await rpc(hub, key, further)).status).toBe(503);
    const ready = await fetch(`${hub.url}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', disk: 'low' }]);
    const cancel = await rpc(hub, key, { method: 'CancelTask', params: { id: waiting['id'] } });
    expect(JSON.stringify(await cancel.json())).toContain('TASK_STATE_CANCELED');
    disk.database = database;
    await disk.look();
    expect((await rpc(hub, key, sendBody('and now'))).status).toBe(200);
  });
});

describe('a disk that is full', () => {
  it('loses no running task: it goes on once there is room', async () => {
    const hub = await hubWith({}, { tasks: { leaseMs: 1000 } });
    const key = await hub.createKey();
    const database = hub.app.get<{ dataSource: DataSource }>(Database);
    const pages = (max: number): Promise<unknown> =>
      database.dataSource.query(`PRAGMA max_page_count = ${max}`);
    const sent = await rpc(hub, key, {
      method: 'SendMessage',
      params: { message: message('hold'), configuration: { returnImmediately: true } },
    });
    const { id } = ((await sent.json()) as { result: { task: JsonObject } }).result.task;
    await eventually(() => Promise.resolve(expect(held).toHaveLength(1)));
    // Fewer than it has: it may not grow.
    await pages(1);
    held.pop()!();
    const stuck = await rpc(hub, key, sendBody('x'.repeat(100_000)));
    expect(stuck.status).toBe(503);
    const state = async (): Promise<unknown> => {
      const answer = await rpc(hub, key, { method: 'GetTask', params: { id } });
      return ((await answer.json()) as { result: JsonObject }).result['status'];
    };
    expect(JSON.stringify(await state())).not.toContain('COMPLETED');
    await pages(1_000_000);
    await eventually(
      async () => expect(await state()).toMatchObject({ state: 'TASK_STATE_COMPLETED' }),
      15_000,
    );
    expect((await rpc(hub, key, sendBody('and now'))).status).toBe(200);
  });
});

describe('DELETE of a task', () => {
  let hub: Hub;
  beforeAll(async () => {
    hub = await hubWith({});
  });
  const remove = (id: unknown, key?: string, query = '') =>
    hub.admin('DELETE', `/api/v1/tasks/${String(id)}${query}`, undefined, key);

  it('is for its owner and for operators; to a stranger it does not exist', async () => {
    const owner = await hub.createKey({ organization: 'ours' });
    const colleague = await hub.createKey({ organization: 'ours' });
    const operator = await hub.createKey({
      organization: 'ours',
      scopes: ['a2a', 'tasks:organization'],
    });
    const stranger = await hub.createKey({
      organization: 'theirs',
      scopes: ['a2a', 'tasks:organization'],
    });
    const ids: unknown[] = [];
    for (const text of ['one', 'two', 'three']) ids.push((await taskOf(hub, text, owner))['id']);
    const unknown = await remove('no-such-task', stranger);
    for (const key of [colleague, stranger]) {
      const answer = await remove(ids[0], key);
      expect(answer.status).toBe(404);
      expect(JSON.stringify(answer.body)).toBe(
        JSON.stringify(unknown.body).replace('no-such-task', String(ids[0])),
      );
    }
    const push = await hub.createKey({ organization: 'ours', scopes: ['push'] });
    expect((await remove(ids[0], push)).status).toBe(403);
    for (const [at, key] of [owner, operator, undefined].entries()) {
      expect((await remove(ids[at], key)).status).toBe(204);
      const get = await rpc(hub, owner, { method: 'GetTask', params: { id: ids[at] } });
      expect(JSON.stringify(await get.json())).toContain('TASK_NOT_FOUND');
      expect((await remove(ids[at], key)).status).toBe(404);
    }
  });

  it('refuses one that has not ended', async () => {
    const key = await hub.createKey();
    const { id } = await taskOf(hub, 'wait', key);
    const refused = await remove(id, key);
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('cancel it first') },
    });
    expect((await remove(id, key, '?force=true')).status).toBe(409);
    await rpc(hub, key, { method: 'CancelTask', params: { id } });
    await eventually(async () => expect((await remove(id, key)).status).toBe(204));
  });

  it('keeps one whose webhooks have not been told everything, unless it is forced', async () => {
    const key = await hub.createKey({ scopes: ['a2a', 'push'] });
    const sink = await WebhookSink.start();
    sink.answer = 503;
    const params = {
      message: message('to be told'),
      configuration: { taskPushNotificationConfig: { url: sink.url() } },
    };
    const sent = await rpc(hub, key, { method: 'SendMessage', params });
    const { result } = (await sent.json()) as { result: { task: JsonObject } };
    const { id } = result.task;
    const refused = await remove(id, key);
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('?force=true') },
    });
    expect((await remove(id, key, '?force=true')).status).toBe(204);
    const list = await hub.admin('GET', `/api/v1/push/deliveries?taskId=${String(id)}`);
    expect(list.body.items).toEqual([]);
    await sink.close();
  });
});
