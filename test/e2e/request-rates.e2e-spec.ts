import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { startPostgres } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { failureOf, GrpcClient, grpcTarget, V1 } from '../support/grpc-client.js';
import { GetTaskRequest } from '../../src/protocol/a2a.js';
import type { JsonObject } from '../support/json.js';

/** Points that a process takes at least. */
const SMALLEST_LEASE = 16;
/**
 * What the settings allow a principal in each process. Its seconds begin with a request, not with the clock's: two
 * rounds of a test may be in one of them, and are to be refused by limits alone.
 */
const OF_SETTINGS = 130;

const PATH = '/api/v1/limits';

let database: Awaited<ReturnType<typeof startPostgres>>;
let hubs: Hub[];
let hub: Hub;
let agents: RunningAgent[];

beforeAll(async () => {
  database = await startPostgres();
  const databaseUrl = await database.migratedUrl();
  const start = (): Promise<Hub> =>
    startHub({
      databaseUrl,
      config: {
        grpc: { port: -1 },
        server: { rateLimit: { requestsPerSecond: OF_SETTINGS, burst: 0 } },
      },
    });
  hub = await start();
  hubs = [hub, await start()];
  agents = await Promise.all(
    ['one', 'two'].map((name) =>
      startSdkAgent({
        name,
        skills: [{ id: 'ask', tags: ['asking'] }],
        execute: (turn) => {
          turn.task();
          if (turn.text.startsWith('wait')) turn.askForInput('and?');
          else turn.artifact('r', turn.text).complete();
          return Promise.resolve();
        },
      }),
    ),
  );
  await hub.registerAgent(agents[0]!.url, { id: 'one', priority: 1 });
  await hub.registerAgent(agents[1]!.url, { id: 'two' });
});
afterAll(async () => {
  await Promise.all([...(hubs ?? []), ...(agents ?? [])].map((each) => each.close()));
  await database?.stop();
});
afterEach(async () => {
  const { body } = await hub.admin('GET', `${PATH}?limit=200`);
  for (const { id } of body.items) await hub.admin('DELETE', `${PATH}/${id}`);
});

/** The limit is in both processes when it resolves. */
async function put(id: string, limit: JsonObject): Promise<void> {
  const answer = await hub.admin('PUT', `${PATH}/${id}`, limit);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  await eventually(async () => {
    const { body } = await hubs[1]!.admin('GET', `${PATH}/${id}`);
    expect(body).toMatchObject(limit);
  });
}

/** The status and the rest of the answer to one request that begins nothing. */
async function ask(of: Hub, key: string): Promise<{ status: number; retry: string | null }> {
  const answer = await fetch(`${of.url}/a2a/tasks`, {
    headers: { authorization: `Bearer ${key}`, 'a2a-version': '1.0' },
  });
  await answer.arrayBuffer();
  return { status: answer.status, retry: answer.headers.get('retry-after') };
}

/** Resolves when a second has just begun, so that what follows at once is in it. */
const aNewSecond = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000) + 5));

describe('a limit of requests a second', () => {
  it('is shared by two processes that race', async () => {
    await put('racing', { organization: 'racing', requestsPerSecond: 30 });
    const key = await hub.createKey({ organization: 'racing' });
    await ask(hub, key);
    for (let round = 0; round < 2; round++) {
      await aNewSecond();
      const begun = Math.floor(Date.now() / 1000);
      const all = Array.from({ length: 120 }, (_, n) => ask(hubs[n % 2]!, key));
      const answers = await Promise.all(all);
      const seconds = Math.floor(Date.now() / 1000) - begun + 1;
      const passed = answers.filter(({ status }) => status === 200).length;
      expect(passed).toBeLessThanOrEqual(30 * seconds);
      // One process may be left with points of its last lease when its requests are over.
      expect(passed).toBeGreaterThanOrEqual(30 - SMALLEST_LEASE);
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(120 - passed);
      expect(new Set(refused.map(({ retry }) => retry))).toEqual(new Set(['1']));
    }
    expect(await (await fetch(`${hub.url}/metrics`)).text()).toMatch(
      /a2a_hub_quota_refusals_total\{quota="organization.requestsPerSecond"\} \d/,
    );
  });

  it('refuses at each binding, with which it is and whose', async () => {
    await put('refusing', { organization: 'refusing', requestsPerSecond: 1 });
    const key = await hub.createKey({ organization: 'refusing' });
    const message =
      'The limit organization.requestsPerSecond is used up: the organization "refusing" has sent all 1 requests of this second. Try again in 1 s.';
    const metadata = {
      quota: 'organization.requestsPerSecond',
      limit: '1',
      retryAfterSeconds: '1',
    };
    const headers = {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      'a2a-version': '1.0',
    };
    const call = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'none' } };
    const client = new GrpcClient(grpcTarget(hub), { key });
    await eventually(async () => {
      await ask(hub, key);
      const [rpc, rest, grpc] = await Promise.all([
        fetch(`${hub.url}/a2a`, { method: 'POST', headers, body: JSON.stringify(call) }),
        fetch(`${hub.url}/a2a/tasks/none`, { headers }),
        failureOf(client.call(V1.getTask, GetTaskRequest.fromJSON({ id: 'none' }))),
      ]);
      expect([rpc.status, rest.status]).toEqual([429, 429]);
      expect(await rpc.json()).toMatchObject({
        error: { message, data: [{ reason: 'RATE_LIMITED', metadata }] },
      });
      expect(await rest.json()).toMatchObject({ error: { message, status: 'RESOURCE_EXHAUSTED' } });
      expect(grpc).toMatchObject({ code: 'RESOURCE_EXHAUSTED', message, reason: 'RATE_LIMITED' });
    });
    client.close();
  });

  it('counts what callers ask of the admin API, and not what operators do', async () => {
    await put('asking', { organization: 'asking', requestsPerSecond: 1 });
    const statuses = async (path: string, key: string): Promise<number[]> => {
      const all = Array.from({ length: 5 }, () => hub.admin('GET', path, undefined, key));
      return (await Promise.all(all)).map(({ status }) => status);
    };
    const caller = await hub.createKey({ organization: 'asking' });
    const operator = await hub.createKey({ organization: 'asking', scopes: ['access'] });
    for (const path of ['/api/v1/usage/me', '/api/v1/consents']) {
      const asked = await statuses(path, caller);
      // In two seconds where one turns meanwhile.
      expect(asked.filter((status) => status === 200).length).toBeLessThanOrEqual(2);
      expect(asked).toContain(429);
    }
    for (const path of ['/api/v1/usage/limits', PATH]) {
      expect(await statuses(path, operator)).toEqual(Array(5).fill(200));
    }
    const refused = await eventually(async () => {
      const answer = await hub.admin('GET', '/api/v1/usage/me', undefined, caller);
      expect(answer.status).toBe(429);
      return answer;
    });
    expect(refused.body).toMatchObject({
      metadata: { quota: 'organization.requestsPerSecond', retryAfterSeconds: '1' },
    });
  });

  it('of a principal goes before what the settings say', async () => {
    const { body } = await hub.admin('POST', '/api/v1/keys', {
      ...{ name: 'quick', organization: 'quick', scopes: ['a2a'] },
    });
    const { key, principalId: principal } = body as { key: string; principalId: string };
    await put('quick', { principal, requestsPerSecond: 0 });
    const answers = await Promise.all(
      Array.from({ length: OF_SETTINGS + 20 }, () => ask(hub, key)),
    );
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
  });

  it('of an agent passes it over where another can do the work, and refuses further messages', async () => {
    await put('one', { agent: 'one', requestsPerSecond: 1 });
    const key = await hub.createKey({ organization: 'agents' });
    const send = async (text: string, metadata: JsonObject, taskId = ''): Promise<JsonObject> =>
      (await hub.send(text, { message: { metadata, taskId } }, { key }))['task'] as JsonObject;
    const agentOf = (task: JsonObject): unknown =>
      (task['metadata'] as Record<string, { agents: { agentId: string }[] }>)[
        'urn:a2a-hub:routing:v1'
      ]?.agents[0]?.agentId;
    await eventually(async () => {
      await aNewSecond();
      const both = [await send('wait', { skillTags: ['asking'] })];
      both.push(await send('wait', { skillTags: ['asking'] }));
      expect(both.map(agentOf)).toEqual(['one', 'two']);
      const text =
        'The limit agent.requestsPerSecond is used up: the agent "one" has been given all 1 messages of this second. Try again in 1 s.';
      await expect(send('to one alone', { agentId: 'one' })).rejects.toThrow(text);
      await expect(send('more', {}, String(both[0]!['id']))).rejects.toThrow(text);
      const [task] = both;
      await aNewSecond();
      const answered = await send('done', {}, String(task!['id']));
      expect(answered['id']).toBe(task!['id']);
    });
  });

  it('of an agent is not spent on what another limit refuses', async () => {
    await put('one', { agent: 'one', requestsPerSecond: 2, openTasks: 1 });
    const key = await hub.createKey({ organization: 'agents' });
    const send = async (text: string, metadata: JsonObject, taskId = ''): Promise<JsonObject> =>
      (await hub.send(text, { message: { metadata, taskId } }, { key }))['task'] as JsonObject;
    await eventually(async () => {
      await aNewSecond();
      const task = await send('wait', { agentId: 'one' });
      try {
        for (let n = 0; n < 3; n++) {
          await expect(send('no', { agentId: 'one' })).rejects.toThrow('agent.openTasks');
        }
      } finally {
        await send('done', {}, String(task['id']));
      }
    });
  });
});
