import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

interface Answer {
  readonly body: JsonObject;
  readonly busy: string | null;
}

let hub: Hub;
let agent: ScriptedAgent;
const keys: Record<'one' | 'other' | 'stranger', string> = { one: '', other: '', stranger: '' };

beforeAll(async () => {
  [hub, agent] = await Promise.all([startHub(), ScriptedAgent.start()]);
  await hub.registerAgent(agent.url, { id: 'scripted' });
  const scopes = ['a2a', 'tasks:organization'];
  keys.one = await hub.createKey({ organization: 'acme', name: 'one', scopes });
  keys.other = await hub.createKey({ organization: 'acme', name: 'other', scopes });
  keys.stranger = await hub.createKey({ organization: 'rival', name: 'stranger', scopes });
});
afterAll(() => Promise.all([hub, agent].map((each) => each?.close())));

/** `cacheControl`: how old the answer may be. */
async function get(path: string, key: string, cacheControl?: string): Promise<Answer> {
  const response = await fetch(hub.url + path, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(cacheControl !== undefined && { 'cache-control': cacheControl }),
    },
  });
  expect(response.status).toBe(200);
  return {
    body: (await response.json()) as JsonObject,
    busy: response.headers.get('a2a-hub-busy'),
  };
}

/** A new task of `acme`; its id. */
async function begin(): Promise<string> {
  const params = {
    message: { metadata: { agentId: 'scripted' } },
    configuration: { returnImmediately: true },
  };
  const { task } = await hub.send('stay', params, { key: keys.one });
  return task.id as string;
}

/** In the order in which they were made. */
const idsOf = ({ body }: Answer): readonly string[] =>
  body['items'].map(({ id }: JsonObject) => String(id)).toSorted();

describe('an answer that may be some seconds old', () => {
  it('is one that others with the same rights were given, and of no other organization', async () => {
    const first = await begin();
    const [list, old] = ['/api/v1/tasks?limit=50', 'max-age=5'];
    expect(idsOf(await get(list, keys.one, old))).toEqual([first]);
    expect(idsOf(await get(list, keys.stranger, old))).toEqual([]);
    const second = await begin();
    expect(idsOf(await get(list, keys.other, old))).toEqual([first]);
    expect(idsOf(await get(list, keys.stranger, old))).toEqual([]);
    // Who sees everything is told more of the same tasks.
    expect(idsOf(await get(list, ADMIN_KEY, old))).toEqual(expect.arrayContaining([first, second]));
    // Another question.
    expect(idsOf(await get(`${list}&agentId=scripted`, keys.other, old))).toContain(second);
    expect(idsOf(await get(list, keys.other, 'max-age=0'))).toEqual([first, second]);
    expect(idsOf(await get(list, keys.one))).toEqual([first, second]);
  });

  it('is new for whoever does not say that it may be old', async () => {
    const list = '/api/v1/tasks?limit=50';
    await get(list, keys.one, 'max-age=5');
    const before = idsOf(await get(list, keys.one));
    const id = await begin();
    expect(idsOf(await get(list, keys.one))).toEqual([...before, id]);
  });

  it('is a count of tasks, and what the checks say, as well', async () => {
    const countOf = ({ body }: Answer): number =>
      body['states'].reduce((sum: number, { count }: JsonObject) => sum + count, 0);
    const count = '/api/v1/tasks:count';
    const before = countOf(await get(count, keys.one, 'max-age=5'));
    const checks = await get('/health/details', ADMIN_KEY, 'max-age=5');
    await begin();
    await hub.admin('PATCH', '/api/v1/agents/scripted', { enabled: false });
    expect(countOf(await get(count, keys.other, 'max-age=5'))).toBe(before);
    expect(countOf(await get(count, keys.other))).toBe(before + 1);
    expect((await get('/health/details', ADMIN_KEY, 'max-age=5')).body).toEqual(checks.body);
    expect((await get('/health/details', ADMIN_KEY)).body).not.toEqual(checks.body);
    await hub.admin('PATCH', '/api/v1/agents/scripted', { enabled: true });
  });
});

describe('an answer of a hub that is busy', () => {
  it('says so, until it is busy no more', async () => {
    await get('/api/v1/me', keys.one);
    await wait(1100);
    await get('/api/v1/me', keys.one);
    const until = performance.now() + 1500;
    while (performance.now() < until);
    expect((await get('/api/v1/me', keys.one)).busy).toBe('1');
    await eventually(async () => expect((await get('/api/v1/me', keys.one)).busy).toBeNull());
  });
});
