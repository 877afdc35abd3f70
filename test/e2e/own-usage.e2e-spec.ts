import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';

const PATH = '/api/v1/usage/me';

let hub: Hub;
let agent: RunningAgent;

beforeAll(async () => {
  const limits = { prices: [{ unit: 'EUR', perTask: 2 }] };
  const quotas = {
    organization: { openTasks: 0, storedBytes: 10_000_000 },
    principal: { openTasks: 0, storedBytes: 0 },
  };
  [hub, agent] = await Promise.all([
    startHub({ config: { limits, quotas } }),
    startSdkAgent({
      skills: [{ id: 'ask' }],
      execute: (turn) => {
        turn.task();
        if (turn.text === 'wait') turn.askForInput('and?');
        else turn.artifact('r', turn.text).complete();
        return Promise.resolve();
      },
    }),
  ]);
  await hub.registerAgent(agent.url, { id: 'open' });
  await hub.registerAgent(agent.url, { id: 'theirs', organizations: ['other'] });
});
afterAll(() => Promise.all([hub?.close(), agent?.close()]));

/** The key of a new principal with `a2a` alone, and its id. */
async function caller(organization: string): Promise<{ key: string; principal: string }> {
  const { body } = await hub.admin('POST', '/api/v1/keys', {
    ...{ name: 'own', organization, scopes: ['a2a'] },
  });
  return { key: body.key, principal: body.principalId };
}

async function put(id: string, limit: JsonObject): Promise<void> {
  expect((await hub.admin('PUT', `/api/v1/limits/${id}`, limit)).status).toBe(201);
}

async function own(key: string, query = ''): Promise<JsonObject[]> {
  const { status, body } = await hub.admin('GET', `${PATH}${query}`, undefined, key);
  expect(status).toBe(200);
  return body.items;
}

async function send(key: string, text: string): Promise<void> {
  const { id } = (await hub.send(text, { message: { metadata: { agentId: 'open' } } }, { key }))[
    'task'
  ] as JsonObject;
  const state = text === 'wait' ? 'INPUT_REQUIRED' : 'COMPLETED';
  await hub.waitForTask(String(id), `TASK_STATE_${state}`, 10_000, { key });
}

const line = (fields: JsonObject): JsonObject => ({
  ...{ of: 'principal', agent: null, skill: null, unit: null, state: 'ok', resetsAt: null },
  ...fields,
});
const TIME = expect.stringMatching(/T00:00:00\.000Z$/);

describe('a caller with a2a alone', () => {
  it('sees what limits it, its own and of its organization, with what is used and when it is free', async () => {
    const [{ key, principal }, { key: colleague }] = [await caller('acme'), await caller('acme')];
    await put('acme', {
      ...{ organization: 'acme', openTasks: 2, requestsPerSecond: 500 },
      budget: { unit: 'EUR', amount: 5, per: 'month' },
    });
    await put('mine', { principal, tasksPerDay: 10, tasksPerMonth: 2, requestsPerSecond: 100 });
    await put('mine-open', { principal, agent: 'open', openTasks: 4 });
    await put('acme-ask', { organization: 'acme', skill: 'open.ask', tasksPerMonth: 9 });
    await send(key, 'done');
    await send(key, 'wait');
    await send(colleague, 'wait');
    const items = await own(key);
    expect(items).toEqual([
      line({ kind: 'openTasks', used: 1, limit: null }),
      line({ kind: 'tasksPerDay', used: 2, limit: 10, resetsAt: TIME }),
      line({ kind: 'tasksPerMonth', used: 2, limit: 2, state: 'exceeded', resetsAt: TIME }),
      line({ kind: 'storedBytes', used: expect.any(Number), limit: null }),
      line({ kind: 'requestsPerSecond', used: null, limit: 100 }),
      line({ agent: 'open', kind: 'openTasks', used: 1, limit: 4 }),
      line({ of: 'organization', kind: 'openTasks', used: 2, limit: 2, state: 'exceeded' }),
      line({
        of: 'organization',
        kind: 'storedBytes',
        used: expect.any(Number),
        limit: 10_000_000,
      }),
      line({
        ...{ of: 'organization', kind: 'budgetPerMonth', used: 2, limit: 5, unit: 'EUR' },
        resetsAt: TIME,
      }),
      line({ of: 'organization', kind: 'requestsPerSecond', used: null, limit: 500 }),
      line({
        ...{ of: 'organization', skill: 'open.ask', kind: 'tasksPerMonth', used: 0, limit: 9 },
        resetsAt: TIME,
      }),
    ]);
    const paged: JsonObject[] = [];
    for (let cursor = ''; ;) {
      const { body } = await hub.admin('GET', `${PATH}?limit=4${cursor}`, undefined, key);
      paged.push(...body.items);
      if (body.nextCursor === null) break;
      cursor = `&cursor=${String(body.nextCursor)}`;
    }
    expect(paged).toEqual(items);
    expect((await hub.admin('GET', `${PATH}?cursor=%20`, undefined, key)).status).toBe(400);
  });

  it('sees nothing of another, nor of agents and skills that it may not use', async () => {
    const [mine, other] = [await caller('here'), await caller('there')];
    await put('here-theirs', { organization: 'here', agent: 'theirs', openTasks: 1 });
    await put('mine-theirs', { principal: mine.principal, skill: 'theirs.ask', openTasks: 1 });
    await put('gone', { organization: 'here', agent: 'no-such-agent', openTasks: 1 });
    await put('no-skill', { organization: 'here', skill: 'open.none', openTasks: 1 });
    await put('all-of-open', { agent: 'open', openTasks: 7 });
    await put('there', { organization: 'there', openTasks: 77 });
    await put('its', { principal: other.principal, openTasks: 78 });
    await send(other.key, 'wait');
    const all = await own(mine.key);
    expect(all.map(({ agent, skill }) => agent ?? skill)).toEqual(all.map(() => null));
    expect(JSON.stringify(all)).not.toMatch(/theirs|no-such|none|:7[78]?,/);
    expect(all.filter(({ kind }) => kind !== 'storedBytes').map(({ used }) => used)).toEqual([
      0, 0,
    ]);
    for (const query of [`?principal=${other.principal}`, '?organization=there', '?agent=open']) {
      const { status } = await hub.admin('GET', `${PATH}${query}`, undefined, mine.key);
      expect([query, status]).toEqual([query, 400]);
    }
  });

  it('is needed: who has other scopes alone is refused', async () => {
    const key = await hub.createKey({ scopes: ['push', 'access:organization'] });
    expect((await hub.admin('GET', PATH, undefined, key)).status).toBe(403);
    expect((await hub.admin('GET', PATH, undefined, 'none')).status).toBe(401);
  });
});
