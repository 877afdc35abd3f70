import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { type Metadata, type sendUnaryData, Server, ServerCredentials } from '@grpc/grpc-js';
import { TaskState } from '../../src/protocol/a2a.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { Json, JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { TokenServer } from '../support/token-server.js';

const SHARED = 'Bearer of the agent';
const OWN = 'Bearer of the red team';

describe('what an agent is called with for one organization', () => {
  let hub: Hub;
  let tokens: TokenServer;
  let agent: ScriptedAgent;
  /** Clients of two organizations, and who administers the agents of the first. */
  let red: string;
  let blue: string;
  let redTeam: string;

  beforeAll(async () => {
    hub = await startHub();
    tokens = await TokenServer.start('client_secret_basic');
    red = await hub.createKey({ organization: 'red' });
    blue = await hub.createKey({ organization: 'blue' });
    redTeam = await hub.createKey({ organization: 'red', scopes: ['agents:organization'] });
  });

  beforeEach(async () => {
    agent = await ScriptedAgent.start();
    tokens.requests = 0;
    await hub.registerAgent(agent.url, { id: 'z', credentials: { authorization: SHARED } });
  });

  afterEach(async () => {
    await hub.admin('DELETE', '/api/v1/agents/z');
    await agent.close();
  });

  afterAll(() => Promise.all([hub.close(), tokens.close()]));

  const path = (organization = 'red', id = 'z') =>
    `/api/v1/agents/${id}/credentials/${organization}`;
  const put = (body: JsonObject, key?: string, organization?: string) =>
    hub.admin('PUT', path(organization), body, key);
  const say = (key: string) => hub.send('hi', { tenant: 'z' }, { key });
  const sent = () => agent.calls.map(({ headers }) => headers.authorization);
  const shown = async (key?: string): Promise<Json> =>
    (await hub.admin('GET', '/api/v1/agents/z', undefined, key)).body;
  const authentication = (): JsonObject => ({
    type: 'oauth2-client-credentials',
    tokenUrl: tokens.tokenUrl,
    clientId: tokens.clientId,
    clientSecret: tokens.clientSecret,
  });

  it('is for its tasks alone, until it is deleted, and is never shown', async () => {
    const made = await put({ credentials: { authorization: OWN } });
    expect([made.status, made.body]).toEqual([
      201,
      {
        agentId: 'z',
        organization: 'red',
        credentials: ['authorization'],
        references: [],
        authentication: null,
        credentialOrigins: [agent.url],
        updatedAt: expect.any(String),
      },
    ]);
    await say(red);
    await say(blue);
    expect(sent()).toEqual([OWN, SHARED]);
    expect((await shown()).organizationCredentials).toEqual(['red']);
    expect((await hub.admin('GET', path())).body).toEqual(made.body);
    const again = await put({ credentials: { 'x-key': 'red key' } });
    expect([again.status, again.body.credentials]).toEqual([200, ['x-key']]);
    await say(red);
    expect(sent()[2]).toBeUndefined();
    expect(agent.calls[2]!.headers['x-key']).toBe('red key');
    expect((await hub.admin('DELETE', path())).status).toBe(204);
    await say(red);
    expect(sent()[3]).toBe(SHARED);
    const audit = await hub.admin('GET', '/api/v1/audit?limit=100');
    expect(audit.text).toContain('agents.credentials');
    for (const text of [made.text, again.text, audit.text]) expect(text).not.toContain(OWN);
  });

  it('goes with every call of a task: sending, streaming, looking and canceling', async () => {
    await put({ credentials: { authorization: OWN } });
    const status = (state: string) => ({ id: 't', contextId: 'c', status: { state } });
    agent.handlers['*'] = (call) => {
      if (call.method === 'CancelTask') return call.result(status('TASK_STATE_CANCELED'));
      if (call.method === 'GetTask') return call.result(status('TASK_STATE_WORKING'));
      if (call.method === 'SubscribeToTask') return call.error(-32_601, 'unknown');
      if (call.method !== 'SendStreamingMessage') {
        return call.result({ task: status('TASK_STATE_WORKING') });
      }
      call.event({ task: status('TASK_STATE_WORKING') });
      call.end();
    };
    const { id } = await hub.submit('hi', { tenant: 'z' }, { key: red });
    await eventually(() =>
      expect(agent.calls.some(({ method }) => method === 'GetTask')).toBe(true),
    );
    await hub.rpc('CancelTask', { id }, { key: red });
    await eventually(() =>
      expect(agent.calls.some(({ method }) => method === 'CancelTask')).toBe(true),
    );
    expect(new Set(sent())).toEqual(new Set([OWN]));
  });

  it('may be changed while a task goes on, as that of the agent may', async () => {
    const taken = new Set([OWN, SHARED]);
    let state = 'TASK_STATE_WORKING';
    agent.handlers['*'] = (call) => {
      if (!taken.has(String(call.headers.authorization))) {
        return void call.response.writeHead(401).end();
      }
      if (call.method === 'SubscribeToTask') return call.error(-32_601, 'unknown');
      const task = { id: 't', contextId: 'c', status: { state } };
      if (call.method !== 'SendStreamingMessage') return call.result(task);
      call.event({ task });
      call.end();
    };
    await put({ credentials: { authorization: OWN } });
    const [ours, theirs] = await Promise.all(
      [red, blue].map((key) => hub.submit('hi', { tenant: 'z' }, { key })),
    );
    const looks = () => agent.callsOf('GetTask').map(({ headers }) => headers.authorization);
    await eventually(() => expect(new Set(looks())).toEqual(taken));
    const next = ['Bearer of the red team, next', 'Bearer of the agent, next'];
    for (const one of next) taken.add(one);
    await put({ credentials: { authorization: next[0] } });
    await hub.admin('PATCH', '/api/v1/agents/z', { credentials: { authorization: next[1] } });
    for (const one of [OWN, SHARED]) taken.delete(one);
    await eventually(() => expect(looks().slice(-2).sort()).toEqual(next.toSorted()));
    state = 'TASK_STATE_COMPLETED';
    await hub.waitForTask(ours!['id'] as string, state, 10_000, { key: red });
    await hub.waitForTask(theirs!['id'] as string, state, 10_000, { key: blue });
  });

  it('goes over gRPC as well', async () => {
    const seen: (string | undefined)[] = [];
    const grpc = new Server();
    grpc.addService(A2AService, {
      sendMessage: ({ metadata }: { metadata: Metadata }, done: sendUnaryData<object>) => {
        seen.push(metadata.get('authorization')[0]?.toString());
        const value = {
          ...{ id: 't', contextId: 'c', artifacts: [], history: [] },
          status: { state: TaskState.TASK_STATE_COMPLETED },
        };
        done(null, { payload: { $case: 'task', value } });
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    await hub.admin('DELETE', '/api/v1/agents/z');
    const card = {
      ...agent.card(),
      capabilities: { streaming: false },
      supportedInterfaces: [
        { url: `127.0.0.1:${port}`, protocolBinding: 'GRPC', protocolVersion: '1.0' },
      ],
    };
    const request = { id: 'z', card, credentials: { authorization: SHARED } };
    expect((await hub.admin('POST', '/api/v1/agents', request)).status).toBe(201);
    await put({ credentials: { authorization: OWN } });
    await say(red);
    await say(blue);
    grpc.forceShutdown();
    expect(seen).toEqual([OWN, SHARED]);
  });

  it('shares no token with others, whoever they are, though it is asked for alike', async () => {
    await hub.admin('PATCH', '/api/v1/agents/z', {
      credentials: null,
      authentication: authentication(),
    });
    await put({ authentication: authentication() });
    await put({ authentication: authentication() }, undefined, 'blue');
    const third = await hub.createKey({ organization: 'green' });
    for (const key of [red, blue, third, red, blue, third]) await say(key);
    expect(tokens.requests).toBe(3);
    expect(new Set(sent()).size).toBe(3);
  });

  it('is sent only to the servers that it was given for', async () => {
    const other = await ScriptedAgent.start();
    await put({ credentials: { authorization: OWN } });
    await hub.admin('PATCH', '/api/v1/agents/z', {
      endpointOverride: `${other.url}/rpc`,
      credentials: { authorization: SHARED },
    });
    await say(red).catch(() => undefined);
    await say(blue);
    await other.close();
    expect(agent.calls).toEqual([]);
    expect(other.calls.map(({ headers }) => headers.authorization)).toEqual([SHARED]);
  });

  it('keeps nobody else from the agent when it is refused', async () => {
    await put({ credentials: { authorization: OWN } });
    agent.handlers['*'] = (call) =>
      call.headers.authorization === OWN
        ? void call.response.writeHead(401).end()
        : call.result({
            task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } },
          });
    for (let count = 0; count < 12; count++) await say(red).catch(() => undefined);
    const { health } = await shown();
    expect(health.lastError).toBeNull();
    await say(blue);
    expect(sent().at(-1)).toBe(SHARED);
  });

  it('goes with the agent: who takes its id anew is called with its own', async () => {
    await put({ credentials: { authorization: OWN } });
    await hub.admin('DELETE', '/api/v1/agents/z');
    expect((await hub.admin('GET', path())).status).toBe(404);
    await hub.registerAgent(agent.url, { id: 'z', credentials: { authorization: SHARED } });
    expect((await hub.admin('GET', path())).status).toBe(404);
    await say(red);
    expect(sent()).toEqual([SHARED]);
  });

  it('goes with the organization', async () => {
    const key = await hub.createKey({ organization: 'leaving' });
    await put({ credentials: { authorization: OWN } }, undefined, 'leaving');
    await say(key);
    const asked = await hub.admin('POST', '/api/v1/data/deletions', {
      organization: 'leaving',
      confirm: 'leaving',
    });
    expect(asked.status).toBe(202);
    await eventually(async () => {
      const { body } = await hub.admin('GET', `/api/v1/data/deletions/${asked.body.id}`);
      expect(body.state).toBe('done');
    });
    expect((await hub.admin('GET', path('leaving'))).status).toBe(404);
    await eventually(async () => expect((await shown()).organizationCredentials).toEqual([]));
  });

  it('keeps an organization from being deleted before it', async () => {
    const made = await hub.admin('POST', '/api/v1/organizations', { id: 'lonely' });
    expect(made.status).toBe(201);
    await put({ credentials: { authorization: OWN } }, undefined, 'lonely');
    const remove = () => hub.admin('DELETE', '/api/v1/organizations/lonely');
    const kept = await remove();
    expect([kept.status, kept.body.detail]).toEqual([
      409,
      'The organization lonely still has credentials for agents: delete them first, or all of its data (POST /api/v1/data/deletions).',
    ]);
    await hub.admin('DELETE', path('lonely'));
    expect((await remove()).status).toBe(204);
  });

  it('is set by a team for itself alone, for agents that it may use', async () => {
    const body = { credentials: { authorization: OWN } };
    expect((await put(body, redTeam)).status).toBe(201);
    await say(red);
    expect(sent()).toEqual([OWN]);
    for (const method of ['PUT', 'GET', 'DELETE']) {
      const given = method === 'PUT' ? body : undefined;
      const { status } = await hub.admin(method, path('blue'), given, redTeam);
      expect(status).toBe(404);
    }
    await say(blue);
    expect(sent()[1]).toBe(SHARED);
    await hub.admin('PATCH', '/api/v1/agents/z', { organizations: ['blue'] });
    expect((await put(body, redTeam)).status).toBe(404);
    expect((await hub.admin('DELETE', path(), undefined, redTeam)).status).toBe(204);
    const exchange = { ...authentication(), type: 'token-exchange', issuers: ['acme'] };
    await hub.admin('PATCH', '/api/v1/agents/z', { organizations: null });
    expect((await put({ authentication: exchange }, redTeam)).status).toBe(403);
  });

  it.each<[string, JsonObject, string]>([
    ['nothing', {}, 'credentials'],
    ['a header that the hub sets', { credentials: { host: 'x' } }, 'credentials.host'],
    ['no object', { credentials: 'x' }, 'credentials'],
    [
      'one header twice',
      { credentials: { authorization: OWN }, authentication: { type: 'mtls' } },
      'authentication.certificate',
    ],
    [
      'a type without its members',
      { authentication: { type: 'mtls' } },
      'authentication.certificate',
    ],
  ])('is refused when it is %s', async (_what, body, field) => {
    const { status, body: answer, text } = await put(body);
    expect(status).toBe(400);
    expect((answer.errors as JsonObject[]).map((each) => each['field'])).toContain(field);
    expect(text).not.toContain(OWN);
    expect((await hub.admin('GET', path())).status).toBe(404);
  });

  it('is refused for an agent that there is not', async () => {
    const body = { credentials: { authorization: OWN } };
    expect((await hub.admin('PUT', path('red', 'nobody'), body)).status).toBe(404);
    expect((await hub.admin('DELETE', path('red', 'nobody'))).status).toBe(404);
  });
});
