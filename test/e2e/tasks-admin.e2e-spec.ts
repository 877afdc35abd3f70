import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';
import { LogLines } from '../support/log-lines.js';

let hub: Hub;
let agent: RunningAgent;
const log = new LogLines();
/** What the log says of operators' acts on a task. */
const acts = (taskId: unknown) =>
  log.of('an operator acted on a task').filter((fields) => fields['taskId'] === taskId);

beforeAll(async () => {
  [hub, agent] = await Promise.all([
    startHub({ providers: log.providers }),
    startSdkAgent({
      execute: async (turn) => {
        if (turn.text === 'ask') return void turn.task().askForInput('What?');
        turn.task().working();
        if (turn.text === 'wait') await turn.pause(30_000);
        else turn.artifact('r', turn.text).complete();
      },
    }),
  ]);
  await hub.registerAgent(agent.url, { id: 'worker' });
});
afterAll(async () => {
  await Promise.all([hub?.close(), agent?.close()]);
});

async function send(text: string, key?: string): Promise<JsonObject> {
  const params = { message: { metadata: { agentId: 'worker' } } };
  const answer = await hub.send(text, params, key === undefined ? {} : { key });
  return answer['task'] as JsonObject;
}

describe('the admin API of tasks', () => {
  it('lists tasks of everybody to the admin, page by page', async () => {
    const mine = await send('one');
    const theirs = await send('two', await hub.createKey({ organization: 'others' }));
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const path: string = `/api/v1/tasks?limit=1${cursor && `&cursor=${cursor}`}`;
      const { body } = await hub.admin('GET', path);
      seen.push(...(body.items as JsonObject[]).map(({ id }) => String(id)));
      cursor = body.nextCursor as string | null;
    }
    expect(seen).toEqual([theirs['id'], mine['id']]);
  });

  it('shows an organization its own tasks only', async () => {
    const key = await hub.createKey({
      organization: 'third',
      scopes: ['a2a', 'tasks:organization'],
    });
    const other = await hub.createKey({ organization: 'third' });
    const task = await send('three', other);
    const { body } = await hub.admin('GET', '/api/v1/tasks', undefined, key);
    expect((body.items as JsonObject[]).map(({ id }) => id)).toEqual([task['id']]);
    const stranger = await send('four');
    expect(
      (await hub.admin('GET', `/api/v1/tasks/${String(stranger['id'])}`, undefined, key)).status,
    ).toBe(404);
  });

  it('shows a task with its route, its delegations and its events', async () => {
    const task = await send('five');
    const { status, body } = await hub.admin('GET', `/api/v1/tasks/${String(task['id'])}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: task['id'],
      state: 'completed',
      route: { strategy: 'one', chosen: [{ agentId: 'worker' }] },
      delegations: [
        {
          agentId: 'worker',
          state: 'completed',
          claims: 1,
          calls: 1,
          position: 0,
          step: 0,
          stepName: 'task',
          attempts: [],
        },
      ],
    });
    const { createdAt, queuedAt, sentAt, answeredAt, endedAt } = body.delegations[0] as JsonObject;
    const times = [createdAt, queuedAt, sentAt, answeredAt, endedAt];
    expect(times).toEqual(times.toSorted());
    expect(times.filter((time) => Number.isNaN(Date.parse(String(time))))).toEqual([]);
    const kinds = (body.events as JsonObject[]).map(({ kind }) => kind);
    expect(kinds.slice(0, 2)).toEqual(['task', 'message']);
    expect(body.events.at(-1).body).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
  });

  it('filters by state, context, agent, organization, principal and time', async () => {
    const task = await send('six');
    const count = async (query: string): Promise<number> =>
      ((await hub.admin('GET', `/api/v1/tasks?${query}`)).body.items as unknown[]).length;
    expect(await count(`contextId=${String(task['contextId'])}&state=completed`)).toBe(1);
    expect(await count('state=working')).toBe(0);
    expect(await count('agentId=nobody')).toBe(0);
    expect(await count('statusAfter=2999-01-01T00:00:00Z')).toBe(0);
    expect(await count('statusBefore=2000-01-01T00:00:00Z')).toBe(0);
    const own = `contextId=${String(task['contextId'])}`;
    expect(await count(`${own}&organization=tests`)).toBe(1);
    expect(await count(`${own}&organization=others`)).toBe(0);
    expect(await count(`${own}&principalId=nobody`)).toBe(0);
  });

  it('refuses unknown members, bad values, forged cursors and keys without the scope', async () => {
    for (const query of [
      'state=odd',
      'limit=0',
      'unknown=1',
      'statusAfter=soon',
      'statusBefore=soon',
      `organization=${'x'.repeat(201)}`,
      'cursor=forged',
    ]) {
      const answer = await hub.admin('GET', `/api/v1/tasks?${query}`);
      expect([query, answer.status]).toEqual([query, 400]);
    }
    expect((await hub.admin('GET', '/api/v1/tasks', undefined, await hub.key())).status).toBe(403);
    expect((await hub.admin('GET', '/api/v1/tasks/unknown')).status).toBe(404);
  });
});

describe('operators and one task of somebody else', () => {
  const admin = (method: string, path: string, body?: unknown, key?: string) =>
    hub.admin(method, `/api/v1/tasks/${path}`, body, key);

  it('read all of it', async () => {
    const task = await send('read me', await hub.createKey({ organization: 'readers' }));
    const id = String(task['id']);
    const { status, body } = await admin('GET', `${id}/content`);
    expect(status).toBe(200);
    expect(body.task).toMatchObject({
      id,
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: 'read me' }] }],
    });
    const own = await hub.createKey({ organization: 'readers', scopes: ['tasks:organization'] });
    expect((await admin('GET', `${id}/content`, undefined, own)).status).toBe(403);
    expect((await admin('GET', 'unknown/content')).status).toBe(404);
    expect(acts(id)).toMatchObject([{ act: 'read', by: 'admin', outcome: 'done' }]);
    expect(acts('unknown')).toMatchObject([{ outcome: 'refused', refusal: 'TASK_NOT_FOUND' }]);
  });

  it('cancel it, and say so and why, but not to the agent', async () => {
    const key = await hub.createKey({ organization: 'waiters' });
    const message = { metadata: { agentId: 'worker' } };
    const { id } = await hub.submit('wait', { message }, { key });
    await hub.waitForTask(String(id), 'TASK_STATE_WORKING', 10_000, { key });
    const operator = await hub.createKey({ scopes: ['admin'], name: 'on duty' });
    const { status, body } = await admin(
      'POST',
      `${String(id)}:cancel`,
      { reason: 'It is stuck.' },
      operator,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      state: 'canceled',
      canceledBy: { reason: 'It is stuck.', keyId: operator.split('_')[1] },
    });
    expect(agent.turns.at(-1)!.canceled.signal.aborted).toBe(true);
    expect(JSON.stringify(agent.calls)).not.toContain('It is stuck.');
    const again = await admin('POST', `${String(id)}:cancel`, undefined, operator);
    expect(again.status).toBe(409);
    const by = { act: 'cancel', by: expect.any(String), withKey: operator.split('_')[1] };
    expect(acts(id)).toMatchObject([
      { ...by, reason: 'It is stuck.', outcome: 'done', state: 'TASK_STATE_CANCELED' },
      { ...by, outcome: 'refused', refusal: 'TASK_NOT_CANCELABLE', why: expect.any(String) },
    ]);
  });

  it('cancel what no agent works on, in their words', async () => {
    const key = await hub.createKey({ organization: 'askers' });
    const task = await send('ask', key);
    const id = String(task['id']);
    const { body } = await admin('POST', `${id}:cancel`, { reason: 'Nobody answers.' });
    expect(body).toMatchObject({ state: 'canceled', canceledBy: { keyId: null } });
    const seen = (await hub.rpc('GetTask', { id }, { key })) as JsonObject;
    expect(seen['status'].message.parts).toMatchObject([
      { text: 'Canceled by an operator: Nobody answers.' },
    ]);
    expect((await admin('POST', `${id}:cancel`, { reason: '' })).status).toBe(400);
  });

  it('retry it: a new task of the same owner that names the old one', async () => {
    const key = await hub.createKey({ organization: 'retriers' });
    const old = await send('once more', key);
    const id = String(old['id']);
    const { status, body } = await admin('POST', `${id}:retry`);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      contextId: old['contextId'],
      organization: 'retriers',
      delegations: [{ agentId: 'worker' }],
      retryOf: { taskId: id, by: { keyId: null } },
    });
    const newId = String(body.id);
    expect(newId).not.toBe(id);
    const done = await hub.waitForTask(newId, 'TASK_STATE_COMPLETED', 10_000, { key });
    expect(done).toMatchObject({
      artifacts: [{ parts: [{ text: 'once more' }] }],
      metadata: { 'urn:a2a-hub:routing:v1': { retryOf: id } },
    });
    expect(JSON.stringify(agent.turns.at(-1)!.context.userMessage)).not.toContain(id);

    expect(acts(id)).toMatchObject([{ act: 'retry', outcome: 'done', newTaskId: newId }]);
    const read = async (task: string): Promise<unknown> => {
      const { body: shown } = await hub.admin('GET', `/api/v1/tasks/${task}`);
      return shown['retriedAs'];
    };
    expect(body['retriedAs']).toBeNull();
    expect([await read(id), await read(newId)]).toEqual([newId, null]);
    const listed = await hub.admin('GET', '/api/v1/tasks?organization=retriers');
    expect(
      (listed.body['items'] as JsonObject[]).map((each) => [each['id'], each['retriedAs']]),
    ).toEqual([
      [newId, null],
      [id, newId],
    ]);
    // A client makes no task one that was retried, not even its own, by whatever it sends.
    const retry = { taskId: newId, by: { principalId: 'x', keyId: null } };
    const metadata = { 'urn:a2a-hub:routing:v1': { agentId: 'worker', retry } };
    await expect(hub.submit('mine', { metadata }, { key })).rejects.toThrow(/retry/);
    expect(await read(newId)).toBeNull();
    const second = await admin('POST', `${newId}:retry`);
    expect(await read(newId)).toBe(second.body.id);
    // Retried once more it names the newest.
    await hub.waitForTask(String(second.body.id), 'TASK_STATE_COMPLETED', 10_000, { key });
    const third = await admin('POST', `${id}:retry`);
    expect(third.body.id).not.toBe(newId);
    expect(await read(id)).toBe(third.body.id);
    expect(second.body).toMatchObject({ retryOf: { taskId: newId } });
    expect((await admin('POST', 'unknown:retry')).status).toBe(404);
    expect((await admin('POST', `${id}:retry`, undefined, key)).status).toBe(403);
  });

  it('retry what has ended only, and twice at once as one', async () => {
    const key = await hub.createKey({ organization: 'doublers' });
    const message = { metadata: { agentId: 'worker' } };
    const { id } = await hub.submit('wait', { message }, { key });
    expect((await admin('POST', `${String(id)}:retry`)).status).toBe(409);
    await admin('POST', `${String(id)}:cancel`);
    const both = await Promise.all([1, 2].map(() => admin('POST', `${String(id)}:retry`)));
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    expect(both[0]!.body.id).toBe(both[1]!.body.id);
    await admin('POST', `${String(both[0]!.body.id)}:cancel`);
  });
});
