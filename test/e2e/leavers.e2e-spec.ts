import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type HttpAnswer, type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { isEnd, notifiedTask } from '../support/notified-tasks.js';
import { WebhookSink } from '../support/webhook-sink.js';

const PRINCIPALS = '/api/v1/principals';
const SUBSCRIPTIONS = '/api/v1/push/subscriptions';
const CONFIGS = '/api/v1/push/configs';
const ALL = ['a2a', 'push', 'tasks:organization'];

interface Key {
  readonly id: string;
  readonly key: string;
  readonly principalId: string;
}

let hub: Hub;
let agent: RunningAgent;
let sink: WebhookSink;
let leaver: Key;
let colleague: Key;

/** The agent ends its tasks when the test says so. */
let finish: () => void;
let finished: Promise<void>;

beforeAll(async () => {
  agent = await startSdkAgent({
    name: 'clerk',
    execute: async (turn) => {
      turn.task().working('thinking');
      if (turn.text === 'wait') await finished;
      turn.artifact('answer', 'done').complete();
    },
  });
  hub = await startHub({
    config: { auth: { keylessGraceMs: 0 }, routing: { defaultAgent: 'clerk' } },
  });
  await hub.registerAgent(agent.url, { id: 'clerk' });
});

beforeEach(async () => {
  finished = new Promise((resolve) => (finish = resolve));
  sink = await WebhookSink.start();
  leaver = await newKey({ scopes: ALL });
  colleague = await newKey({ scopes: ['a2a', 'push'] });
});

afterEach(async () => {
  finish();
  const { body } = await hub.admin('GET', SUBSCRIPTIONS);
  for (const { id } of body.items as JsonObject[]) {
    await hub.admin('DELETE', `${SUBSCRIPTIONS}/${String(id)}`);
  }
  await sink.close();
});

afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

async function newKey(fields: JsonObject): Promise<Key> {
  const made = await hub.admin('POST', '/api/v1/keys', {
    name: 'of a person',
    ...(fields['principal'] === undefined && { organization: 'acme' }),
    ...fields,
  });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return made.body as Key;
}

const act = (id: string, action: string, body?: object): Promise<HttpAnswer> =>
  hub.admin('POST', `${PRINCIPALS}/${id}:${action}`, body);

const show = async (id: string): Promise<JsonObject> =>
  (await hub.admin('GET', `${PRINCIPALS}/${id}`)).body as JsonObject;

async function subscribe(of: Key, path = '/all'): Promise<string> {
  const answer = await hub.admin('POST', SUBSCRIPTIONS, { url: sink.url(path) }, of.key);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body.id as string;
}

/** What a subscription shows, in the list and by itself (alike), and a webhook that was made for it. */
async function held(id: string): Promise<unknown[]> {
  const alone = (await hub.admin('GET', `${SUBSCRIPTIONS}/${id}`)).body as JsonObject;
  const { items } = (await hub.admin('GET', SUBSCRIPTIONS)).body as { items: JsonObject[] };
  expect(items.find((each) => each['id'] === id)?.['held']).toBe(alone['held']);
  const { items: made } = (await hub.admin('GET', `${CONFIGS}?subscriptionId=${id}`)).body as {
    items: JsonObject[];
  };
  const one = (await hub.admin('GET', `${CONFIGS}/${String(made[0]!['id'])}`)).body as JsonObject;
  expect(one['held']).toBe(made[0]!['held']);
  return [alone['held'], one['held']];
}

/** A whole task of the colleague; its id. */
async function work(): Promise<string> {
  const { task } = await hub.send('go', {}, { key: colleague.key });
  return (task as JsonObject)['id'] as string;
}

/** Long enough for anything that is due to be sent. */
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2500));

const told = (taskId: string, path = '/all'): number =>
  sink.at(path).filter((each) => notifiedTask(each) === taskId).length;

describe('a principal that is disabled', () => {
  it('has nothing sent any more, and all of it once it is enabled', async () => {
    const id = await subscribe(leaver);
    const before = await work();
    await sink.waitFor(isEnd(before));
    const sent = sink.at('/all').length;
    const answer = await act(leaver.principalId, 'disable');
    expect(answer.body).toMatchObject({
      state: 'disabled',
      validKeys: 1,
      pushHeld: 'principal-disabled',
    });
    const meanwhile = await work();
    expect(await held(id)).toEqual(['principal-disabled', 'principal-disabled']);
    await aWhile();
    expect(sink.at('/all')).toHaveLength(sent);
    expect((await act(leaver.principalId, 'enable')).body).toMatchObject({
      state: 'active',
      disabledAt: null,
      pushHeld: null,
    });
    await sink.waitFor(isEnd(meanwhile), 10_000);
    expect(await held(id)).toEqual([null, null]);
    expect(told(meanwhile)).toBe(4);
    expect(told(before)).toBe(4);
  });

  it('has webhooks of its tasks wait; one that was paused by hand stays paused', async () => {
    const hook = async (path: string): Promise<string> => {
      const task = await hub.submit(
        'wait',
        { configuration: { taskPushNotificationConfig: { url: sink.url(path) } } },
        { key: leaver.key },
      );
      await sink.until((all) => all.some(({ path: at }) => at === path), 10_000);
      return task['id'] as string;
    };
    const [one, byHand] = [await hook('/one'), await hook('/by-hand')];
    const listed = await hub.admin('GET', `${CONFIGS}?taskId=${byHand}`);
    const [{ id } = { id: '' }] = listed.body.items as { id: string }[];
    await hub.admin('POST', `${CONFIGS}/${id}:pause`);
    await act(leaver.principalId, 'disable');
    const sent = sink.at('/one').length;
    finish();
    await eventually(async () => {
      const found = (await hub.admin('GET', `/api/v1/tasks/${one}`)).text;
      expect(found).toContain('COMPLETED');
    }, 10_000);
    await aWhile();
    expect(sink.at('/one')).toHaveLength(sent);
    const shown = (await hub.admin('GET', `${CONFIGS}/${id}`)).body as JsonObject;
    expect(shown).toMatchObject({ state: 'paused', held: 'principal-disabled' });
    const paused = sink.at('/by-hand').length;
    await act(leaver.principalId, 'enable');
    await sink.waitFor((each) => each.path === '/one' && isEnd(one)(each), 10_000);
    await aWhile();
    expect(sink.at('/by-hand')).toHaveLength(paused);
    await hub.admin('POST', `${CONFIGS}/${id}:resume`);
    await sink.waitFor((each) => each.path === '/by-hand' && isEnd(byHand)(each), 10_000);
  });

  it('has nothing sent by a webhook it has set on a task of a colleague', async () => {
    const task = await hub.submit('wait', {}, { key: colleague.key });
    const taskId = task['id'] as string;
    const mine = { taskId, url: sink.url('/mine') };
    const its = { taskId, url: sink.url('/its') };
    await hub.rpc('CreateTaskPushNotificationConfig', its, { key: leaver.key });
    await hub.admin('POST', CONFIGS, { ...its, url: sink.url('/its-too') }, leaver.key);
    await hub.rpc('CreateTaskPushNotificationConfig', mine, { key: colleague.key });
    await sink.until((all) => new Set(all.map(({ path }) => path)).size === 3, 10_000);
    await act(leaver.principalId, 'disable');
    const sent = (): number[] => ['/its', '/its-too'].map((path) => sink.at(path).length);
    const before = sent();
    finish();
    await sink.waitFor((each) => each.path === '/mine' && isEnd(taskId)(each), 10_000);
    await aWhile();
    expect(sent()).toEqual(before);
    const { items } = (await hub.admin('GET', `${CONFIGS}?taskId=${taskId}`)).body as {
      items: { url: string; held: string | null }[];
    };
    const heldAt = new Map(items.map((each) => [new URL(each.url).pathname, each.held]));
    expect(Object.fromEntries(heldAt)).toEqual({
      '/mine': null,
      '/its': 'principal-disabled',
      '/its-too': 'principal-disabled',
    });
  });

  it('is deleted only without webhooks on tasks of colleagues', async () => {
    const task = await hub.submit('wait', {}, { key: colleague.key });
    const its = { taskId: task['id'], url: sink.url('/its') };
    const set = await hub.admin('POST', CONFIGS, its, leaver.key);
    await sink.waitForCount(1);
    await act(leaver.principalId, 'disable');
    const before = sink.at('/its').length;
    const path = `${PRINCIPALS}/${leaver.principalId}`;
    const refused = await hub.admin('DELETE', path);
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('webhooks on tasks of others'),
    ]);
    finish();
    await aWhile();
    expect(sink.at('/its')).toHaveLength(before);
    await hub.admin('DELETE', `${CONFIGS}/${String(set.body.id)}`);
    expect((await hub.admin('DELETE', path)).status).toBe(204);
  });

  it('is refused at every binding, gets no key, and comes back with its keys', async () => {
    await hub.rpc('ListTasks', {}, { key: leaver.key });
    await act(leaver.principalId, 'disable');
    const requested = await hub.rpcRaw('ListTasks', {}, { key: leaver.key });
    expect(requested.status).toBe(401);
    expect((await hub.admin('GET', SUBSCRIPTIONS, undefined, leaver.key)).status).toBe(401);
    const fields = { name: 'new', principal: leaver.principalId };
    const refused = await hub.admin('POST', '/api/v1/keys', fields);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('is disabled')]);
    // Twice is once.
    expect((await act(leaver.principalId, 'disable')).status).toBe(200);
    await act(leaver.principalId, 'enable');
    expect((await hub.rpcRaw('ListTasks', {}, { key: leaver.key })).status).toBe(200);
    await newKey({ principal: leaver.principalId });
  });

  it('cannot be the caller, the hub’s own, or nobody', async () => {
    const operator = await newKey({ scopes: ['admin'] });
    const self = await hub.admin(
      'POST',
      `${PRINCIPALS}/${operator.principalId}:disable`,
      undefined,
      operator.key,
    );
    expect(self.status).toBe(409);
    expect((await act('admin', 'disable')).status).toBe(409);
    expect((await act('nobody', 'disable')).status).toBe(404);
    expect((await act('nobody', 'enable')).status).toBe(404);
    expect((await hub.admin('GET', `${PRINCIPALS}/nobody`)).status).toBe(404);
    const plain = await hub.admin('GET', PRINCIPALS, undefined, leaver.key);
    expect(plain.status).toBe(403);
  });
});

describe('a principal without a valid key', () => {
  it('shows as such; its subscription pauses until it has a key again', async () => {
    const id = await subscribe(leaver);
    const before = await work();
    await sink.waitFor(isEnd(before));
    await hub.admin('DELETE', `/api/v1/keys/${leaver.id}`);
    expect(await show(leaver.principalId)).toMatchObject({
      state: 'keyless',
      validKeys: 0,
      pushHeld: 'no-valid-key',
    });
    expect(await held(id)).toEqual(['no-valid-key', 'no-valid-key']);
    const keyless = await hub.admin('GET', `${PRINCIPALS}?state=keyless&limit=200`);
    const ids = (keyless.body.items as JsonObject[]).map(({ id }) => id);
    expect(ids).toContain(leaver.principalId);
    expect(ids).not.toContain(colleague.principalId);
    const meanwhile = await work();
    await aWhile();
    expect(told(meanwhile)).toBe(0);
    await newKey({ principal: leaver.principalId, scopes: ALL });
    await sink.waitFor(isEnd(meanwhile), 10_000);
    expect(await show(leaver.principalId)).toMatchObject({ state: 'active', keylessSince: null });
  });

  it('is one with keys that could not ask for the subscription, as far as that goes', async () => {
    const id = await subscribe(leaver);
    await newKey({ principal: leaver.principalId, scopes: ['a2a', 'push'] });
    await hub.admin('DELETE', `/api/v1/keys/${leaver.id}`);
    expect(await show(leaver.principalId)).toMatchObject({
      state: 'active',
      validKeys: 1,
      pushHeld: null,
    });
    const meanwhile = await work();
    await aWhile();
    expect(await held(id)).toEqual(['scope-lost', 'scope-lost']);
    expect(told(meanwhile)).toBe(0);
    await newKey({ principal: leaver.principalId, scopes: ALL });
    await sink.waitFor(isEnd(meanwhile), 10_000);
  });

  it('is none whose key was rotated: nothing pauses, nothing is lost', async () => {
    await subscribe(leaver);
    await newKey({ principal: leaver.principalId, scopes: ALL });
    await hub.admin('DELETE', `/api/v1/keys/${leaver.id}`);
    const task = await work();
    await sink.waitFor(isEnd(task));
    expect(told(task)).toBe(4);
  });

  it('is never the one that the configuration lets in', async () => {
    const answer = await hub.admin('POST', SUBSCRIPTIONS, {
      url: sink.url('/operator'),
      organization: 'acme',
      scope: 'organization',
    });
    expect(answer.status).toBe(201);
    const made = await newKey({ principal: 'admin', organization: undefined as never });
    await hub.admin('DELETE', `/api/v1/keys/${made.id}`);
    expect(await show('admin')).toMatchObject({ state: 'active', builtIn: true });
    const task = await work();
    await sink.waitFor((each) => each.path === '/operator' && isEnd(task)(each), 10_000);
  });
});

describe('a hand-over', () => {
  it('gives webhooks and subscriptions to another principal, and what waited with them', async () => {
    const id = await subscribe(leaver);
    await act(leaver.principalId, 'disable');
    const meanwhile = await work();
    await aWhile();
    expect(told(meanwhile)).toBe(0);
    const successor = await newKey({ scopes: ALL });
    const handed = await act(leaver.principalId, 'handover', { to: successor.principalId });
    expect([handed.status, handed.body]).toMatchObject([200, { subscriptions: 1, webhooks: 0 }]);
    await sink.waitFor(isEnd(meanwhile), 10_000);
    const shown = await hub.admin('GET', `${SUBSCRIPTIONS}/${id}`, undefined, successor.key);
    expect(shown.body).toMatchObject({ owner: successor.principalId, state: 'active' });
    const after = await work();
    await sink.waitFor(isEnd(after), 10_000);
    await act(successor.principalId, 'disable');
    const held = await work();
    await aWhile();
    expect(told(held)).toBe(0);
  });

  it('is refused, and moves nothing, when the other may not have them', async () => {
    await subscribe(leaver);
    const give = async (to: string): Promise<unknown[]> => {
      const { status, text } = await act(leaver.principalId, 'handover', { to });
      return [status, text];
    };
    const stranger = await newKey({ organization: 'evil', scopes: ALL });
    const gone = await newKey({ scopes: ALL });
    await hub.admin('DELETE', `/api/v1/keys/${gone.id}`);
    const off = await newKey({ scopes: ALL });
    await act(off.principalId, 'disable');
    for (const [to, status, said] of [
      [stranger.principalId, 409, 'another organization'],
      [gone.principalId, 409, 'no valid key'],
      [off.principalId, 409, 'is disabled'],
      [colleague.principalId, 409, 'tasks:organization'],
      [leaver.principalId, 400, 'another principal'],
      ['nobody', 400, 'names no principal that there is'],
    ] as const) {
      expect(await give(to)).toEqual([status, expect.stringContaining(said)]);
    }
    const { body } = await hub.admin('GET', SUBSCRIPTIONS);
    expect(body.items).toMatchObject([{ owner: leaver.principalId }]);
    expect((await act('nobody', 'handover', { to: leaver.principalId })).status).toBe(404);
  });
});

describe('the list of principals', () => {
  it('pages, newest first, and filters by organization and state', async () => {
    const organization = `org ${leaver.id}`;
    const made: string[] = [];
    for (let i = 0; i < 3; i++) made.push((await newKey({ organization })).principalId);
    const path = `${PRINCIPALS}?limit=2&organization=${encodeURIComponent(organization)}`;
    const first = (await hub.admin('GET', path)).body;
    const cursor = String(first['nextCursor']);
    const second = (await hub.admin('GET', `${path}&cursor=${cursor}`)).body;
    const ids = [first, second].flatMap(({ items }) => (items as JsonObject[]).map(({ id }) => id));
    expect(ids).toEqual([...made].sort().reverse());
    expect(second['nextCursor']).toBeNull();
    await act(made[1]!, 'disable');
    const disabled = (await hub.admin('GET', `${path}&state=disabled`)).body;
    expect(disabled.items).toMatchObject([{ id: made[1], state: 'disabled', organization }]);
    const bad = await hub.admin('GET', `${PRINCIPALS}?cursor=bad`);
    expect(bad.status).toBe(400);
  });
});
