import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type AgentTurn, type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, type HttpAnswer, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';
import { type ReceivedWebhook, WebhookSink } from '../support/webhook-sink.js';

const PUSH = { scheduleMs: [100, 3000], jitter: 0, timeoutMs: 1000 };
const API = '/api/v1/push';
const GOOD = { taskId: '$', url: 'https://a.example' };
const KEY_A = `whsec_${Buffer.alloc(32, 'a').toString('base64')}`;
const KEY_B = `whsec_${Buffer.alloc(32, 'b').toString('base64')}`;
const SECRETS = ['the-old-credential', 'the-new-credential', 'the-old-token', 'the-new-token'];

/** A question first; each answer brings three chunks and another question, `end` the end. */
async function behave(turn: AgentTurn): Promise<void> {
  if (!turn.isFollowUp) {
    turn.task().working().askForInput('Go on?');
    return;
  }
  turn.task();
  if (turn.text === 'end') {
    turn.complete();
    return;
  }
  turn.working('on it');
  turn.artifact(turn.text, 'one ', { lastChunk: false });
  turn.artifact(turn.text, 'two ', { append: true, lastChunk: false });
  turn.artifact(turn.text, 'three', { append: true });
  turn.askForInput('And now?');
}

let hub: Hub;
let sink: WebhookSink;
let agent: RunningAgent;
let stranger: string;
let paths = 0;

beforeAll(async () => {
  [hub, sink, agent] = await Promise.all([
    startHub({ config: { push: PUSH } }),
    WebhookSink.start(),
    startSdkAgent({ name: 'worker', execute: behave }),
  ]);
  await hub.registerAgent(agent.url, { id: 'worker' });
  stranger = await hub.createKey({ name: 'stranger' });
});
afterEach(() => sink.reset());
afterAll(async () => {
  await hub.close();
  await Promise.all([agent, sink].map((one) => one.close()));
});

const newPath = (): string => `/api-${++paths}`;

/** A call with the ordinary key; every answer is searched for secrets. */
async function call(
  method: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<HttpAnswer> {
  const answer = await hub.admin(method, API + path, body, key ?? (await hub.key()));
  for (const secret of [...SECRETS, KEY_A, KEY_B]) expect(answer.text).not.toContain(secret);
  // Nor as it is stored.
  expect(answer.text).not.toMatch(/"(v1|plain):/);
  return answer;
}

async function done(method: string, path: string, body?: unknown): Promise<JsonObject> {
  const answer = await call(method, path, body);
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body as JsonObject;
}

/** A task that waits for an answer. */
async function requested(): Promise<string> {
  const sent = await hub.send('ask', { message: { metadata: { agentId: 'worker' } } });
  return String((sent['task'] as JsonObject)['id']);
}

const answer = (taskId: string, text: string): Promise<unknown> =>
  hub.send(text, { message: { taskId } });

/** A webhook of a new task, at a path of its own, that has been told the present state. */
async function told(fields: JsonObject = {}): Promise<{ id: string; taskId: string; at: string }> {
  const [taskId, at] = [await requested(), newPath()];
  const made = await done('POST', '/configs', { taskId, url: sink.url(at), ...fields });
  await sink.waitForCount(1, 10_000, at);
  await untilStates(taskId, 'delivered');
  return { id: String(made['id']), taskId, at };
}

/** The deliveries of a task, oldest first, once they are all in these states. */
async function untilStates(taskId: string, ...states: string[]): Promise<JsonObject[]> {
  const end = performance.now() + 20_000;
  for (;;) {
    const page = await done('GET', `/deliveries?taskId=${taskId}`);
    const found = (page['items'] as JsonObject[]).reverse();
    if (found.map((each) => each['state']).join() === states.join()) return found;
    if (performance.now() > end) throw new Error(JSON.stringify(found));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const header = (at: string, name: string): unknown[] =>
  sink.at(at).map(({ headers }) => headers[name]);

function fieldsOf({ body }: HttpAnswer): unknown[] {
  return ((body.errors ?? []) as JsonObject[]).map(({ field }) => field);
}

describe('a webhook made through the admin API', () => {
  it('is shown with how far it is told, and without any secret', async () => {
    const { id, taskId, at } = await told({
      id: 'mine',
      authentication: { scheme: 'Bearer', credentials: 'the-old-credential' },
      token: 'the-old-token',
      signingKeys: [KEY_A],
    });
    expect(await done('GET', `/configs/${id}`)).toMatchObject({
      id,
      taskId,
      configId: 'mine',
      url: sink.url(at),
      version: '1.0',
      events: 'changes',
      state: 'active',
      authentication: { scheme: 'bearer', names: ['Bearer'], credentialsSet: true },
      tokenSet: true,
      signingKeysSet: true,
      subscriptionId: null,
      progress: { pending: 0, delivered: 1, dead: 0, entriesBehind: 0, nextAttemptAt: null },
    });
    expect(sink.at(at)[0]!.headers).toMatchObject({
      authorization: 'Bearer the-old-credential',
      'a2a-notification-token': 'the-old-token',
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    const list = await done('GET', `/configs?taskId=${taskId}&url=${sink.url(at)}`);
    expect(list).toMatchObject({ items: [{ id }], nextCursor: null });
    const byClient = await hub.rpc('GetTaskPushNotificationConfig', { taskId, id: 'mine' });
    expect(byClient).toMatchObject({ id: 'mine', url: sink.url(at) });
  });

  it('gets the Task of 0.3 when that is asked for', async () => {
    const { at } = await told({ version: '0.3' });
    expect(sink.at(at)[0]!.json).toMatchObject({
      kind: 'task',
      status: { state: 'input-required' },
    });
  });

  it('that wants every event is told each chunk, in order, and only those of streams', async () => {
    const { taskId, at } = await told({ events: 'all' });
    await answer(taskId, 'more');
    await sink.until(() => JSON.stringify(sink.at(at).at(-1)?.json).includes('And now?'));
    const events = sink.at(at).slice(1);
    expect(events.map(({ json }) => Object.keys(json as object)[0]).join()).toMatch(
      /^(statusUpdate,)+artifactUpdate,artifactUpdate,artifactUpdate(,statusUpdate)+$/,
    );
    const texts = events.flatMap(({ json }) => {
      const { artifactUpdate } = json as JsonObject;
      return artifactUpdate ? [artifactUpdate.artifact.parts[0].text as string] : [];
    });
    expect(texts).toEqual(['one ', 'two ', 'three']);
    const numbers = header(at, 'a2a-hub-delivery-number').map(Number);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    const sequences = header(at, 'a2a-hub-sequence').map(Number);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  });

  it('is told nothing while it is paused, and then everything that gathered', async () => {
    const { id, taskId, at } = await told();
    expect(await done('POST', `/configs/${id}:pause`)).toMatchObject({ state: 'paused' });
    await answer(taskId, 'more');
    const shown = await done('GET', `/configs/${id}`);
    expect(shown['progress'].entriesBehind).toBeGreaterThan(0);
    expect(await done('GET', `/configs?state=paused&taskId=${taskId}`)).toMatchObject({
      items: [{ id }],
    });
    expect(sink.at(at)).toHaveLength(1);
    expect(await done('POST', `/configs/${id}:resume`)).toMatchObject({ state: 'active' });
    await untilStates(taskId, ...Array<string>(4).fill('delivered'));
    expect(sink.at(at).map(({ json }) => Object.keys(json as object)[0])).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
  });

  it('has what waits sent with new secrets after a rotation, signed by both keys', async () => {
    const { id, taskId, at } = await told({
      authentication: { scheme: 'Bearer', credentials: 'the-old-credential' },
      token: 'the-old-token',
      signingKeys: [KEY_A],
    });
    sink.answer = 503;
    await answer(taskId, 'end');
    await sink.waitForCount(2, 10_000, at);
    const rotated = await done('POST', `/configs/${id}:rotate`, {
      authentication: { scheme: 'ApiKey', credentials: 'X-Key: the-new-credential' },
      token: 'the-new-token',
      signingKeys: [KEY_B],
      keepSigningKeys: true,
    });
    expect(rotated).toMatchObject({ authentication: { scheme: 'api-key' } });
    sink.answer = 200;
    await untilStates(taskId, 'delivered', 'delivered', 'delivered');
    const failed = sink.at(at)[1]!;
    const sameId = (each: ReceivedWebhook): boolean =>
      each.headers['webhook-id'] === failed.headers['webhook-id'];
    const last = sink.at(at).filter(sameId).at(-1)!;
    expect(last.headers).toMatchObject({
      'x-key': 'the-new-credential',
      'a2a-notification-token': 'the-new-token',
      'webhook-signature': expect.stringMatching(/^v1,\S+ v1,\S+$/),
    });
    expect(last.headers['authorization']).toBeUndefined();
    expect(last.raw).toEqual(failed.raw);
    const elsewhere = { url: 'https://elsewhere.example', token: null };
    const moved = await call('PATCH', `/configs/${id}`, elsewhere);
    expect([moved.status, fieldsOf(moved)]).toEqual([400, ['authentication', 'signingKeys']]);
    const bare = await done('POST', `/configs/${id}:rotate`, {
      authentication: null,
      token: null,
      signingKeys: [],
    });
    expect(bare).toMatchObject({ authentication: null, tokenSet: false, signingKeysSet: false });
  });

  it('takes what waits along to another address', async () => {
    const { id, taskId, at } = await told();
    const elsewhere = newPath();
    sink.answer = ({ path }) => (path === at ? 503 : 200);
    await answer(taskId, 'end');
    await sink.waitForCount(2, 10_000, at);
    await done('PATCH', `/configs/${id}`, { url: sink.url(elsewhere) });
    await untilStates(taskId, 'delivered', 'delivered', 'delivered');
    expect(sink.at(elsewhere).at(0)!.raw).toEqual(sink.at(at).at(1)!.raw);
    expect(sink.at(elsewhere)).toHaveLength(2);
  });

  it('is told again from an entry on, with the ids it knows and new numbers', async () => {
    const { id, taskId, at } = await told();
    await answer(taskId, 'end');
    await untilStates(taskId, 'delivered', 'delivered', 'delivered');
    const first = sink.at(at)[1]!.headers;
    const replay = await done('POST', `/configs/${id}:replay`, { sequence: 1 });
    expect(replay['fromSequence']).toBe(1);
    await sink.until(
      () =>
        sink.at(at).filter(({ headers }) => headers['webhook-id'] === first['webhook-id'])
          .length === 2,
    );
    const again = sink
      .at(at)
      .find(({ headers }, i) => i > 2 && headers['webhook-id'] === first['webhook-id'])!;
    expect(again.raw).toEqual(sink.at(at)[1]!.raw);
    expect(Number(again.headers['a2a-hub-delivery-number'])).toBeGreaterThan(3);
    const since = new Date(Date.now() + 60_000).toISOString();
    expect(await done('POST', `/configs/${id}:replay`, { since })).toMatchObject({
      fromSequence: null,
    });
  });

  it('is sent a test by the real path, paused too, which is on record and no dead letter', async () => {
    const { id, taskId, at } = await told({
      authentication: { scheme: 'Bearer', credentials: 'the-old-credential' },
    });
    await done('POST', `/configs/${id}:pause`);
    const echo = 'you sent the-old-credential';
    sink.script.push({ status: 201, body: echo }, 302);
    const good = await done('POST', `/configs/${id}:test`);
    expect(good).toMatchObject({ delivered: true, reason: null, attempt: { status: 201 } });
    expect(good['attempt'].response).toMatch(/^you sent /);
    const request = sink.at(at).at(-1)!;
    expect(request.headers).toMatchObject({
      authorization: 'Bearer the-old-credential',
      'a2a-hub-test': 'true',
      'a2a-hub-delivery-number': '0',
      'webhook-id': good['webhookId'],
    });
    expect(request.json).toMatchObject({
      task: { id: taskId, metadata: { 'urn:a2a-hub:push:v1': { test: true } } },
    });
    expect(good['request']).toMatchObject({
      method: 'POST',
      url: expect.stringMatching(/^http:/),
      body: JSON.stringify(request.json),
      isCut: false,
      headers: { authorization: 'Bearer ***', 'webhook-id': good['webhookId'] },
    });
    expect(JSON.stringify(good)).not.toContain('the-old-credential');
    const bad = await done('POST', `/configs/${id}:test`);
    expect(bad).toMatchObject({
      delivered: false,
      reason: 'HTTP 302',
      attempt: { status: 302, error: 'redirect' },
    });
    expect(await done('GET', `/deliveries/${bad['deliveryId']}`)).toMatchObject({
      kind: 'test',
      state: 'dead',
    });
    expect(await done('GET', `/dead-letters?taskId=${taskId}`)).toMatchObject({ items: [] });
  });

  it('shows the test as it was sent, so that its signature can be checked', async () => {
    const key = randomBytes(32);
    const credentials = `whsec_${key.toString('base64')}`;
    const { id } = await told({ authentication: { scheme: 'HMAC', credentials } });
    const { request } = await done('POST', `/configs/${id}:test`);
    const { headers, body } = request as { headers: Record<string, string>; body: string };
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const signature = createHmac('sha256', key).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    expect(JSON.stringify(request)).not.toContain(key.toString('base64'));
  });

  it('is told nothing more once it is deleted; what waits is a dead letter', async () => {
    const { id, taskId, at } = await told();
    sink.answer = 503;
    await answer(taskId, 'end');
    await sink.waitForCount(2, 10_000, at);
    expect((await call('DELETE', `/configs/${id}`)).status).toBe(204);
    expect((await call('DELETE', `/configs/${id}`)).status).toBe(404);
    // The one that was tried, and one that stands for the end of the task.
    const letters = await untilStates(taskId, 'delivered', 'dead', 'dead');
    expect(letters.at(-1)!['reason']).toContain('the webhook was deleted');
    const dead = letters.find(({ kind }) => kind === 'event');
    expect(dead).toMatchObject({ reason: 'the webhook was deleted' });
    const again = await call('POST', `/deliveries/${dead!['id']}:redeliver`);
    expect(again.status).toBe(409);
  });
});

describe('dead letters', () => {
  it('are found, sent again together, and purged', async () => {
    const { id, taskId, at } = await told();
    sink.answer = ({ path }) => (path === at ? 422 : 200);
    await answer(taskId, 'more');
    const dead = await untilStates(taskId, 'delivered', 'dead', 'dead', 'dead');
    const first = await done('GET', `/dead-letters?configId=${id}&limit=2`);
    expect(first['items']).toHaveLength(2);
    const rest = await done('GET', `/dead-letters?configId=${id}&cursor=${first['nextCursor']}`);
    expect(rest).toMatchObject({ items: [{ id: dead[1]!['id'] }], nextCursor: null });
    const count = (query: string) => done('GET', `/dead-letters:count?configId=${id}${query}`);
    expect(await count('')).toEqual({ count: 3, isLeast: false });
    expect(await count('&most=2')).toEqual({ count: 2, isLeast: true });
    expect(await count('&until=2026-01-01T00:00:00Z')).toEqual({ count: 0, isLeast: false });
    // By the time at which they were given up, which is not that at which they were made.
    const times = dead.slice(1).map((each) => String(each['updatedAt']));
    const [earliest, latest] = [times.toSorted()[0]!, times.toSorted().at(-1)!];
    const behind = new Date(Date.parse(latest) + 1).toISOString();
    expect(await count(`&givenUpSince=${earliest}&givenUpUntil=${behind}`)).toMatchObject({
      count: 3,
    });
    for (const none of [`&givenUpSince=${behind}`, `&givenUpUntil=${earliest}`]) {
      expect(await count(none)).toMatchObject({ count: 0 });
      const page = await done('GET', `/dead-letters?configId=${id}${none}`);
      expect(page).toMatchObject({ items: [] });
    }
    for (const action of ['redeliver', 'purge']) {
      const later = { configId: id, givenUpSince: behind };
      const { more } = await done('POST', `/dead-letters:${action}`, later);
      expect([more, await count('')]).toEqual([false, { count: 3, isLeast: false }]);
    }
    const attempts = await done('GET', `/deliveries/${dead[1]!['id']}/attempts?limit=1`);
    expect(attempts['items']).toMatchObject([{ number: 1, status: 422, error: 'rejected' }]);
    const next = `/deliveries/${dead[1]!['id']}/attempts?cursor=${attempts['nextCursor']}`;
    expect((await done('GET', next))['items']).toHaveLength(2);
    const endpoint = encodeURIComponent(sink.url(at));
    expect(
      (await done('GET', `/dead-letters?endpoint=${endpoint}&taskId=${taskId}`))['items'],
    ).toHaveLength(3);

    sink.answer = 200;
    const sent = sink.at(at).length;
    const two = await done('POST', '/dead-letters:redeliver', { taskId, limit: 2 });
    expect(two).toEqual({ redelivered: 2, more: true, nextCursor: expect.any(String) });
    await untilStates(taskId, 'delivered', 'delivered', 'delivered', 'dead');
    const ids = dead.slice(1, 3).map((each) => each['webhookId']);
    expect(header(at, 'webhook-id').slice(sent)).toEqual(ids);
    const body = { taskId, cursor: two['nextCursor'] };
    const purge = await done('POST', '/dead-letters:purge', body);
    expect(purge).toEqual({ purged: 1, more: false, nextCursor: null });
    await untilStates(taskId, 'delivered', 'delivered', 'delivered');
  });
});

describe('the admin API of webhooks', () => {
  let refused: { id: string; taskId: string } | undefined;

  it.each([
    ['POST', '/configs', { url: 'https://a.example' }, ['taskId']],
    ['POST', '/configs', { taskId: 7, url: 'https://a.example' }, ['taskId']],
    ['POST', '/configs', { taskId: '$', url: 'http://10.0.0.1/' }, ['url']],
    ['POST', '/configs', { taskId: '$', url: `https://a.example/${'x'.repeat(5000)}` }, ['url']],
    ['POST', '/configs', { ...GOOD, extra: 1 }, ['extra']],
    ['POST', '/configs', { ...GOOD, events: 'some' }, ['events']],
    ['POST', '/configs', { ...GOOD, version: '2' }, ['version']],
    ['POST', '/configs', { ...GOOD, token: 'a\r\nb' }, ['token']],
    ['POST', '/configs', { ...GOOD, id: 'subscription:x' }, ['id']],
    [
      'POST',
      '/configs',
      { ...GOOD, authentication: { scheme: 'Digest' } },
      ['authentication.scheme'],
    ],
    ['POST', '/configs', { ...GOOD, authentication: [] }, ['authentication']],
    ['POST', '/configs', { ...GOOD, signingKeys: ['whsec_short'] }, ['signingKeys[0]']],
    ['PATCH', '/configs/@', {}, ['url']],
    ['PATCH', '/configs/@', { url: 'ftp://a.example' }, ['url']],
    ['POST', '/configs/@:rotate', {}, ['authentication']],
    ['POST', '/configs/@:rotate', { token: 'x', keepSigningKeys: true }, ['keepSigningKeys']],
    ['POST', '/configs/@:replay', {}, ['since']],
    ['POST', '/configs/@:replay', { since: 'yesterday' }, ['since']],
    ['POST', '/configs/@:replay', { sequence: 0 }, ['sequence']],
    ['POST', '/configs/@:replay', { sequence: 1, since: '2026-01-01T00:00:00Z' }, ['sequence']],
    ['POST', '/dead-letters:purge', {}, ['all']],
    ['POST', '/dead-letters:redeliver', { limit: 5000 }, ['limit']],
    ['POST', '/dead-letters:redeliver', { all: true, cursor: 'bm8' }, ['cursor']],
    ['POST', '/dead-letters:redeliver', { cursor: 'bm8' }, ['all']],
    ['POST', '/dead-letters:purge', { givenUpSince: 'night' }, ['givenUpSince']],
    ['POST', '/dead-letters:redeliver', { all: true, givenUpUntil: 7 }, ['givenUpUntil']],
    ['GET', '/configs?state=asleep', undefined, ['state']],
    ['GET', '/configs?cursor=bm8', undefined, ['cursor']],
    ['GET', '/configs?endpoint=hooks', undefined, ['endpoint']],
    ['GET', '/deliveries?since=now', undefined, ['since']],
    ['GET', '/deliveries?limit=0', undefined, ['limit']],
    ['GET', '/dead-letters?state=dead', undefined, ['state']],
    ['GET', '/dead-letters:count?most=0', undefined, ['most']],
    ['GET', '/dead-letters:count?most=10001', undefined, ['most']],
    ['GET', '/dead-letters:count?since=now', undefined, ['since']],
    ['GET', '/dead-letters:count?limit=1', undefined, ['limit']],
    ['GET', '/dead-letters?givenUpUntil=now', undefined, ['givenUpUntil']],
    [
      'GET',
      '/dead-letters:by-receiver?givenUpSince=2026-01-01T00:00:00Z',
      undefined,
      ['givenUpSince'],
    ],
    ['GET', '/deliveries?givenUpSince=2026-01-01T00:00:00Z', undefined, ['givenUpSince']],
  ])('refuses %s %s with %j, naming the field', async (method, path, body, fields) => {
    refused ??= await told();
    const { id, taskId } = refused;
    const filled = JSON.stringify(body)?.replace('"$"', JSON.stringify(taskId));
    const given = filled === undefined ? undefined : (JSON.parse(filled) as unknown);
    const answered = await call(method, path.replace('@', id), given);
    expect([answered.status, fieldsOf(answered)]).toEqual([400, fields]);
    expect(answered.headers['content-type']).toContain('application/problem+json');
  });
  it('answers for what is a stranger’s as for what does not exist, byte for byte', async () => {
    const { id, taskId } = await told();
    const [delivery] = await untilStates(taskId, 'delivered');
    const unknown = '00000000-0000-7000-8000-000000000000';
    const calls: [string, string, unknown?][] = [
      ['GET', '/configs/@'],
      ['PATCH', '/configs/@', { events: 'all' }],
      ['DELETE', '/configs/@'],
      ['POST', '/configs/@:pause'],
      ['POST', '/configs/@:resume'],
      ['POST', '/configs/@:rotate', { token: 'x' }],
      ['POST', '/configs/@:replay', { sequence: 1 }],
      ['POST', '/configs/@:test'],
      ['GET', '/deliveries/#'],
      ['GET', '/deliveries/#/attempts'],
      ['POST', '/deliveries/#:redeliver'],
    ];
    for (const [method, path, body] of calls) {
      const theirs = path.replace('@', id).replace('#', String(delivery!['id']));
      const foreign = await call(method, theirs, body, stranger);
      const missing = await call(method, path.replace(/[@#]/, unknown), body, stranger);
      expect([path, foreign.status, foreign.text]).toEqual([path, 404, missing.text]);
    }
    const create = (task: string): Promise<HttpAnswer> =>
      call('POST', '/configs', { taskId: task, url: sink.url() }, stranger);
    expect((await create(taskId)).text).toBe((await create(unknown)).text);
    for (const list of ['/configs', '/deliveries', '/dead-letters']) {
      const { body } = await call('GET', `${list}?taskId=${taskId}`, undefined, stranger);
      expect(body).toEqual({ items: [], nextCursor: null });
    }
    const counted = await call('GET', '/dead-letters:count', undefined, stranger);
    expect(counted.body).toEqual({ count: 0, isLeast: false });
    expect(await done('GET', `/configs/${id}`)).toMatchObject({ state: 'active' });
  });

  it('shows an operator everybody’s, by organization and endpoint', async () => {
    const { id, at } = await told();
    const operator = (path: string): Promise<HttpAnswer> => hub.admin('GET', API + path);
    expect((await operator(`/configs/${id}`)).status).toBe(200);
    const endpoint = encodeURIComponent(sink.url(at));
    expect(fieldsOf(await operator(`/configs?endpoint=${endpoint}`))).toEqual(['organization']);
    const found = await operator(`/configs?endpoint=${endpoint}&organization=tests&limit=1`);
    expect(found.body).toMatchObject({ items: [{ id }] });
    const shown = found.body.items[0].endpoint as string;
    const again = await operator(`/configs?endpoint=${encodeURIComponent(shown)}&limit=1`);
    expect(again.body.items).toEqual(found.body.items);
    const none = await operator(`/configs?endpoint=${endpoint}&organization=other`);
    expect(none.body).toEqual({ items: [], nextCursor: null });
  });

  it('is closed to keys without the scope', async () => {
    const key = await hub.createKey({ name: 'no push', scopes: ['a2a'] });
    for (const path of ['/configs', '/deliveries', '/dead-letters', '/dead-letters:count']) {
      expect((await call('GET', path, undefined, key)).status).toBe(403);
    }
  });
});
