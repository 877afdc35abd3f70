import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SendMessageRequest } from '../../src/protocol/a2a.js';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { ADMIN_KEY, type Hub, type HttpAnswer } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { failureOf, GrpcClient, grpcTarget, V1 } from '../support/grpc-client.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';
import type { JsonObject } from '../support/json.js';

const PATH = '/api/v1/limits';

let served: GrpcHub;
let hub: Hub;
let agents: RunningAgent[];
let key: string;

beforeAll(async () => {
  const start = (name: string) =>
    startSdkAgent({
      name,
      skills: [{ id: 'ask', tags: ['asking'] }],
      execute: (turn) => {
        turn.task();
        if (turn.text.startsWith('wait')) turn.askForInput('and?');
        else turn.artifact('r', turn.text).complete();
        return Promise.resolve();
      },
    });
  agents = await Promise.all(['one', 'two'].map(start));
  served = await startGrpcHub({
    limits: { declared: [{ id: 'of-scripted', agent: 'scripted', openTasks: 3 }] },
  });
  ({ hub } = served);
  await hub.registerAgent(agents[0]!.url, { id: 'one', priority: 1 });
  await hub.registerAgent(agents[1]!.url, { id: 'two' });
  key = await hub.createKey({ organization: 'acme' });
});
afterAll(async () => {
  await served?.close();
  await Promise.all((agents ?? []).map((agent) => agent.close()));
});
afterEach(async () => {
  const { body } = await hub.admin('GET', `${PATH}?limit=200`);
  for (const { id, source } of body.items) {
    if (source === 'api') await hub.admin('DELETE', `${PATH}/${id}`);
  }
});

async function put(id: string, limit: JsonObject): Promise<void> {
  const answer = await hub.admin('PUT', `${PATH}/${id}`, limit);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
}

async function send(text: string, metadata: JsonObject, by = key): Promise<JsonObject> {
  return (await hub.send(text, { message: { metadata } }, { key: by }))['task'] as JsonObject;
}

const agentOf = (task: JsonObject): unknown =>
  (task['metadata'] as Record<string, { agents: { agentId: string }[] }>)['urn:a2a-hub:routing:v1']
    ?.agents[0]?.agentId;

const usageOf = async (id: string): Promise<JsonObject[]> => {
  const { body } = await hub.admin('GET', '/api/v1/usage/limits?limit=200');
  return body.items.find((each: JsonObject) => each['id'] === id)?.usage as JsonObject[];
};

describe('a limit', () => {
  it('is created, replaced, read, listed and deleted, and refused when it is none', async () => {
    await put('acme', { organization: 'acme', openTasks: 5, tasksPerMonth: 100 });
    const replaced = await hub.admin('PUT', `${PATH}/acme`, { organization: 'acme', openTasks: 6 });
    expect(replaced).toMatchObject({
      status: 200,
      body: { id: 'acme', openTasks: 6, tasksPerMonth: null, source: 'api' },
    });
    expect((await hub.admin('GET', `${PATH}/acme`)).body).toEqual(replaced.body);
    const another = JSON.stringify({ organization: 'acme', openTasks: 7 });
    const create = (id: string, ifNoneMatch: string) =>
      hub.request('PUT', `${PATH}/${id}`, another, {
        key: ADMIN_KEY,
        headers: { 'if-none-match': ifNoneMatch, 'content-type': 'application/json' },
      });
    expect((await create('acme', '*')).status).toBe(409);
    expect((await create('acme', '"3"')).status).toBe(400);
    expect((await hub.admin('GET', `${PATH}/acme`)).body).toEqual(replaced.body);
    const { body } = await hub.admin('GET', PATH);
    expect(body.items.map(({ id }: JsonObject) => id)).toEqual(['of-scripted', 'acme']);
    const wrong: [id: string, limit: JsonObject, status: number, field: string][] = [
      ['x', {}, 400, 'organization'],
      ['x', { organization: 'a' }, 400, 'openTasks'],
      ['x', { organization: 'a', principal: 'p', openTasks: 1 }, 400, 'principal'],
      ['x', { agent: 'a', skill: 'a.s', openTasks: 1 }, 400, 'skill'],
      ['x', { skill: 'nodot', openTasks: 1 }, 400, 'skill'],
      ['x', { agent: 'a', storedBytes: 1 }, 400, 'storedBytes'],
      ['x', { agent: 'a', openTasks: -1 }, 400, 'openTasks'],
      ['x', { agent: 'a', openTasks: '1' }, 400, 'openTasks'],
      ['x', { agent: 'a', openTasks: 1e30 }, 400, 'openTasks'],
      ['x', { agent: 'a', openTasks: 1, budget: 1 }, 400, 'budget'],
      ['x', { agent: 'a', requestsPerSecond: -1 }, 400, 'requestsPerSecond'],
      ['x', { agent: 'a', requestsPerSecond: 1.5 }, 400, 'requestsPerSecond'],
      ['x', { agent: 'a', requestsPerSecond: '1' }, 400, 'requestsPerSecond'],
      ['x', { agent: 'a', requestsPerSecond: 1_000_001 }, 400, 'requestsPerSecond'],
      ['Not an id', { agent: 'a', openTasks: 1 }, 400, 'id'],
    ];
    for (const [id, limit, code, field] of wrong) {
      const answer = await hub.admin('PUT', `${PATH}/${encodeURIComponent(id)}`, limit);
      expect([limit, answer.status]).toEqual([limit, code]);
      expect(answer.body.errors.map((each: JsonObject) => each['field'])).toContain(field);
    }
    const twice = await hub.admin('PUT', `${PATH}/other`, { organization: 'acme', openTasks: 1 });
    expect([twice.status, twice.body.detail]).toEqual([409, expect.stringContaining('acme')]);
    for (const method of ['PUT', 'DELETE']) {
      const body = method === 'PUT' ? { agent: 'two', openTasks: 1 } : undefined;
      const declared = await hub.admin(method, `${PATH}/of-scripted`, body);
      expect([declared.status, declared.body.detail]).toEqual([
        409,
        expect.stringContaining('limits.declared'),
      ]);
    }
    const same = await hub.admin('PUT', `${PATH}/same`, { agent: 'scripted', openTasks: 1 });
    expect(same.status).toBe(409);
    expect((await hub.admin('DELETE', `${PATH}/acme`)).status).toBe(204);
    expect((await hub.admin('DELETE', `${PATH}/acme`)).status).toBe(404);
    expect((await hub.admin('GET', `${PATH}/acme`)).status).toBe(404);
    expect((await hub.admin('GET', PATH, undefined, key)).status).toBe(403);
  });

  it('refuses at each binding, with which it is, whose, how much, and when it is free', async () => {
    await put('acme', { organization: 'acme', tasksPerMonth: 1 });
    await send('first', { agentId: 'one' });
    const message = (id: string) => ({
      messageId: id,
      role: 'ROLE_USER',
      parts: [{ text: 'one more' }],
      metadata: { agentId: 'one' },
    });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const post = (path: string, body: object, version = '1.0'): Promise<Response> =>
      fetch(`${hub.url}${path}`, {
        method: 'POST',
        headers: { ...headers, 'a2a-version': version },
        body: JSON.stringify(body),
      });
    const text =
      'The quota organization.tasksPerMonth is used up: the organization "acme" has begun 1 tasks this month of 1. It begins anew with the next month (UTC).';
    const metadata = { quota: 'organization.tasksPerMonth', current: '1', limit: '1' };
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: message('a') },
    };
    const rpc = await post('/a2a', call);
    const seconds = Number(rpc.headers.get('retry-after'));
    expect(rpc.status).toBe(429);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(31 * 86_400);
    expect(await rpc.json()).toMatchObject({
      error: { message: text, data: [{ reason: 'QUOTA_EXCEEDED', metadata }] },
    });
    const stream = await post('/a2a', { ...call, method: 'SendStreamingMessage' });
    expect([stream.status, await stream.text()]).toEqual([
      429,
      expect.stringContaining('next month'),
    ]);
    const rest = await post('/a2a/message:send', { message: message('b') });
    expect([rest.status, rest.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
    expect(await rest.json()).toMatchObject({
      error: { message: text, status: 'RESOURCE_EXHAUSTED' },
    });
    const old = await post(
      '/a2a',
      {
        ...{ jsonrpc: '2.0', id: 1, method: 'message/send' },
        params: {
          message: {
            ...{ kind: 'message', messageId: 'c', role: 'user' },
            ...{ parts: [{ kind: 'text', text: 'x' }], metadata: { agentId: 'one' } },
          },
        },
      },
      '0.3',
    );
    expect([old.status, JSON.stringify(await old.json())]).toEqual([
      429,
      expect.stringContaining('QUOTA_EXCEEDED'),
    ]);
    const ofKey = await hub.createKey({ organization: 'acme' });
    const client = new GrpcClient(grpcTarget(hub), { key: ofKey });
    const request = SendMessageRequest.fromJSON({ message: message('d') });
    const failure = await failureOf(client.call(V1.sendMessage, request));
    client.close();
    expect(failure).toMatchObject({
      ...{ code: 'RESOURCE_EXHAUSTED', message: text, reason: 'QUOTA_EXCEEDED', metadata },
    });
  });

  it('of an agent passes it over where another can do the work, and counts nothing twice', async () => {
    await put('one', { agent: 'one', openTasks: 1 });
    const asking = { skillTags: ['asking'] };
    const first = await send('wait', asking);
    expect(agentOf(first)).toBe('one');
    expect(agentOf(await send('wait 2', asking))).toBe('two');
    expect(await usageOf('one')).toEqual([
      { kind: 'openTasks', used: 1, limit: 1, unit: null, state: 'exceeded', resetsAt: null },
    ]);
    await expect(send('to one alone', { agentId: 'one' })).rejects.toThrow(
      'The quota agent.openTasks is used up: the agent "one" has 1 open tasks of 1. Wait until some have ended.',
    );
    await put('two', { skill: 'two.ask', openTasks: 1 });
    await expect(send('to any', asking)).rejects.toThrow('quota agent.openTasks is used up');
    await hub.rpc('CancelTask', { id: first['id'] }, { key });
    await eventually(async () => expect(await usageOf('one')).toMatchObject([{ used: 0 }]));
    expect(agentOf(await send('wait again', asking))).toBe('one');
    const metrics = await (await fetch(`${hub.url}/metrics`)).text();
    expect(metrics).toMatch(/a2a_hub_quota_refusals_total\{quota="agent.openTasks"\} \d/);
    expect(metrics).toContain('a2a_hub_limit_warnings_total{limit="agent.openTasks"} 1');
  });

  it('of an organization at an agent holds for no other organization', async () => {
    await put('acme-two', { organization: 'acme', agent: 'two', tasksPerDay: 1 });
    const other = await hub.createKey({ organization: 'others' });
    await send('first', { agentId: 'two' });
    await expect(send('second', { agentId: 'two' })).rejects.toThrow(
      'The quota organization+agent.tasksPerDay is used up: at the agent "two" the organization "acme" has begun 1 tasks today of 1. It begins anew at midnight UTC.',
    );
    await send('theirs', { agentId: 'two' }, other);
    await send('at another', { agentId: 'one' });
  });

  it('of an organization at a skill leaves that of the organization counted once', async () => {
    await put('once', { organization: 'once', tasksPerMonth: 1 });
    await put('once-ask', { organization: 'once', skill: 'one.ask', tasksPerMonth: 5 });
    await send('by its name', { agentId: 'two' }, await hub.createKey({ organization: 'once' }));
    expect(await usageOf('once')).toMatchObject([{ kind: 'tasksPerMonth', used: 1 }]);
    expect(await usageOf('once-ask')).toMatchObject([{ kind: 'tasksPerMonth', used: 0 }]);
  });

  it('is changed while the hub runs, and replaces what the settings say', async () => {
    const mine = await hub.createKey({ organization: 'changing' });
    await put('changing', { organization: 'changing', openTasks: 1 });
    await send('wait', { agentId: 'two' }, mine);
    await expect(send('wait 2', { agentId: 'two' }, mine)).rejects.toThrow('1 open tasks of 1');
    const wider: HttpAnswer = await hub.admin('PUT', `${PATH}/changing`, {
      ...{ organization: 'changing', openTasks: 2 },
    });
    expect(wider.status).toBe(200);
    await send('wait 3', { agentId: 'two' }, mine);
    const { body } = await hub.admin('GET', '/api/v1/usage/organizations?limit=200');
    const shown = body.items.find((each: JsonObject) => each['organization'] === 'changing');
    expect(shown).toMatchObject({ usage: { openTasks: 2 }, limits: { openTasks: 2 } });
    await hub.admin('DELETE', `${PATH}/changing`);
    await send('wait 4', { agentId: 'two' }, mine);
  });
});
