import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type AgentTurn, type RunningAgent, startSdkAgent } from '../support/agents.js';
import { ADMIN_KEY, type Hub, type HttpAnswer } from '../support/app.js';
import { FileHub } from '../support/file-hub.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { isEnd, notifiedTask } from '../support/notified-tasks.js';
import { WebhookSink } from '../support/webhook-sink.js';

const PATH = '/api/v1/push/subscriptions';
const PUSH = { schedule: ['100ms', '100ms', '100ms'], jitter: 0, timeout: '1s' };
const files = new FileHub({ LEDGER_TOKEN: 'token-of-the-ledger' });

/** What the configuration file says besides the settings of all tests. */
const declare = (subscriptions: object[] = []): void => files.write({ push: PUSH, subscriptions });

async function behave(turn: AgentTurn): Promise<void> {
  turn.task().working('thinking');
  await turn.pause(5);
  turn.artifact('answer', `for ${turn.text}`).complete();
}

let hub: Hub;
let sink: WebhookSink;
let keys: { acme: string; member: string; evil: string };
const agents: RunningAgent[] = [];

beforeAll(async () => {
  declare();
  hub = await files.start();
  for (const [id, tags] of [
    ['billing', ['money']],
    ['writer', ['words']],
  ] as const) {
    const agent = await startSdkAgent({ name: id, execute: behave });
    agents.push(agent);
    await hub.registerAgent(agent.url, { id, tags });
  }
  const scopes = ['a2a', 'push', 'tasks:organization'];
  keys = {
    acme: await hub.createKey({ name: 'acme', organization: 'acme', scopes }),
    member: await hub.createKey({ name: 'member', organization: 'acme' }),
    evil: await hub.createKey({ name: 'evil', organization: 'evil', scopes }),
  };
});
beforeEach(async () => {
  sink = await WebhookSink.start();
});
afterEach(async () => {
  for (const { id, source } of await listed()) {
    if (source === 'api') await hub.admin('DELETE', `${PATH}/${String(id)}`);
  }
  await sink.close();
});
afterAll(async () => {
  await hub?.close();
  for (const agent of agents) await agent.close();
  files.remove();
});

const listed = async (key = ADMIN_KEY): Promise<JsonObject[]> =>
  (await hub.admin('GET', PATH, undefined, key)).body.items as JsonObject[];

const act = (id: unknown, action: string, body?: object, key = keys.acme): Promise<HttpAnswer> =>
  hub.admin('POST', `${PATH}/${String(id)}:${action}`, body, key);

/** Makes a subscription; its id. */
async function subscribe(fields: JsonObject = {}, key = keys.acme): Promise<string> {
  const answer = await hub.admin('POST', PATH, { url: sink.url('/all'), ...fields }, key);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body.id as string;
}

/** Has an agent do a whole task; its id. */
async function work(text: string, agentId = 'billing', key = keys.acme): Promise<string> {
  const params = { message: { metadata: { agentId } } };
  const { task } = await hub.send(text, params, { key });
  return (task as JsonObject)['id'] as string;
}

const kinds = (taskId: string, path = '/all'): string[] =>
  sink
    .at(path)
    .filter((each) => notifiedTask(each) === taskId)
    .map(({ json }) => Object.keys(json as object)[0]!);

/** This header of all requests to a path. */
const heads = (name: string, path = '/all'): unknown[] =>
  sink.at(path).map(({ headers }) => headers[name]);

const deliveriesOf = async (taskId: string): Promise<JsonObject[]> =>
  (await hub.admin('GET', `/api/v1/push/deliveries?taskId=${taskId}`)).body.items as JsonObject[];

describe('a subscription', () => {
  it('gets every task of its organization, whoever began it, and none of another', async () => {
    const ours = await subscribe({ name: 'Ledger' });
    const theirs = await subscribe({ url: sink.url('/evil') }, keys.evil);
    const tasks = [await work('one'), await work('two', 'writer', keys.member)];
    const foreign = await work('three', 'billing', keys.evil);
    for (const taskId of [...tasks, foreign]) await sink.waitFor(isEnd(taskId));
    for (const taskId of tasks) {
      expect(kinds(taskId)).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate']);
    }
    expect(new Set(sink.at('/all').map(notifiedTask))).toEqual(new Set(tasks));
    expect(new Set(sink.at('/evil').map(notifiedTask))).toEqual(new Set([foreign]));
    expect(heads('a2a-hub-delivery-number').sort().join('')).toBe('11223344');
    expect(new Set(heads('a2a-hub-subscription'))).toEqual(new Set([ours]));
    expect(new Set(heads('a2a-hub-subscription', '/evil'))).toEqual(new Set([theirs]));
    expect(new Set(heads('webhook-id')).size).toBe(8);
    // The clients of its tasks do not see it.
    const params = { taskId: tasks[0] };
    const list = hub.rpc('ListTaskPushNotificationConfigs', params, { key: keys.acme });
    expect(((await list) as JsonObject)['configs'] ?? []).toEqual([]);
  });

  it('is for the tasks of its owner alone where the key sees no others', async () => {
    const own = await subscribe({}, keys.member);
    expect((await listed(keys.member)).map(({ id, scope }) => [id, scope])).toEqual([[own, 'own']]);
    await work('of another');
    const mine = await work('mine', 'billing', keys.member);
    await sink.waitFor(isEnd(mine));
    expect(new Set(sink.received.map(notifiedTask))).toEqual(new Set([mine]));
    const requested = { url: sink.url(), scope: 'organization' };
    const refused = await hub.admin('POST', PATH, requested, keys.member);
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('tasks:organization'),
    ]);
  });

  it('tells of the agents, tags and states it asks for', async () => {
    await subscribe({ url: sink.url('/agent'), filter: { agents: ['writer'] } });
    await subscribe({ url: sink.url('/tag'), filter: { tags: ['MONEY'] } });
    await subscribe({ url: sink.url('/none'), filter: { agents: ['writer'], tags: ['money'] } });
    await subscribe({ url: sink.url('/end'), filter: { states: ['completed', 'failed'] } });
    await subscribe({ url: sink.url('/old'), version: '0.3', filter: { states: ['completed'] } });
    const [paid, written] = [await work('a'), await work('b', 'writer')];
    await sink.until((all) => all.length === 4 + 4 + 2 + 2);
    expect(new Set(sink.at('/agent').map(notifiedTask))).toEqual(new Set([written]));
    expect(new Set(sink.at('/tag').map(notifiedTask))).toEqual(new Set([paid]));
    expect(sink.at('/none')).toEqual([]);
    expect(kinds(paid, '/end')).toEqual(['statusUpdate']);
    expect(sink.at('/old').map(({ json }) => json)).toEqual([
      expect.objectContaining({ kind: 'task', artifacts: [expect.anything()] }),
      expect.objectContaining({ kind: 'task', artifacts: [expect.anything()] }),
    ]);
  });

  it('joins a task when a later agent meets its filter, with the present state first', async () => {
    const dead = await startSdkAgent({ name: 'dead', execute: behave });
    await hub.registerAgent(dead.url, { id: 'dead', tags: ['shared'], priority: 9 });
    await hub.registerAgent(agents[1]!.url, { id: 'stand-in', tags: ['shared'] });
    await dead.close();
    await subscribe({ filter: { agents: ['stand-in'] } });
    await subscribe({ url: sink.url('/both'), filter: { tags: ['shared'] } });
    const params = { message: { metadata: { skillTags: ['shared'] } } };
    const { task } = await hub.send('x', params, { key: keys.acme });
    const taskId = (task as JsonObject)['id'] as string;
    await sink.until((all) => all.filter(isEnd(taskId)).length === 2);
    expect(kinds(taskId)[0]).toBe('task');
    const [first] = sink.at('/all');
    expect(Number(first!.headers['a2a-hub-sequence'])).toBeGreaterThan(1);
    expect(first!.headers['a2a-hub-delivery-number']).toBe('1');
    // One stream for both of the agents that met this one.
    expect(sink.at('/both')[0]!.headers['a2a-hub-sequence']).toBe('1');
    expect(sink.at('/both').filter(isEnd(taskId))).toHaveLength(1);
  });

  it('sends what waits with the secrets it is given meanwhile, and to its new address', async () => {
    const authentication = { scheme: 'Bearer', credentials: 'old-secret' };
    const id = await subscribe({ authentication });
    sink.answer = 401;
    const taskId = await work('x');
    await sink.waitForCount(1);
    const rotated = await act(id, 'rotate', {
      authentication: { scheme: 'Bearer', credentials: 'new-secret' },
    });
    expect([rotated.status, rotated.text.includes('secret')]).toEqual([200, false]);
    sink.answer = 200;
    const moved = await hub.admin('PATCH', `${PATH}/${id}`, { url: sink.url('/moved') }, keys.acme);
    expect(moved.body).toMatchObject({ url: sink.url('/moved'), state: expect.any(String) });
    await sink.waitFor(isEnd(taskId, '/moved'));
    expect(new Set(heads('authorization', '/moved'))).toEqual(new Set(['Bearer new-secret']));
    expect(heads('authorization')[0]).toBe('Bearer old-secret');
    expect(heads('a2a-hub-delivery-number', '/moved').at(-1)).toBe('4');
  });

  it('sends nothing while paused, also over a restart, and everything when it is resumed', async () => {
    const id = await subscribe();
    await subscribe({ url: sink.url('/other') });
    expect((await act(id, 'pause')).body).toMatchObject({ state: 'paused' });
    const before = await work('before');
    await hub.close();
    hub = await files.start();
    const after = await work('after');
    await sink.until((all) => [before, after].every((taskId) => all.some(isEnd(taskId))));
    expect(sink.at('/all')).toEqual([]);
    expect((await act(id, 'resume')).body).toMatchObject({ state: 'active' });
    for (const taskId of [before, after]) {
      await sink.waitFor(isEnd(taskId, '/all'));
      expect(kinds(taskId)).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate']);
    }
  });

  it('is disabled as a whole by a receiver that wants no more, until it is resumed', async () => {
    const id = await subscribe();
    sink.answer = 410;
    await work('x');
    await eventually(async () => {
      const [shown] = await listed(keys.acme);
      expect(shown).toMatchObject({
        state: 'disabled',
        stateReason: expect.stringContaining('410'),
      });
    }, 10_000);
    sink.reset();
    expect((await act(id, 'resume')).status).toBe(200);
    const heard = await work('heard');
    await sink.waitFor(isEnd(heard));
  });

  it('leaves dead letters of what waits when it is deleted', async () => {
    const id = await subscribe();
    sink.answer = 503;
    const taskId = await work('x');
    await sink.waitForCount(1);
    expect((await hub.admin('DELETE', `${PATH}/${id}`, undefined, keys.acme)).status).toBe(204);
    await eventually(async () => {
      const found = await deliveriesOf(taskId);
      expect(found.map(({ state }) => state)).not.toContain('retrying');
      expect(found).toContainEqual(
        expect.objectContaining({ state: 'dead', reason: 'the subscription was deleted' }),
      );
    }, 10_000);
    expect((await hub.admin('GET', `${PATH}/${id}`, undefined, keys.acme)).status).toBe(404);
  });

  it('is tried by a test that goes the way of all deliveries', async () => {
    const id = await subscribe({
      token: 'tok',
      authentication: { scheme: 'Basic', credentials: 'a:b' },
    });
    const passed = await act(id, 'test');
    expect([passed.status, passed.body]).toEqual([
      200,
      expect.objectContaining({ delivered: true, status: 200, error: null }),
    ]);
    expect(sink.received[0]!.headers).toMatchObject({
      'a2a-hub-test': 'true',
      'a2a-hub-subscription': id,
      'a2a-notification-token': 'tok',
      authorization: `Basic ${Buffer.from('a:b').toString('base64')}`,
      'webhook-id': passed.body.webhookId as string,
    });
    sink.answer = 500;
    expect((await act(id, 'test')).body).toMatchObject({ delivered: false, status: 500 });
  });
});

describe('the API of subscriptions', () => {
  it('never shows a secret, and says which are kept', async () => {
    const id = await subscribe({
      token: 'hidden-token',
      authentication: { scheme: 'Bearer', credentials: 'hidden-credentials' },
      filter: { states: ['input-required'] },
    });
    const shown = await hub.admin('GET', `${PATH}/${id}`, undefined, keys.acme);
    expect(shown.text).not.toMatch(/hidden|"(v1|plain):/);
    expect(shown.body).toMatchObject({
      authentication: { scheme: 'bearer', names: ['Bearer'], profile: null, credentialsSet: true },
      tokenSet: true,
      signingKeysSet: false,
      filter: { agents: null, tags: null, states: ['input-required'] },
      source: 'api',
    });
    const bare = await hub.admin(
      'PATCH',
      `${PATH}/${id}`,
      { token: null, authentication: null, filter: null, name: 'Bare' },
      keys.acme,
    );
    expect(bare.body).toMatchObject({ name: 'Bare', authentication: null, tokenSet: false });
    expect(bare.body.filter).toEqual({ agents: null, tags: null, states: null });
    expect(bare.body.fingerprint).not.toBe(shown.body.fingerprint);
  });

  it('answers a stranger as if the subscription did not exist, byte for byte', async () => {
    const id = await subscribe();
    const unknown = '0198c3a4-7d1e-7c3f-9a53-5b1f0c9b6a10';
    const calls = (which: string): [string, string, object?][] => [
      ['GET', `${PATH}/${which}`],
      ['PATCH', `${PATH}/${which}`, { name: 'x' }],
      ['DELETE', `${PATH}/${which}`],
      ...['pause', 'resume', 'test'].map((verb): [string, string] => [
        'POST',
        `${PATH}/${which}:${verb}`,
      ]),
      ['POST', `${PATH}/${which}:rotate`, { token: 'x' }],
    ];
    for (const key of [keys.evil, keys.member]) {
      for (const [i, [method, path, body]] of calls(id).entries()) {
        const [, otherPath] = calls(unknown)[i]!;
        const answer = await hub.admin(method, path, body, key);
        const other = await hub.admin(method, otherPath, body, key);
        expect([answer.status, answer.text]).toEqual([404, other.text]);
      }
    }
    expect(await listed(keys.evil)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no address', { url: undefined }, 'url'],
    ['an address of another type', { url: 7 }, 'url'],
    ['a forbidden address', { url: 'http://169.254.169.254/' }, 'url'],
    ['a scheme nobody knows', { authentication: { scheme: 'Magic' } }, 'authentication.scheme'],
    ['a token that splits a header', { token: 'a\r\nb' }, 'token'],
    ['a filter of nothing', { filter: { agents: [] } }, 'filter.agents'],
    ['a state nobody knows', { filter: { states: ['done'] } }, 'filter.states'],
    ['too many tags', { filter: { tags: Array(101).fill('t') } }, 'filter.tags'],
    ['an unknown member', { subscriptionId: 'x' }, 'subscriptionId'],
    ['a signing key of no form', { signingKeys: ['x'] }, 'signingKeys[0]'],
    ['a version of the future', { version: '2.0' }, 'version'],
  ])('refuses %s by its field', async (_, fields, field) => {
    const body = { url: sink.url(), ...(fields as object) };
    const answer = await hub.admin('POST', PATH, body, keys.acme);
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(JSON.stringify(answer.body)).toContain(`"field":"${field}"`);
  });

  it('lists those of a receiver, by any URL of it', async () => {
    const { id } = (await hub.admin('POST', PATH, { url: sink.url('/a') }, keys.acme)).body;
    await hub.admin('POST', PATH, { url: 'https://hooks.example/b' }, keys.acme);
    const of = async (endpoint: string, key = keys.acme) =>
      hub.admin('GET', `${PATH}?endpoint=${encodeURIComponent(endpoint)}`, undefined, key);
    expect((await of(sink.url('/other'))).body.items).toMatchObject([{ id }]);
    expect((await of(`acme ${new URL(sink.url()).origin}`)).body.items).toMatchObject([{ id }]);
    expect((await of('https://nowhere.example')).body.items).toEqual([]);
    expect((await of(sink.url('/a'), keys.evil)).body.items).toEqual([]);
    for (const wrong of ['hooks', 'ftp://hooks.example', `https://${'x'.repeat(5000)}`]) {
      expect((await of(wrong)).status).toBe(400);
    }
  });

  it('lets operators alone subscribe for another organization', async () => {
    const body = { url: sink.url('/all'), organization: 'evil' };
    expect((await hub.admin('POST', PATH, body, keys.acme)).status).toBe(403);
    expect((await hub.admin('POST', PATH, body)).body).toMatchObject({
      organization: 'evil',
      scope: 'organization',
    });
    const taskId = await work('x', 'billing', keys.evil);
    await sink.waitFor(isEnd(taskId));
  });
});

describe('subscriptions declared in the file', () => {
  const ledger = (changes: object = {}): JsonObject => ({
    id: 'ledger',
    organization: 'acme',
    url: sink.url('/declared'),
    authentication: { scheme: 'Bearer', credentials: 'env:LEDGER_TOKEN' },
    ...changes,
  });

  it('come, change and go with it while the hub runs', async () => {
    declare([ledger()]);
    await eventually(async () => {
      expect(await listed(keys.acme)).toMatchObject([
        { id: 'ledger', source: 'config', state: 'active' },
      ]);
    }, 10_000);
    const taskId = await work('x');
    await sink.waitFor(isEnd(taskId));
    expect(sink.at('/declared')[0]!.headers.authorization).toBe('Bearer token-of-the-ledger');
    const configs = await hub.admin('GET', `/api/v1/push/configs?taskId=${taskId}`);
    const { id } = configs.body.items[0];
    for (const [what, body] of [
      ['', { url: 'http://10.0.0.1/' }],
      [':rotate', { token: 'x' }],
    ] as const) {
      const method = what === '' ? 'PATCH' : 'POST';
      const refused = await hub.admin(method, `/api/v1/push/configs/${id}${what}`, body);
      expect([refused.status, refused.body.detail]).toEqual([
        409,
        'The webhook was made for a subscription; change the subscription instead.',
      ]);
    }
    for (const [method, path, body] of [
      ['PATCH', `${PATH}/ledger`, { name: 'x' }],
      ['DELETE', `${PATH}/ledger`],
      ['POST', `${PATH}/ledger:pause`],
      ['POST', `${PATH}/ledger:rotate`, { token: 'x' }],
    ] as const) {
      const answer = await hub.admin(method, path, body, keys.acme);
      expect([answer.status, answer.body.detail]).toEqual([
        409,
        'The subscription ledger is declared in the configuration (subscriptions); change it there.',
      ]);
    }
    declare([ledger({ paused: true, name: 'Ledger' })]);
    await eventually(async () => {
      expect(await listed(keys.acme)).toMatchObject([{ name: 'Ledger', state: 'paused' }]);
    }, 10_000);
    declare([ledger({ url: 'http://10.0.0.1/' })]);
    await eventually(() => {
      expect(files.errors).toContainEqual(
        expect.objectContaining({
          problems: [expect.objectContaining({ key: 'subscriptions[0].url' })],
        }),
      );
    }, 10_000);
    declare([]);
    await eventually(async () => expect(await listed(keys.acme)).toEqual([]), 10_000);
  });
});
