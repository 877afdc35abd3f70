import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../../src/common/clock.js';
import { Database } from '../../src/database/database.js';
import { TaskState } from '../../src/protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../src/protocol/routing-extension.js';
import { startSdkAgent } from '../support/agents.js';
import { type Hub, type HubOptions, startHub } from '../support/app.js';
import { startPostgres } from '../support/databases.js';
import type { JsonObject } from '../support/json.js';
import { OidcServer } from '../support/oidc-server.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { closeClient, sdkClient, sdkRequest } from '../support/sdk-client.js';
import { TestIssuer } from '../support/test-issuer.js';
import { visitEverything } from '../support/visit-everything.js';

let provider: OidcServer;
let issuer: TestIssuer;
let hub: Hub;
let agent: ScriptedAgent;

beforeAll(async () => {
  [provider, issuer] = await Promise.all([OidcServer.start(), TestIssuer.start()]);
  agent = await ScriptedAgent.start();
  hub = await startHub({ config: { auth: { issuers: issuers() }, grpc: { port: -1 } } });
  provider.hubs.add(hub.url);
});

afterAll(() => Promise.all([hub, agent, provider, issuer].map((each) => each?.close())));

beforeEach(async () => {
  for (const id of ['z', 'y']) await hub.admin('DELETE', `/api/v1/agents/${id}`);
  agent.calls.splice(0);
  for (const name of Object.keys(agent.handlers)) delete agent.handlers[name];
  provider.exchanges.splice(0);
  provider.takes = true;
});

/** `clockSkew` 0: a token has expired when it says so. */
const issuers = () => [
  { id: 'real', issuer: provider.url, organization: 'acme', clockSkew: '0s' },
  { id: 'test', issuer: issuer.url, organization: 'acme', clockSkew: '0s' },
];

/** Exchanges the caller's token at the provider for one that is for the agent. */
const exchange = (changes: JsonObject = {}): JsonObject => ({
  type: 'token-exchange',
  issuer: provider.url,
  clientId: 'a2a-hub',
  clientSecret: 'secret-of-a2a-hub',
  audience: 'https://payroll.example',
  issuers: ['real'],
  ...changes,
});
const passOn = (...ids: string[]): JsonObject => ({ type: 'caller-token', issuers: ids });
const register = (authentication: JsonObject, fields: JsonObject = {}) =>
  hub.registerAgent(agent.url, { id: 'z', authentication, ...fields });
const say = (key: string, fields: JsonObject = {}) =>
  hub.send('hi', { tenant: 'z', ...fields }, { key });
const sent = () => agent.calls.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));
const tokens = () =>
  hub.app.get(Database).read<{ sealed_token: string }>('SELECT * FROM task_tokens');

/** What the task that came of it says in the end. */
function told({ task }: JsonObject): [string, string] {
  const { state, message } = (task as JsonObject)['status'] as {
    state: string;
    message?: { parts: { text: string }[] };
  };
  return [state, message?.parts.map(({ text }) => text).join('') ?? ''];
}

/** The agent asks, and completes with the answer. */
function asksFirst(): void {
  const answer = (call: { message: JsonObject; result(value: unknown): void }): void => {
    const isAnswer = Boolean(call.message['taskId']);
    const state = isAnswer ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_INPUT_REQUIRED';
    call.result({ task: { id: 'd1', contextId: 'c1', status: { state } } });
  };
  agent.handlers['SendMessage'] = answer;
  agent.handlers['SendStreamingMessage'] = answer;
  // The hub looks at a task that waits now and then.
  agent.handlers['GetTask'] = (call) =>
    call.result({ id: 'd1', contextId: 'c1', status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
}

describe('an agent that gets a token in the name of its caller', () => {
  it('is called with one that the provider gives for that of the caller, which is kept', async () => {
    await register(exchange({ scopes: ['hub.call'] }));
    const own = await provider.token('billing', hub.url);
    await say(own);
    await say(own);
    const [token] = sent();
    expect(await provider.verified(token!, 'https://payroll.example')).toMatchObject({
      sub: 'billing',
      act: { sub: 'a2a-hub' },
    });
    expect(new Set(sent()).size).toBe(1);
    expect(provider.exchanges).toMatchObject([
      {
        subject_token: own,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        scope: 'hub.call',
      },
    ]);
    await say(await provider.token('operations', hub.url));
    const other = await provider.verified(sent().at(-1)!, 'https://payroll.example');
    expect(other['sub']).toBe('operations');
  });

  it('is called with another one for an organization with credentials of its own, though they are alike', async () => {
    await register(exchange());
    const own = await provider.token('billing', hub.url);
    await say(own);
    const put = await hub.admin('PUT', '/api/v1/agents/z/credentials/acme', {
      authentication: exchange(),
    });
    expect(put.status).toBe(201);
    await say(own);
    await say(own);
    await hub.admin('DELETE', '/api/v1/agents/z/credentials/acme');
    await say(own);
    const [first, second, third, last] = sent();
    expect([second, third, last]).toEqual([expect.not.stringMatching(first!), second, first]);
    expect(provider.exchanges).toHaveLength(2);
  });

  it.each(['JSONRPC', 'HTTP+JSON', 'GRPC'] as const)('whoever calls over %s', async (binding) => {
    await register(exchange());
    const client = await sdkClient(
      hub.url,
      await provider.token('billing', hub.url),
      '1.0',
      binding,
    );
    await client.sendMessage({ ...sdkRequest('go'), tenant: 'z' });
    closeClient(client);
    const claims = await provider.verified(sent()[0]!, 'https://payroll.example');
    expect(claims['sub']).toBe('billing');
  });

  it('may be told of the hub as the actor, by a token of its own', async () => {
    await register(exchange({ actor: true, resource: 'https://payroll.example' }));
    await say(await provider.token('billing', hub.url));
    expect(provider.exchanges).toMatchObject([
      {
        actor_token: expect.stringMatching(/./),
        actor_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      },
    ]);
    expect(sent()[0]).toBeDefined();
  });

  it('is called with a new token of the actor when the provider does not take the one before', async () => {
    await register(exchange({ actor: true, resource: 'https://payroll.example/again' }));
    const actors = () => provider.exchanges.splice(0).map((each) => each['actor_token']);
    const [one, two, three] = await Promise.all(
      ['billing', 'operations', 'a2a-hub'].map((client) => provider.token(client, hub.url)),
    );
    expect(told(await say(one!))[0]).toBe('TASK_STATE_COMPLETED');
    const [first] = actors();
    provider.refusedActors.add(first!);
    expect(told(await say(two!))[0]).toBe('TASK_STATE_COMPLETED');
    const [refused, second, ...more] = actors();
    expect([refused, second, more]).toEqual([first, expect.not.stringMatching(first!), []]);
    // One that is new is not given up again: it is the caller's that is refused.
    provider.takes = false;
    const answer = await say(three!);
    const [state, why] = told(answer);
    expect([state, why]).toEqual([
      'TASK_STATE_AUTH_REQUIRED',
      expect.stringContaining('fresh access token'),
    ]);
    expect(actors()).toEqual([second]);
    const { id } = answer['task'] as { id: string };
    await hub.admin('POST', `/api/v1/tasks/${id}:cancel`, {});
  });

  it('is not called when the provider does not take the word of the hub, which is no fault of the caller', async () => {
    await register(exchange({ subject: 'hub', issuers: null }));
    provider.hubs.delete(hub.url);
    const [state, why] = told(await say(await hub.key()));
    provider.hubs.add(hub.url);
    expect(state).toBe('TASK_STATE_FAILED');
    expect(why).toContain(`${hub.url}/.well-known/jwks.json`);
    expect(why).not.toMatch(/fresh|send the message/);
    expect(agent.calls).toHaveLength(0);
  });

  it('is called for callers with API keys when the provider takes the word of the hub', async () => {
    await register(exchange({ subject: 'hub', issuers: null }));
    await say(await hub.key());
    const claims = await provider.verified(sent()[0]!, 'https://payroll.example');
    const { body } = await hub.admin('GET', '/api/v1/keys');
    const ids = (body.items as JsonObject[]).map((each) => each['principalId']);
    expect(ids).toContain(claims['sub']);
    expect(await tokens()).toEqual([]);
  });

  it('is not called when the provider does not take the token: the task waits, and its client reads why', async () => {
    await register(exchange({ issuers: ['test'] }));
    const answer = await say(await issuer.token({ aud: hub.url }));
    const [state, why] = told(answer);
    expect(state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(why).toContain('does not accept the token of its caller');
    expect(why).toContain('fresh access token');
    expect(agent.calls).toHaveLength(0);
    const { body } = await hub.admin('GET', '/api/v1/agents/z');
    expect(body.health.lastError).toBeNull();
    const { id } = answer['task'] as { id: string };
    const canceled = await hub.admin('POST', `/api/v1/tasks/${id}:cancel`, {});
    expect(canceled.status).toBe(200);
    expect(agent.calls).toHaveLength(0);
  });

  it.each([
    ['JSONRPC', '1.0'],
    ['JSONRPC', '0.3'],
    ['HTTP+JSON', '1.0'],
    ['GRPC', '1.0'],
  ] as const)(
    'gets all in its order once a fresh token is there, over %s %s',
    async (binding, version) => {
      await register(exchange(), { tags: ['shared'] });
      provider.takes = false;
      const key = await provider.token('billing', hub.url);
      const client = await sdkClient(hub.url, key, version, binding);
      const message = { metadata: { skillTags: ['shared'] } };
      const states: (TaskState | undefined)[] = [];
      for await (const { payload } of client.sendMessageStream(sdkRequest('first', { message }))) {
        if (payload?.$case !== 'statusUpdate') continue;
        const { status, taskId } = payload.value;
        states.push(status?.state);
        if (status?.state !== TaskState.TASK_STATE_AUTH_REQUIRED) continue;
        expect(status.message?.metadata?.[ROUTING_EXTENSION_URI]).toMatchObject({
          ...{ agentId: 'z', state: 'auth-required', awaits: 'caller-token' },
        });
        expect(agent.calls).toHaveLength(0);
        provider.takes = true;
        const fresh = await provider.token('billing', hub.url);
        await hub.send('second', { message: { taskId } }, { key: fresh });
      }
      closeClient(client);
      expect(states).toContain(TaskState.TASK_STATE_AUTH_REQUIRED);
      expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
      expect(agent.calls.map((call) => call.message['parts'])).toMatchObject([
        [{ text: 'first' }],
        [{ text: 'second' }],
      ]);
    },
  );
});

describe('an agent that gets the token of its caller', () => {
  it('gets it as it is', async () => {
    await register(passOn('real'));
    const own = await provider.token('billing', hub.url);
    await say(own);
    expect(new Set(sent())).toEqual(new Set([own]));
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ['an API key', () => hub.key(), /there is none \(an API key/],
    ['the admin key', () => Promise.resolve(hub.adminKey), /there is none/],
    ['the token of another issuer', () => issuer.token({ aud: hub.url }), /issuer whose tokens/],
  ])('never gets %s', async (_, keyOf, why) => {
    await register(passOn('real'));
    const key = await keyOf();
    const [state, reason] = told(await say(key));
    expect([state, reason]).toEqual(['TASK_STATE_FAILED', expect.stringMatching(why)]);
    expect(agent.calls).toHaveLength(0);
  });

  it('leaves its place to the next agent of the route when there is no token', async () => {
    await register(passOn('real'), { tags: ['shared'], priority: 9 });
    await hub.registerAgent(agent.url, { id: 'y', tags: ['shared'] });
    const [state] = told(
      await hub.send('hi', { message: { metadata: { skillTags: ['shared'] } } }),
    );
    expect(state).toBe('TASK_STATE_COMPLETED');
    expect(new Set(sent())).toEqual(new Set([undefined]));
  });

  it('gets the fresh one of a follow-up', async () => {
    asksFirst();
    await register(passOn('test'));
    const exp = Math.floor(Date.now() / 1000) + 3;
    const first = await issuer.token({ aud: hub.url, sub: 'ann', exp });
    const { task } = (await say(first)) as { task: JsonObject };
    const [row] = await tokens();
    expect(row!.sealed_token).not.toContain(first);
    await new Promise((resolve) => setTimeout(resolve, exp * 1000 - Date.now() + 50));
    const fresh = await issuer.token({ aud: hub.url, sub: 'ann' });
    const message = { taskId: task['id'] };
    const [state] = told(await hub.send('well', { message }, { key: fresh }));
    expect(state).toBe('TASK_STATE_COMPLETED');
    const [begun, answered] = [sent()[0], sent().at(-1)];
    expect([begun, answered]).toEqual([first, fresh]);
    expect(await tokens()).toEqual([]);
  }, 20_000);

  it('is answered with what has waited and with what came later, when the owner brings a fresh one', async () => {
    asksFirst();
    await register(passOn('test'));
    const exp = Math.floor(Date.now() / 1000) + 3;
    const { task } = (await say(await issuer.token({ aud: hub.url, sub: 'ann', exp }))) as {
      task: JsonObject;
    };
    const message = { taskId: task['id'] };
    const scopes = ['a2a', 'tasks:organization'];
    const key = await hub.createKey({ organization: 'acme', scopes });
    await new Promise((resolve) => setTimeout(resolve, exp * 1000 - Date.now() + 50));
    // Somebody else may answer, and cannot bring what is missing.
    const [state, why] = told(await hub.send('well', { message }, { key }));
    expect([state, why]).toEqual(['TASK_STATE_AUTH_REQUIRED', expect.stringContaining('expired')]);
    const before = agent.calls.length;
    const fresh = await issuer.token({ aud: hub.url, sub: 'ann' });
    const [ended] = told(await hub.send('here it is', { message }, { key: fresh }));
    expect(ended).toBe('TASK_STATE_COMPLETED');
    expect(agent.calls.slice(before).map((each) => each.message['parts'])).toMatchObject([
      [{ text: 'well' }],
    ]);
    expect(sent().at(-1)).toBe(fresh);
  }, 20_000);

  it('gets it also when its server is asked how it has files', async () => {
    const legacy = await startSdkAgent({ version: '0.3', binding: 'HTTP+JSON', hasUsers: true });
    await hub.registerAgent(legacy.url, { id: 'y', authentication: passOn('test') });
    const own = await issuer.token({ aud: hub.url, sub: 'ann' });
    const message = { parts: [{ raw: 'aGk=', mediaType: 'image/png' }] };
    const [state] = told(await hub.send('', { tenant: 'y', message }, { key: own }));
    await legacy.close();
    expect(state).toBe('TASK_STATE_COMPLETED');
    expect(legacy.asked.map(({ operation, user }) => [operation, user])).toEqual([
      ['getTask', `Bearer ${own}`],
      ['sendMessageStream', `Bearer ${own}`],
    ]);
  });

  it('gets that of the owner of the task, whoever else answers', async () => {
    asksFirst();
    await register(passOn('test'));
    const owner = await issuer.token({ aud: hub.url, sub: 'ann' });
    const { task } = (await say(owner)) as { task: JsonObject };
    const scopes = ['a2a', 'tasks:organization'];
    const key = await hub.createKey({ organization: 'acme', scopes });
    await hub.send('well', { message: { taskId: task['id'] } }, { key });
    expect(new Set(sent())).toEqual(new Set([owner]));
  });
});

describe('the token of a caller', () => {
  it('goes to no agent that is not configured for it, and is not stored', async () => {
    asksFirst();
    await hub.registerAgent(agent.url, { id: 'z' });
    await say(await provider.token('billing', hub.url));
    expect(new Set(sent())).toEqual(new Set([undefined]));
    expect(await tokens()).toEqual([]);
  });

  it('is in no answer of the hub', async () => {
    asksFirst();
    await register(exchange());
    const own = await provider.token('billing', hub.url);
    await say(own);
    expect(await tokens()).toHaveLength(1);
    const { text } = await visitEverything(hub);
    for (const secret of [own, sent()[0]!, 'secret-of-a2a-hub']) expect(text).not.toContain(secret);
  }, 30_000);

  it('is still there for another process, started after the task was accepted', async () => {
    const database = await startPostgres();
    const databaseUrl = await database.migratedUrl();
    const auth = { issuers: issuers() };
    // The agent of the others is asked about tasks that wait.
    const called = await ScriptedAgent.start();
    const hubs: Hub[] = [];
    const start = async (config: HubOptions['config']): Promise<Hub> => {
      const started = await startHub({ databaseUrl, config: { auth, ...config } });
      hubs.unshift(started);
      return started;
    };
    try {
      const api = await start({ role: 'api' });
      const own = await provider.token('billing', api.url);
      await api.registerAgent(called.url, { id: 'z', authentication: exchange() });
      const { id } = await api.submit('hi', { tenant: 'z' }, { key: own });
      await hubs.pop()!.close();
      expect(called.calls).toHaveLength(0);
      await start({ role: 'worker', publicUrl: 'http://hub.example' });
      const after = await start({ role: 'api', publicUrl: api.url });
      const ended = await after.waitForTask(id as string, undefined, 20_000, { key: own });
      expect(ended).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
      const [token] = called.calls.map(({ headers }) => headers.authorization?.slice(7));
      const claims = await provider.verified(token!, 'https://payroll.example');
      expect(claims['sub']).toBe('billing');

      // One that has to wait outlasts the process that it waited in.
      provider.takes = false;
      const key = await provider.token('operations', api.url);
      const { id: waits } = await after.submit('hi', { tenant: 'z' }, { key });
      await after.waitForTask(waits as string, 'TASK_STATE_AUTH_REQUIRED', 20_000, { key });
      await hubs.pop()!.close();
      await start({ role: 'worker', publicUrl: 'http://hub.example' });
      provider.takes = true;
      const message = { taskId: waits as string };
      await after.submit(
        'go on',
        { message },
        { key: await provider.token('operations', api.url) },
      );
      await after.waitForTask(waits as string, 'TASK_STATE_COMPLETED', 20_000, { key });
      const texts = called.calls.map((call) => (call.message['parts'] as JsonObject[])[0]!['text']);
      expect(texts).toEqual(['hi', 'hi', 'go on']);
    } finally {
      await called.close();
      for (const each of hubs) await each.close();
      await database.stop();
    }
  }, 60_000);
});

describe('such an agent', () => {
  it.each<[JsonObject, string]>([
    [exchangeOf({ issuers: null }), 'authentication.issuers'],
    [exchangeOf({ subject: 'hub' }), 'authentication.issuers'],
    [exchangeOf({ subject: 'nobody' }), 'authentication.subject'],
    [exchangeOf({ clientId: null }), 'authentication.clientId'],
    [exchangeOf({ actor: 'yes' }), 'authentication.actor'],
    [exchangeOf({ issuers: ['Not An Id'] }), 'authentication.issuers'],
    [exchangeOf({ issuers: ['real', 'reel'] }), 'authentication.issuers'],
    [{ type: 'caller-token' }, 'authentication.issuers'],
    [{ type: 'caller-token', issuers: [] }, 'authentication.issuers'],
    [{ type: 'caller-token', issuers: ['real'], audience: 'x' }, 'authentication.audience'],
  ])('is refused with %j', async (authentication, field) => {
    const refused = await hub.admin('POST', '/api/v1/agents', {
      id: 'z',
      cardUrl: agent.url,
      authentication,
    });
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, field]);
  });

  it('is not for those who administer the agents of one organization', async () => {
    const key = await hub.createKey({ organization: 'acme', scopes: ['agents:organization'] });
    const body = { id: 'z', cardUrl: agent.url };
    const made = { ...body, authentication: passOn('real') };
    expect((await hub.admin('POST', '/api/v1/agents', made, key)).status).toBe(403);
    expect((await hub.admin('POST', '/api/v1/agents:check', made, key)).status).toBe(403);
    expect((await hub.admin('POST', '/api/v1/agents', body, key)).status).toBe(201);
    const change = { authentication: exchange() };
    const patched = await hub.admin('PATCH', '/api/v1/agents/z', change, key);
    expect([patched.status, patched.text]).toEqual([403, expect.stringContaining('scope agents')]);
    const own = { authentication: exchange({ subject: 'hub', issuers: null }) };
    expect((await hub.admin('PATCH', '/api/v1/agents/z', own, key)).status).toBe(200);
  });

  it('cannot be called elsewhere with what is kept by those who administer one organization', async () => {
    await register(passOn('real'), { organizations: ['acme'] });
    const key = await hub.createKey({ organization: 'acme', scopes: ['agents:organization'] });
    const patch = (fields: JsonObject) => hub.admin('PATCH', '/api/v1/agents/z', fields, key);
    const kept = await patch({ credentials: { 'x-key': 'x' } });
    expect([kept.status, kept.text]).toEqual([403, expect.stringContaining('scope agents')]);
    expect((await patch({ priority: 1 })).status).toBe(200);
    const { body } = await hub.admin('GET', '/api/v1/agents/z');
    expect([body.credentials, body.authentication.type]).toEqual([[], 'caller-token']);
    const both = await patch({ authentication: null, credentials: { 'x-key': 'x' } });
    expect(both.status).toBe(200);
  });

  it('shows how it is called', async () => {
    await register(exchange({ actor: true }));
    const { body } = await hub.admin('GET', '/api/v1/agents/z');
    const shown = exchange({ actor: true });
    delete shown['clientSecret'];
    expect(body.authentication).toEqual(shown);
  });
});

/** Before there is a provider. */
function exchangeOf(changes: JsonObject): JsonObject {
  return {
    type: 'token-exchange',
    tokenUrl: 'http://127.0.0.1:9/token',
    clientId: 'a2a-hub',
    clientSecret: 'x',
    issuers: ['real'],
    ...changes,
  };
}

describe('an agent that lacks a token', () => {
  it('is tried no second time where no fresh one would do', async () => {
    asksFirst();
    await register(passOn('test'));
    const own = await issuer.token({ aud: hub.url, sub: 'ann' });
    const { task } = (await say(own)) as { task: JsonObject };
    await hub.admin('PATCH', '/api/v1/agents/z', { authentication: passOn('real') });
    const sleep = jest.spyOn(hub.app.get(Clock), 'sleep');
    const message = { taskId: task['id'] };
    const [state, why] = told(await hub.send('well', { message }, { key: own }));
    expect([state, why]).toEqual(['TASK_STATE_FAILED', expect.stringMatching(/issuer whose/)]);
    // The pause before an agent that is out of reach is tried again.
    expect(sleep).not.toHaveBeenCalledWith(500, expect.anything());
    sleep.mockRestore();
  });
});
