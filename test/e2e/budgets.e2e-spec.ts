import { AgentEvent } from '@a2a-js/sdk/server';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueCursor } from '../../src/common/cursor.js';
import { readDeclaredLimits } from '../../src/limits/index.js';
import { SendMessageRequest, TaskState } from '../../src/protocol/a2a.js';
import { type AgentTurn, type RunningAgent, startSdkAgent } from '../support/agents.js';
import type { Hub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { failureOf, GrpcClient, grpcTarget, V1 } from '../support/grpc-client.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';
import type { JsonObject } from '../support/json.js';

const PRICES = [
  { unit: 'EUR', perTask: 0.5, usage: { 'gen_ai.usage.input_tokens': 0.01 } },
  { agent: 'two', unit: 'EUR', usage: { 'gen_ai.usage.output_tokens': 0.1 } },
];

let served: GrpcHub;
let hub: Hub;
let agents: RunningAgent[];

beforeAll(async () => {
  const start = (name: string) =>
    startSdkAgent({ name, skills: [{ id: 'ask', tags: ['asking'] }], execute: report });
  agents = await Promise.all(['one', 'two'].map(start));
  served = await startGrpcHub({ limits: { prices: PRICES } });
  ({ hub } = served);
  await hub.registerAgent(agents[0]!.url, { id: 'one', priority: 1 });
  await hub.registerAgent(agents[1]!.url, { id: 'two' });
});
afterAll(async () => {
  await served?.close();
  await Promise.all((agents ?? []).map((agent) => agent.close()));
});

/** Reports what the message says: metadata of statuses, one after the other. */
function report(turn: AgentTurn): Promise<void> {
  turn.task();
  for (const metadata of JSON.parse(turn.text) as Record<string, unknown>[]) {
    const { taskId, contextId } = turn;
    const status = {
      state: TaskState.TASK_STATE_WORKING,
      message: undefined,
      timestamp: undefined,
    };
    turn.bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata }));
  }
  turn.artifact('r', 'done').complete();
  return Promise.resolve();
}

async function put(id: string, limit: JsonObject): Promise<void> {
  const answer = await hub.admin('PUT', `/api/v1/limits/${id}`, limit);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
}

it('is refused in a unit without a price, which nothing is ever spent of', async () => {
  const budget = { unit: 'USD', amount: 1, per: 'day' };
  const answer = await hub.admin('PUT', '/api/v1/limits/priceless', { agent: 'one', budget });
  expect([answer.status, answer.text]).toEqual([
    400,
    expect.stringContaining('budget.unit has no price in limits.prices (they have EUR)'),
  ]);
  const declared = [{ id: 'x', agent: 'one', budget }];
  await expect(readDeclaredLimits(declared, [])).rejects.toThrow('has no price in limits.prices');
  await expect(readDeclaredLimits(declared, [{ unit: 'USD' }])).resolves.toHaveLength(1);
});

it('is refused below a millionth of its unit, which is the least that is counted', async () => {
  const budget = { unit: 'EUR', amount: 0.000_000_1, per: 'day' };
  const answer = await hub.admin('PUT', '/api/v1/limits/least', { agent: 'one', budget });
  expect([answer.status, answer.body.errors]).toEqual([
    400,
    [{ field: 'budget.amount', description: 'must be at least 0.000001' }],
  ]);
});

const send = async (key: string, metadata: JsonObject, ...reports: JsonObject[]) =>
  (await hub.send(JSON.stringify(reports), { message: { metadata } }, { key }))[
    'task'
  ] as JsonObject;

const usedOf = async (id: string): Promise<JsonObject[]> => {
  const { body } = await hub.admin('GET', '/api/v1/usage/limits?limit=200');
  return body.items.find((each: JsonObject) => each['id'] === id)?.usage as JsonObject[];
};

describe('a budget', () => {
  it('is spent by what agents report, the last value of each, and then refuses at each binding', async () => {
    const key = await hub.createKey({ organization: 'acme' });
    const budget = { unit: 'EUR', amount: 2, per: 'month' };
    await put('acme', { organization: 'acme', budget });
    expect((await hub.admin('GET', '/api/v1/limits/acme')).body).toMatchObject({ budget });
    const reports = [{ usage: { input_tokens: 70 } }, { 'gen_ai.usage.input_tokens': 90 }];
    await send(key, { agentId: 'one' }, ...reports);
    expect(await usedOf('acme')).toMatchObject([
      { kind: 'budgetPerMonth', used: 1.4, limit: 2, unit: 'EUR', state: 'ok' },
    ]);
    await send(key, { agentId: 'two' }, { gen_ai: { usage: { output_tokens: 6 } } });
    expect(await usedOf('acme')).toMatchObject([{ used: 2, state: 'exceeded' }]);
    const text =
      'The quota organization.budgetPerMonth is used up: the organization "acme" has spent 2 EUR this month of 2. It begins anew with the next month (UTC).';
    const message = {
      ...{ messageId: 'm', role: 'ROLE_USER', parts: [{ text: '[]' }] },
      metadata: { agentId: 'one' },
    };
    const headers = {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      'a2a-version': '1.0',
    };
    const post = (path: string, body: object) =>
      fetch(`${hub.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const call = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
    const rpc = await post('/a2a', call);
    expect([rpc.status, Number(rpc.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(await rpc.json()).toMatchObject({ error: { message: text } });
    const rest = await post('/a2a/message:send', { message });
    expect([rest.status, await rest.json()]).toMatchObject([429, { error: { message: text } }]);
    const client = new GrpcClient(grpcTarget(hub), { key });
    const failure = await failureOf(
      client.call(V1.sendMessage, SendMessageRequest.fromJSON({ message })),
    );
    client.close();
    expect(failure).toMatchObject({
      ...{ code: 'RESOURCE_EXHAUSTED', message: text, reason: 'QUOTA_EXCEEDED' },
      metadata: { quota: 'organization.budgetPerMonth', current: '2', limit: '2', unit: 'EUR' },
    });
  });

  it('that is set again in its month knows what was spent while it was taken away', async () => {
    const key = await hub.createKey({ organization: 'back' });
    const budget = { unit: 'EUR', amount: 2, per: 'month' };
    const spend = () => send(key, { agentId: 'one' }, { usage: { input_tokens: 50 } });
    await put('back', { organization: 'back', budget });
    await spend();
    await hub.admin('DELETE', '/api/v1/limits/back');
    await spend();
    await put('back', { organization: 'back', budget });
    expect(await usedOf('back')).toMatchObject([{ used: 2, limit: 2, state: 'exceeded' }]);
    await expect(spend()).rejects.toThrow('has spent 2 EUR this month of 2');
  });

  it('is seen month by month, of each organization, principal, agent or skill', async () => {
    const key = await hub.createKey({ organization: 'seen' });
    await send(key, { agentId: 'one' }, { usage: { input_tokens: 50 } });
    await send(key, { agentId: 'one' }, { usage: { input_tokens: 50 } });
    await send(key, { agentId: 'two' }, { usage: { input_tokens: 50 } });
    const list = async (query: string): Promise<JsonObject> => {
      const { body, status } = await hub.admin('GET', `/api/v1/usage/spending?${query}`);
      return { status, ...body } as JsonObject;
    };
    const month = new Date().toISOString().slice(0, 7);
    const total = (await list('organization=seen&unit=x'))['status'];
    expect(total).toBe(400);
    const all = (await list('organization=seen'))['items'] as { amount: number }[];
    expect(all).toMatchObject([
      { month, organization: 'seen', agent: null, unit: 'EUR', tasks: 3 },
    ]);
    const byAgent = await list('organization=seen&by=agent');
    expect(byAgent['items']).toMatchObject([
      { agent: 'one', organization: null, tasks: 2 },
      { agent: 'two', tasks: 1 },
    ]);
    expect((await list('organization=seen&by=principal'))['items']).toMatchObject([
      { principal: expect.any(String), principalName: 'test', tasks: 3 },
    ]);
    const amounts = (byAgent['items'] as { amount: number }[]).map(({ amount }) => amount);
    expect(amounts[0]! + amounts[1]!).toBeCloseTo(all[0]!.amount, 6);
    const first = await list('organization=seen&by=agent&limit=1');
    const second = await list(
      `organization=seen&by=agent&limit=1&cursor=${String(first['nextCursor'])}`,
    );
    expect([first['items'], second['items'], second['nextCursor']]).toMatchObject([
      [{ agent: 'one' }],
      [{ agent: 'two' }],
      null,
    ]);
    expect((await list('organization=seen&to=2020-01'))['items']).toEqual([]);
    expect((await list(`organization=seen&from=${month}`))['items']).toHaveLength(1);
    const cursor = String(first['nextCursor']);
    const other = await list(`organization=other&by=agent&cursor=${cursor}`);
    expect(other['status']).toBe(400);
    const place = JSON.parse(Buffer.from(cursor, 'base64url').toString().slice(9)) as unknown[];
    const forged = (change: (members: unknown[]) => unknown[]): string =>
      `organization=seen&by=agent&cursor=${issueCursor('spending', JSON.stringify(change([...place])))}`;
    expect((await list(forged((members) => members)))['items']).toMatchObject([{ agent: 'two' }]);
    const long = forged((members) => members.with(5, 'x'.repeat(3000)));
    expect((await list(long))['status']).toBe(200);
    for (const wrong of [
      forged((members) => members.with(4, 'A\u0000')),
      forged((members) => members.with(1, 'x')),
      forged((members) => members.with(6, null)),
      forged((members) => members.slice(1)),
    ]) {
      expect([wrong, (await list(wrong))['status']]).toEqual([wrong, 400]);
    }
    for (const wrong of ['by=month', 'from=2026-13', 'cursor=x', 'agent=A%00']) {
      expect([wrong, (await list(wrong))['status']]).toEqual([wrong, 400]);
    }
  });

  it('of an agent passes it over where another can do the work', async () => {
    const key = await hub.createKey({ organization: 'others' });
    await put('one', { agent: 'one', budget: { unit: 'EUR', amount: 0.5, per: 'day' } });
    const asking = { skillTags: ['asking'] };
    const agentOf = (task: JsonObject): unknown =>
      (task['metadata'] as Record<string, { agents: { agentId: string }[] }>)[
        'urn:a2a-hub:routing:v1'
      ]?.agents[0]?.agentId;
    expect(agentOf(await send(key, asking))).toBe('one');
    expect(agentOf(await send(key, asking))).toBe('two');
    await expect(send(key, { agentId: 'one' })).rejects.toThrow(
      'the agent "one" has spent 0.5 EUR today of 0.5. It begins anew at midnight UTC.',
    );
    await hub.admin('DELETE', '/api/v1/limits/one');
  });

  it('is not spent by reports that are none, which are noted with the agent', async () => {
    const key = await hub.createKey({ organization: 'hostile' });
    await put('hostile', {
      organization: 'hostile',
      budget: { unit: 'EUR', amount: 9, per: 'day' },
    });
    const worst = [-5, '90', 1e300, [1], { a: 1 }, true].map((value) => ({
      'gen_ai.usage.input_tokens': value,
    }));
    await send(key, { agentId: 'one' }, { usage: { input_tokens: 10 } }, ...worst);
    expect(await usedOf('hostile')).toMatchObject([{ used: 0.6 }]);
    await eventually(async () => {
      const { body } = await hub.admin('GET', '/api/v1/agents/one');
      expect(body.deviations).toMatchObject([{ kind: 'invalid-usage' }]);
    });
  });

  it('is refused when it is none', async () => {
    const wrong: [budget: unknown, field: string][] = [
      [5, 'budget'],
      [{ unit: 'EUR', amount: 0, per: 'day' }, 'budget.amount'],
      [{ unit: 'EUR', amount: 1e12, per: 'day' }, 'budget.amount'],
      [{ unit: 'EUR', amount: '5', per: 'day' }, 'budget.amount'],
      [{ unit: '€', amount: 5, per: 'day' }, 'budget.unit'],
      [{ unit: 'EUR', amount: 5, per: 'year' }, 'budget.per'],
      [{ unit: 'EUR', amount: 5 }, 'budget.per'],
      [{ unit: 'EUR', amount: 5, per: 'day', more: 1 }, 'budget.more'],
    ];
    for (const [budget, field] of wrong) {
      const answer = await hub.admin('PUT', '/api/v1/limits/x', { agent: 'one', budget });
      expect([budget, answer.status]).toEqual([budget, 400]);
      expect(answer.body.errors.map((each: JsonObject) => each['field'])).toContain(field);
    }
  });
});
