import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

let hub: Hub;
let agent: ScriptedAgent;

beforeAll(async () => {
  [hub, agent] = await Promise.all([startHub(), ScriptedAgent.start({ live: { manual: true } })]);
  await hub.registerAgent(agent.url, { id: 'scripted' });
});

afterAll(async () => {
  await hub.close();
  await agent.close();
});

const create = (fields: object) =>
  hub.admin('POST', '/api/v1/keys', { name: 'nightly import', ...fields });
const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();
const go = { message: { metadata: { agentId: 'scripted' } } };

describe('a key', () => {
  it('says when it was used last', async () => {
    const { body: key } = await create({});
    expect(key.lastUsedAt).toBeNull();
    await hub.rpcRaw('ListTasks', {}, { key: key.key });
    await eventually(async () => {
      const { items } = (await hub.admin('GET', '/api/v1/keys')).body;
      const { lastUsedAt } = items.find(({ id }: { id: string }) => id === key.id);
      expect(Math.abs(Date.parse(lastUsedAt) - Date.now())).toBeLessThan(60_000);
    }, 10_000);
  });

  it.each(['2020-01-01T00:00:00Z', 'tomorrow', '2999-01-01T00:00:00', 7])(
    'cannot expire at %j',
    async (expiresAt) => {
      const { status, body } = await create({ expiresAt });
      expect(status).toBe(400);
      expect(body.errors[0]).toMatchObject({ field: 'expiresAt' });
    },
  );

  it.each([
    '20270101',
    '2027W05',
    '2027-W05',
    '+2027-01-31T12:00:00',
    '20270101T000000Z',
    '2027-01',
  ])(
    'has no end at %j, which is no time that is read, and keeps the one it has',
    async (expiresAt) => {
      const refused = await create({ expiresAt });
      expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([400, 'expiresAt']);
      for (const scopes of [['a2a'], ['admin']]) {
        const { body: key } = await create({ expiresAt: soon(600_000), scopes });
        const path = `/api/v1/keys/${key.id}`;
        expect((await hub.admin('PATCH', path, { expiresAt })).status).toBe(400);
        expect((await hub.admin('POST', `${path}:rotate`, { expiresAt })).status).toBe(400);
        const { items } = (await hub.admin('GET', '/api/v1/keys?limit=200')).body;
        expect(items.find(({ id }: { id: string }) => id === key.id).expiresAt).toBe(key.expiresAt);
      }
    },
  );

  it('is refused with that reason once it has expired, and its open calls end', async () => {
    const expiresAt = soon(2500);
    const { status, body: key } = await create({ expiresAt });
    expect([status, key.expiresAt]).toEqual([201, expiresAt]);
    const task = await hub.submit('go', go, { key: key.key });
    const stream = await hub.stream('SubscribeToTask', { id: task['id'] }, { key: key.key });
    const events = await stream.collect(15_000);
    expect(events.at(-1)?.error?.['message']).toContain('has expired');
    const answer = await hub.get('/a2a/tasks', { key: key.key });
    expect(answer.status).toBe(401);
    expect(answer.text).toContain(`The API key has expired (${expiresAt})`);
  });

  it('is named by the tasks it has begun', async () => {
    const { body: key } = await create({});
    const task = await hub.submit('go', go, { key: key.key });
    const path = `/api/v1/tasks/${String(task['id'])}`;
    const named = { key: { id: key.id, name: 'nightly import' } };
    expect((await hub.admin('GET', path)).body).toMatchObject(named);
    const { items } = (await hub.admin('GET', `/api/v1/tasks?principalId=${key.principalId}`)).body;
    expect(items).toEqual([expect.objectContaining(named)]);
    expect((await hub.admin('POST', `${path}:cancel`, {})).body).toMatchObject(named);
    const own = await hub.submit('go', go, { key: hub.adminKey });
    const shown = await hub.admin('GET', `/api/v1/tasks/${String(own['id'])}`);
    expect(shown.body).toMatchObject({ key: null });
  });
});
