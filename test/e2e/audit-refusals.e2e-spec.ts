import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditLog, Refusals } from '../../src/audit/index.js';
import { SendMessageRequest } from '../../src/protocol/a2a.js';
import { GrpcClient, V0, V1, failureOf, grpcTarget } from '../support/grpc-client.js';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';

const WRONG = 'hub_0199f1c28d117b529c3e4a5b6c7d8e9f_notTheSecretOfThisKey';

const GET_TASK = [V1.getTask.path, V0.getTask.path];

let hub: Hub;
let agent: RunningAgent;

beforeAll(async () => {
  const limits = { prices: [{ unit: 'EUR', perTask: 1 }] };
  [hub, agent] = await Promise.all([
    startHub({ config: { grpc: { port: -1 }, limits } }),
    startSdkAgent({ skills: [{ id: 'ask' }] }),
  ]);
  await hub.registerAgent(agent.url, { id: 'worker' });
});
afterAll(() => Promise.all([hub?.close(), agent?.close()]));

const refusals = async (query: string): Promise<Json[]> =>
  (await hub.admin('GET', `/api/v1/audit?outcome=refused&limit=200&${query}`)).body.items;

/** The refusal of one call, which is recorded beside the answer. */
const refusalOf = (requestId: unknown): Promise<Json> =>
  eventually(async () => {
    const found = await refusals(`requestId=${String(requestId)}`);
    expect(found).toHaveLength(1);
    return found[0];
  });

describe('a caller with a key that is not valid', () => {
  it.each([
    ['JSON-RPC', 'POST', '/a2a', { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }],
    ['HTTP+JSON', 'GET', '/a2a/tasks', undefined],
    ['HTTP+JSON of 0.3', 'GET', '/a2a/v1/tasks/x', undefined],
    ['the admin API', 'POST', '/api/v1/keys', { name: 'x' }],
    ['the metrics', 'GET', '/metrics', undefined],
  ])('is recorded by %s, without the key', async (_, method, path, body) => {
    const { status, headers } = await hub.admin(method, path, body, WRONG);
    expect(status).toBe(401);
    const entry = await refusalOf(headers['x-request-id']);
    expect(entry).toMatchObject({
      ...{ action: 'auth.sign-in', principal: null, credential: null },
      details: { reason: 'UNAUTHENTICATED', cause: 'unknown-key', address: '127.0.0.1' },
    });
    expect(JSON.stringify(entry)).not.toContain('notTheSecret');
  });

  it.each(GET_TASK)('is recorded by gRPC, %s', async (path) => {
    const client = new GrpcClient(grpcTarget(hub), { key: WRONG });
    const { trailers } = await failureOf(client.exchange(path, Buffer.from([])));
    client.close();
    expect(await refusalOf(trailers.get('x-request-id')[0])).toMatchObject({
      action: 'auth.sign-in',
      details: { cause: 'unknown-key', address: '127.0.0.1', route: path },
    });
  });

  it('is told from one with none, and one whose key has expired', async () => {
    const without = await hub.get('/a2a/tasks/x', { key: null });
    expect(await refusalOf(without.headers['x-request-id'])).toMatchObject({
      details: { cause: 'no-credential' },
    });
    const soon = new Date(Date.now() + 300).toISOString();
    const { body } = await hub.admin('POST', '/api/v1/keys', {
      ...{ name: 'short', scopes: ['a2a'], expiresAt: soon },
    });
    await new Promise((resolve) => setTimeout(resolve, 400));
    const expired = await hub.get('/a2a/tasks/x', { key: body.key });
    expect(await refusalOf(expired.headers['x-request-id'])).toMatchObject({
      ...{ principal: body.principalId, credential: body.id },
      details: { cause: 'expired-key' },
    });
  });

  it.each([
    ['revoked-key', 'keys', (key: Json) => `/api/v1/keys/${key.id}`],
    ['disabled-principal', 'principals', (key: Json) => `/api/v1/principals/${key.principalId}`],
    [
      'disabled-organization',
      'organizations',
      (key: Json) => `/api/v1/organizations/${key.organization}`,
    ],
  ])('is named when it is the holder of a key: %s', async (cause, list, path) => {
    const organization = `of-${cause}`;
    const body = { name: 'gone', scopes: ['a2a'], organization };
    const { body: key } = await hub.admin('POST', '/api/v1/keys', body);
    const [method, of] =
      cause === 'revoked-key' ? ['DELETE', path(key)] : ['POST', `${path(key)}:disable`];
    expect((await hub.admin(method, of)).status).toBeLessThan(300);
    const refused = await hub.get('/a2a/tasks/x', { key: key.key });
    const strange = await hub.get('/a2a/tasks/x', { key: WRONG });
    expect([refused.status, refused.body]).toEqual([401, strange.body]);
    const entry = await refusalOf(refused.headers['x-request-id']);
    expect(entry).toMatchObject({
      ...{ action: 'auth.sign-in', principal: key.principalId, organization, credential: key.id },
      details: { cause },
    });
    expect(JSON.stringify(entry)).not.toContain(key.key);
    // Whoever has only read its id is told to be its holder nowhere.
    const wrong = `${key.key.slice(0, -8)}guessed0`;
    const guessed = await hub.admin('GET', `/api/v1/${list}`, undefined, wrong);
    expect(await refusalOf(guessed.headers['x-request-id'])).toMatchObject({
      ...{ principal: null, credential: null },
      details: { cause: 'unknown-key' },
    });
  });
});

describe('a key that may not be used from here', () => {
  it.each([
    ['foreign-network', { allowedNetworks: ['198.51.100.0/24'] }],
    ['foreign-origin', { allowedOrigins: ['https://app.example.com'] }],
  ])('is told with its holder, to the audit log alone: %s', async (cause, bounds) => {
    const organization = `of-${cause}`;
    const body = { name: 'bounded', scopes: ['a2a'], organization, ...bounds };
    const { body: key } = await hub.admin('POST', '/api/v1/keys', body);
    const refused = await hub.get('/a2a/tasks/x', { key: key.key });
    const strange = await hub.get('/a2a/tasks/x', { key: WRONG });
    expect([refused.status, refused.body]).toEqual([401, strange.body]);
    const entry = await refusalOf(refused.headers['x-request-id']);
    expect(entry).toMatchObject({
      ...{ action: 'auth.sign-in', principal: key.principalId, organization, credential: key.id },
      details: { cause },
    });
  });
});

describe('a caller that lacks a right', () => {
  it('is recorded with who it is, by HTTP and by gRPC', async () => {
    const key = await hub.createKey({ scopes: ['push'], organization: 'acme' });
    const { id, principalId } = (await hub.admin('GET', '/api/v1/keys?limit=1')).body.items[0];
    const who = { principal: principalId, organization: 'acme', credential: id };
    const { status, headers } = await hub.admin('GET', '/api/v1/keys', undefined, key);
    expect(status).toBe(403);
    expect(await refusalOf(headers['x-request-id'])).toMatchObject({
      ...{ action: 'auth.access', ...who },
      details: {
        reason: 'PERMISSION_DENIED',
        scope: 'access:organization',
        route: 'GET /api/v1/keys',
      },
    });
    for (const path of GET_TASK) {
      const client = new GrpcClient(grpcTarget(hub), { key });
      const { trailers } = await failureOf(client.exchange(path, Buffer.from([])));
      client.close();
      expect(await refusalOf(trailers.get('x-request-id')[0])).toMatchObject({
        ...{ action: 'auth.access', ...who },
        details: { scope: 'a2a', route: path },
      });
    }
  });
});

describe('a flood of wrong keys', () => {
  it('is a few entries that say how many there were', async () => {
    const tried = 300;
    const path = '/a2a/tasks/flood/pushNotificationConfigs';
    const before = (await refusals('')).length;
    await Promise.all(
      Array.from({ length: tried }, (_, n) => hub.get(path, { key: `${WRONG}${n}` })),
    );
    await eventually(async () => expect((await refusals('')).length).toBe(before + 1));
    await hub.app.get(Refusals).writeCounts();
    const counted = (await refusals('')).filter(({ details }) =>
      String(details.route).endsWith('/pushNotificationConfigs'),
    );
    expect(counted.map(({ details }) => details.count)).toEqual([tried - 1, undefined]);
  });

  it('costs no caller an answer when the audit log cannot be written', async () => {
    const audit = hub.app.get(AuditLog);
    const record = audit.record.bind(audit);
    audit.record = () => Promise.reject(new Error('away'));
    expect((await hub.get('/a2a/extendedAgentCard', { key: WRONG })).status).toBe(401);
    audit.record = record;
  });
});

describe('a caller that has come to a limit', () => {
  const message = userMessage('hello', { metadata: { agentId: 'worker' } });
  /** A key of a new principal of this organization, with its ids. */
  const caller = async (organization: string) => {
    const { body } = await hub.admin('POST', '/api/v1/keys', {
      ...{ name: organization, organization, scopes: ['a2a'] },
    });
    const { key, principalId: principal, id: credential } = body as Record<string, string>;
    return { key: key!, who: { principal, organization, credential } };
  };
  const put = async (id: string, limit: Json): Promise<void> => {
    expect((await hub.admin('PUT', `/api/v1/limits/${id}`, limit)).status).toBe(201);
  };
  const used = async (key: string): Promise<void> => {
    const task = (await hub.rpc('SendMessage', { message }, { key })).task;
    await hub.waitForTask(task.id, 'TASK_STATE_COMPLETED', 10_000, { key });
  };
  it.each([
    ['tasksPerDay', { organization: 'acme', tasksPerDay: 1 }, { organization: 'acme' }],
    [
      'budgetPerMonth',
      { organization: 'spender', budget: { unit: 'EUR', amount: 1, per: 'month' } },
      { organization: 'spender' },
    ],
    [
      'tasksPerMonth',
      { organization: 'writers', agent: 'worker', tasksPerMonth: 1 },
      { organization: 'writers', agent: 'worker' },
    ],
  ])('of %s is recorded at each binding, with whose it is', async (kind, limit, whose) => {
    const { organization } = limit;
    await put(organization, limit);
    const first = await caller(organization);
    await used(first.key);
    const [second, third] = [await caller(organization), await caller(organization)];
    const rpc = await hub.rpcRaw('SendMessage', { message }, { key: first.key });
    const rest = await hub.post('/a2a/message:send', JSON.stringify({ message }), {
      key: second.key,
    });
    const client = new GrpcClient(grpcTarget(hub), { key: third.key });
    const request = SendMessageRequest.fromJSON({ message });
    const { trailers, reason } = await failureOf(client.call(V1.sendMessage, request));
    client.close();
    expect([rpc.status, rest.status, reason]).toEqual([429, 429, 'QUOTA_EXCEEDED']);
    for (const [{ who }, id, route] of [
      [first, rpc.headers['x-request-id'], 'POST /a2a'],
      [second, rest.headers['x-request-id'], 'POST /a2a/message:send'],
      [third, trailers.get('x-request-id')[0], V1.sendMessage.path],
    ] as const) {
      const entry = await refusalOf(id);
      expect(entry).toMatchObject({ action: 'limits.exceed', outcome: 'refused', ...who });
      expect(entry.details).toEqual({
        ...{ reason: 'QUOTA_EXCEEDED', limit: { kind, ...whose } },
        ...{ route, operation: 'SendMessage', address: '127.0.0.1' },
      });
      expect(JSON.stringify(entry)).not.toContain('hello');
    }
  });

  it('and sends a thousand requests more is a few entries with their number', async () => {
    const { key, who } = await caller('flooding');
    await put('flooding', { principal: who.principal!, requestsPerSecond: 5 });
    let refused = 0;
    const ask = async (n: number): Promise<void> => {
      const path = n % 2 ? '/a2a/tasks' : `/a2a/tasks/x${n}`;
      if ((await hub.get(path, { key })).status === 429) refused += 1;
    };
    for (let sent = 0; sent < 1000; sent += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, n) => ask(n)));
    }
    await hub.app.get(Refusals).writeCounts();
    const entries = await refusals(`action=limits.exceed&principal=${who.principal}`);
    expect(entries.length).toBeLessThanOrEqual(4);
    expect(entries.at(-1).details).toMatchObject({
      reason: 'RATE_LIMITED',
      route: expect.stringContaining('GET /a2a/tasks'),
      limit: { kind: 'requestsPerSecond', principal: who.principal },
    });
    expect(refused).toBeGreaterThan(500);
    const told = entries.map(({ details }) => details.count ?? 1);
    expect(told.reduce((sum: number, count: number) => sum + count, 0)).toBe(refused);
  });
});
