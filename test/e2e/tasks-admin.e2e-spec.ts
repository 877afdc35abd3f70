import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';

let hub: Hub;
let agent: RunningAgent;

beforeAll(async () => {
  [hub, agent] = await Promise.all([
    startHub(),
    startSdkAgent({
      execute: (turn) => void turn.task().working().artifact('r', turn.text).complete(),
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
