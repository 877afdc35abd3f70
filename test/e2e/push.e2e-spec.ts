import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type AgentTurn, type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, RpcError, startHub } from '../support/app.js';
import { legacyUserMessage, userMessage } from '../support/builders.js';
import type { JsonObject } from '../support/json.js';
import { type ReceivedWebhook, WebhookSink } from '../support/webhook-sink.js';

const PUSH = { scheduleMs: [50, 100], jitter: 0, timeoutMs: 1000 };
const LEGACY = { version: null };

/** What the agent does, by the message's text. */
async function behave(turn: AgentTurn): Promise<void> {
  if (turn.isFollowUp) {
    turn.task().working('again').artifact('answer', `you said ${turn.text}`).complete();
  } else if (turn.text === 'ask') turn.task().working().askForInput('Which one?');
  else if (turn.text === 'wait') {
    turn.task().working('waiting');
    await turn.pause(30_000);
  } else {
    turn.task().working('thinking').working('still thinking');
    turn.artifact('answer', 'first ', { lastChunk: false });
    turn.artifact('answer', `second of ${turn.text}`, { append: true });
    turn.complete();
  }
}

let hub: Hub;
let sink: WebhookSink;
let agent: RunningAgent;
let paths = 0;

beforeAll(async () => {
  [hub, sink, agent] = await Promise.all([
    startHub({ config: { push: PUSH } }),
    WebhookSink.start(),
    startSdkAgent({ name: 'worker', execute: behave }),
  ]);
  await hub.registerAgent(agent.url, { id: 'worker' });
});
afterEach(() => sink.reset());
afterAll(async () => {
  await hub.close();
  await Promise.all([agent, sink].map((one) => one.close()));
});

/** A path of its own for each test, so that late requests of another do not count. */
const newPath = (): string => `/hook-${++paths}`;

function inline(config: JsonObject): JsonObject {
  return {
    configuration: { taskPushNotificationConfig: config },
    message: { metadata: { agentId: 'worker' } },
  };
}

async function begin(text: string, config?: JsonObject): Promise<string> {
  const params = config ? inline(config) : { message: { metadata: { agentId: 'worker' } } };
  return String((await hub.submit(text, params))['id']);
}

function stateIn({ json }: ReceivedWebhook): string | undefined {
  const { task, statusUpdate } = json as JsonObject;
  return ((task ?? statusUpdate) as JsonObject | undefined)?.status?.state as string | undefined;
}

const endsIn =
  (path: string, state: string) =>
  (webhook: ReceivedWebhook): boolean =>
    webhook.path === path && stateIn(webhook) === `TASK_STATE_${state}`;

async function deliveriesOf(taskId: string, query = ''): Promise<JsonObject[]> {
  const answer = await hub.get(`/api/v1/push/deliveries?taskId=${taskId}${query}`);
  expect(answer.status).toBe(200);
  return (answer.body.items as JsonObject[]).reverse();
}

async function untilStates(taskId: string, ...states: string[]): Promise<JsonObject[]> {
  const end = performance.now() + 20_000;
  for (;;) {
    const found = await deliveriesOf(taskId);
    if (found.map((each) => each['state']).join() === states.join()) return found;
    if (performance.now() > end) throw new Error(JSON.stringify(found));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function redeliver(id: string, key: string): ReturnType<Hub['admin']> {
  return hub.admin('POST', `/api/v1/push/deliveries/${id}:redeliver`, undefined, key);
}

async function rpcError(promise: Promise<unknown>): Promise<RpcError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RpcError);
  return error as RpcError;
}

describe('a webhook sent along with a message', () => {
  it('is told the whole task in order, each piece once', async () => {
    const path = newPath();
    const { task } = await hub.send('this', inline({ url: sink.url(path), token: 'tok' }));
    await sink.waitFor(endsIn(path, 'COMPLETED'));
    const told = sink.at(path);
    expect(told.map(({ json }) => Object.keys(json as object)[0])).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
    expect(told[2]!.json).toMatchObject({
      artifactUpdate: {
        taskId: (task as JsonObject)['id'],
        artifact: { parts: [{ text: 'first ' }, { text: 'second of this' }] },
      },
    });
    expect(told.map(({ headers }) => headers['a2a-hub-delivery-number'])).toEqual([
      '1',
      '2',
      '3',
      '4',
    ]);
    expect(told[0]!.headers).toMatchObject({
      'content-type': 'application/a2a+json',
      'a2a-version': '1.0',
      'a2a-notification-token': 'tok',
      'x-a2a-notification-token': 'tok',
      'a2a-hub-attempt': '1',
    });
  });

  it('is told a question and, after the answer, the rest, though it comes along again', async () => {
    const path = newPath();
    const config = { url: sink.url(path) };
    const { task } = await hub.send('ask', inline(config));
    const id = (task as JsonObject)['id'] as string;
    await sink.waitFor(endsIn(path, 'INPUT_REQUIRED'));
    await hub.send('that', {
      configuration: { taskPushNotificationConfig: config },
      message: { taskId: id },
    });
    await sink.waitFor(endsIn(path, 'COMPLETED'));
    const configs = await hub.rpc('ListTaskPushNotificationConfigs', { taskId: id });
    expect(configs.configs).toHaveLength(1);
    const numbers = sink.at(path).map(({ headers }) => headers['a2a-hub-sequence']);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('first heard of in a follow-up is told the rest', async () => {
    const path = newPath();
    const { task } = await hub.send('ask', { message: { metadata: { agentId: 'worker' } } });
    await hub.send('that', {
      configuration: { taskPushNotificationConfig: { url: sink.url(path) } },
      message: { taskId: (task as JsonObject)['id'] },
    });
    await sink.waitFor(endsIn(path, 'COMPLETED'));
    expect(Object.keys(sink.at(path)[0]!.json as object)).toEqual(['task']);
  });

  it('that a refused follow-up brings along is not set', async () => {
    const { task } = await hub.send('ask', { message: { metadata: { agentId: 'worker' } } });
    const taskId = (task as JsonObject)['id'] as string;
    const refused = hub.send('that', {
      configuration: { taskPushNotificationConfig: { url: sink.url(newPath()) } },
      message: { taskId, contextId: 'another' },
    });
    await expect(refused).rejects.toThrow();
    const configs = await hub.rpc('ListTaskPushNotificationConfigs', { taskId });
    expect(configs['configs'] ?? []).toEqual([]);
  });

  it('that only the repeated request brings along is set, once', async () => {
    const path = newPath();
    const message = userMessage('wait', { metadata: { agentId: 'worker' } });
    const configuration = { returnImmediately: true };
    const first = await hub.rpc('SendMessage', { message, configuration });
    const taskId = (first['task'] as JsonObject)['id'] as string;
    for (let n = 0; n < 2; n += 1) {
      const again = await hub.rpc('SendMessage', {
        message,
        configuration: { ...configuration, taskPushNotificationConfig: { url: sink.url(path) } },
      });
      expect((again['task'] as JsonObject)['id']).toBe(taskId);
    }
    const configs = await hub.rpc('ListTaskPushNotificationConfigs', { taskId });
    expect(configs['configs']).toHaveLength(1);
    await hub.rpc('CancelTask', { id: taskId });
    await sink.waitFor(endsIn(path, 'CANCELED'));
  });

  it('gets the Task in 0.3 when a 0.3 client registered it', async () => {
    const path = newPath();
    const params = {
      message: legacyUserMessage('this', { metadata: { agentId: 'worker' } }),
      configuration: { blocking: true, pushNotificationConfig: { url: sink.url(path) } },
    };
    await hub.rpc('message/send', params, LEGACY);
    const told = await sink.waitFor(
      ({ path: at, json }) => at === path && (json as JsonObject)['status'].state === 'completed',
    );
    expect(told.json).toMatchObject({ kind: 'task', artifacts: [{ parts: [{}, {}] }] });
    expect(told.headers['content-type']).toBe('application/json');
  });

  it('is refused before a task exists when its address is forbidden', async () => {
    const error = await rpcError(hub.send('this', inline({ url: 'http://10.0.0.1/hook' })));
    expect(error.code).toBe(-32602);
    expect(error.message).toContain('configuration.taskPushNotificationConfig.url');
  });
});

describe('a webhook of an existing task', () => {
  it('is told its final state once when the task has ended', async () => {
    const path = newPath();
    const { task } = await hub.send('this', { message: { metadata: { agentId: 'worker' } } });
    const taskId = (task as JsonObject)['id'] as string;
    await hub.rpc('CreateTaskPushNotificationConfig', { taskId, url: sink.url(path) });
    await untilStates(taskId, 'delivered');
    expect(sink.at(path)).toHaveLength(1);
    expect(sink.at(path)[0]!.json).toMatchObject({
      task: { id: taskId, status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{}] },
    });
  });

  it('hears of the cancel', async () => {
    const path = newPath();
    const taskId = await begin('wait');
    await hub.waitForTask(taskId, 'TASK_STATE_WORKING');
    await hub.rpc('CreateTaskPushNotificationConfig', { taskId, url: sink.url(path) });
    await sink.waitFor(endsIn(path, 'WORKING'));
    await hub.rpc('CancelTask', { id: taskId });
    await sink.waitFor(endsIn(path, 'CANCELED'));
  });

  it('keeps its id, shows no secret, and is gone after a delete', async () => {
    const { task } = await hub.send('this', { message: { metadata: { agentId: 'worker' } } });
    const taskId = (task as JsonObject)['id'] as string;
    const secrets = {
      token: 'a-token-to-hide',
      authentication: { scheme: 'Bearer', credentials: 'credentials-to-hide' },
    };
    const config = { taskId, id: 'mine', url: 'https://example.com/hook', ...secrets };
    const answers = [
      await hub.rpcRaw('CreateTaskPushNotificationConfig', config),
      await hub.rpcRaw('GetTaskPushNotificationConfig', { taskId, id: 'mine' }),
      await hub.rpcRaw('ListTaskPushNotificationConfigs', { taskId }),
    ];
    for (const { text } of answers) {
      expect(text).toContain('"mine"');
      expect(text).not.toContain('to-hide');
    }
    await hub.rpc('DeleteTaskPushNotificationConfig', { taskId, id: 'mine' });
    await hub.rpc('DeleteTaskPushNotificationConfig', { taskId, id: 'mine' });
    const error = await rpcError(hub.rpc('GetTaskPushNotificationConfig', { taskId, id: 'mine' }));
    expect(error.code).toBe(-32001);
  });

  it('keeps the schemes of a 0.x client and uses the first it knows', async () => {
    const path = newPath();
    const { task } = await hub.send('this', { message: { metadata: { agentId: 'worker' } } });
    const taskId = (task as JsonObject)['id'] as string;
    const authentication = { schemes: ['Digest', 'Basic'], credentials: 'user:pass' };
    const pushNotificationConfig = { url: sink.url(path), authentication };
    await hub.rpc('tasks/pushNotificationConfig/set', { taskId, pushNotificationConfig }, LEGACY);
    await untilStates(taskId, 'delivered');
    expect(sink.at(path)[0]!.headers['authorization']).toBe(
      `Basic ${Buffer.from('user:pass').toString('base64')}`,
    );
    expect(await hub.rpc('tasks/pushNotificationConfig/get', { id: taskId }, LEGACY)).toMatchObject(
      { taskId, pushNotificationConfig: { url: sink.url(path) } },
    );
  });

  it('is found by a 0.x client under "default" when it was set without an id, by no other', async () => {
    const { task } = await hub.send('this', { message: { metadata: { agentId: 'worker' } } });
    const taskId = (task as JsonObject)['id'] as string;
    const get = (pushNotificationConfigId: string): Promise<unknown> =>
      hub.rpc('tasks/pushNotificationConfig/get', { id: taskId, pushNotificationConfigId }, LEGACY);
    await expect(get('default')).rejects.toMatchObject({ code: -32001 });
    const pushNotificationConfig = { url: sink.url(newPath()) };
    const set = { taskId, pushNotificationConfig };
    const made = await hub.rpc('tasks/pushNotificationConfig/set', set, LEGACY);
    expect(await get('default')).toEqual(made);
    await expect(get('other')).rejects.toMatchObject({ code: -32001 });
    const named = { taskId, id: 'default' };
    await expect(hub.rpc('GetTaskPushNotificationConfig', named)).rejects.toMatchObject({
      code: -32001,
    });
  });

  it.each([
    ['Bearer', 'abc', { authorization: 'Bearer abc' }],
    ['basic', 'dXNlcjpwYXNz', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['ApiKey', 'X-Service-Key: abc', { 'x-service-key': 'abc' }],
    ['apikey', 'abc', { 'x-api-key': 'abc' }],
  ])('is sent %s authentication', async (scheme, credentials, headers) => {
    const path = newPath();
    const authentication = { scheme, credentials };
    await hub.send('this', inline({ url: sink.url(path), authentication }));
    await sink.waitFor(endsIn(path, 'COMPLETED'));
    for (const told of sink.at(path)) expect(told.headers).toMatchObject(headers);
  });

  it.each([
    ['authentication.scheme', { authentication: { scheme: 'Digest', credentials: 'x' } }],
    ['authentication.scheme', { authentication: { scheme: 'constructor', credentials: 'x' } }],
    ['authentication.scheme', { authentication: { scheme: '__proto__', credentials: 'x' } }],
    ['authentication.credentials', { authentication: { scheme: 'Bearer', credentials: 'a\r\nb' } }],
    ['url', { url: 'ftp://127.0.0.1/hook' }],
    ['url', { url: 'http://192.168.1.1/hook' }],
    ['url', { url: 'http://[::ffff:10.0.0.1]/hook' }],
  ])('is refused for a bad %s', async (field, changes) => {
    const taskId = await begin('wait');
    const config = { taskId, url: sink.url(), ...changes };
    const error = await rpcError(hub.rpc('CreateTaskPushNotificationConfig', config));
    expect(error.code).toBe(-32602);
    expect(error.message).toContain(field);
    await hub.rpc('CancelTask', { id: taskId });
  });

  it('of a stranger is as unknown as none at all, byte for byte', async () => {
    const taskId = await begin('wait');
    const stranger = { key: await hub.createKey({ name: 'stranger' }) };
    const unknown = taskId.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const [method, more] of [
      ['CreateTaskPushNotificationConfig', { url: sink.url() }],
      ['GetTaskPushNotificationConfig', { id: 'x' }],
      ['ListTaskPushNotificationConfigs', {}],
      ['DeleteTaskPushNotificationConfig', { id: 'x' }],
    ] as const) {
      const [theirs, none] = await Promise.all(
        [taskId, unknown].map((id) => hub.rpcRaw(method, { taskId: id, ...more }, stranger)),
      );
      expect(theirs!.body.error.code).toBe(-32001);
      expect(theirs!.text.replaceAll(taskId, 'ID')).toBe(none!.text.replaceAll(unknown, 'ID'));
    }
    await hub.rpc('CancelTask', { id: taskId });
  });
});

describe('a webhook that fails', () => {
  it('is retried with the same id and bytes until it takes the event', async () => {
    const path = newPath();
    sink.script.push(503, 'cut');
    const { task } = await hub.send('this', inline({ url: sink.url(path) }));
    const [first] = await untilStates(
      (task as JsonObject)['id'] as string,
      ...Array<string>(4).fill('delivered'),
    );
    const tries = sink.at(path).slice(0, 3);
    expect(new Set(tries.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(tries.map(({ raw }) => raw.toString())).size).toBe(1);
    const { body } = await hub.get(`/api/v1/push/deliveries/${String(first!['id'])}/attempts`);
    expect(body).toMatchObject({
      items: [
        { number: 1, status: 503, error: 'status' },
        { number: 2, status: null, error: 'network' },
        { number: 3, status: 200, error: null },
      ],
      nextCursor: null,
    });
  });

  it('leaves a dead letter, goes on with a gap, and takes it by redelivery', async () => {
    const path = newPath();
    sink.script.push(422, 422, { status: 422, body: 'no, Bearer abcdef123' });
    const { task } = await hub.send('this', inline({ url: sink.url(path) }));
    const taskId = (task as JsonObject)['id'] as string;
    const [dead] = await untilStates(taskId, 'dead', 'delivered', 'delivered', 'delivered');
    expect(sink.at(path)[3]!.headers['a2a-hub-gap']).toBe('1');
    expect(sink.at(path)[4]!.headers['a2a-hub-gap']).toBeUndefined();
    const deadOnes = await deliveriesOf(taskId, '&state=dead');
    expect(deadOnes).toMatchObject([{ id: dead!['id'], lastStatus: 422, attempts: 3 }]);
    const id = String(dead!['id']);
    const attempts = await hub.get(`/api/v1/push/deliveries/${id}/attempts`);
    expect((attempts.body.items as JsonObject[])[2]!['response']).toBe('no, Bearer ***');

    expect((await redeliver(id, await hub.key())).status).toBe(202);
    await untilStates(taskId, ...Array<string>(4).fill('delivered'));
    const all = sink.at(path);
    expect(all.at(-1)!.headers['webhook-id']).toBe(all[0]!.headers['webhook-id']);
    expect(all.at(-1)!.raw).toEqual(all[0]!.raw);
  });

  it('is not called again after 410', async () => {
    const path = newPath();
    sink.script.push(410);
    const { task } = await hub.send('this', inline({ url: sink.url(path) }));
    // The one it refused, and one that stands for what it was not asked about.
    const letters = await untilStates((task as JsonObject)['id'] as string, 'dead', 'dead');
    expect(letters.map(({ attempts }) => attempts)).toEqual([1, 0]);
    expect(sink.at(path)).toHaveLength(1);
  });

  it('is never followed to another address', async () => {
    const path = newPath();
    sink.script.push({ status: 302, headers: { location: sink.url('/elsewhere') } });
    await hub.send('this', inline({ url: sink.url(path) }));
    await sink.waitFor(endsIn(path, 'COMPLETED'));
    expect(sink.at('/elsewhere')).toEqual([]);
  });
});

describe('the deliveries of the admin API', () => {
  it('are paged, filtered, and checked', async () => {
    const { task } = await hub.send('this', inline({ url: sink.url(newPath()) }));
    const taskId = (task as JsonObject)['id'] as string;
    await untilStates(taskId, ...Array<string>(4).fill('delivered'));
    const first = await hub.get(`/api/v1/push/deliveries?taskId=${taskId}&limit=3`);
    expect(first.body.items).toHaveLength(3);
    const cursor = String(first.body.nextCursor);
    const rest = await hub.get(`/api/v1/push/deliveries?taskId=${taskId}&limit=3&cursor=${cursor}`);
    expect(rest.body).toMatchObject({ items: [{ number: 1, sequence: 1 }], nextCursor: null });
    for (const bad of ['state=lost', 'limit=0', 'unknown=1']) {
      const answer = await hub.get(`/api/v1/push/deliveries?${bad}`);
      expect(answer.status).toBe(400);
      expect(answer.headers['content-type']).toContain('application/problem+json');
    }
  });

  it('are for their owner, operators, and nobody else', async () => {
    const { task } = await hub.send('this', inline({ url: sink.url(newPath()) }));
    const taskId = (task as JsonObject)['id'] as string;
    const [one] = await untilStates(taskId, ...Array<string>(4).fill('delivered'));
    const id = String(one!['id']);
    const key = await hub.createKey({ name: 'other' });
    const list = await hub.get(`/api/v1/push/deliveries?taskId=${taskId}`, { key });
    expect(list.body.items).toEqual([]);
    for (const each of [id, 'unknown']) {
      const attempts = await hub.get(`/api/v1/push/deliveries/${each}/attempts`, { key });
      expect(attempts.status).toBe(404);
      expect((await redeliver(each, key)).status).toBe(404);
    }
    const operator = await hub.admin('GET', `/api/v1/push/deliveries?taskId=${taskId}`);
    expect(operator.body.items).toHaveLength(4);
    const without = { key: await hub.createKey({ scopes: ['a2a'] }) };
    expect((await hub.get('/api/v1/push/deliveries', without)).status).toBe(403);
    expect((await hub.get('/api/v1/push/deliveries', { key: null })).status).toBe(401);
  });

  it('take a redelivery with the media type of JSON and no body', async () => {
    const { task } = await hub.send('this', inline({ url: sink.url(newPath()) }));
    const taskId = (task as JsonObject)['id'] as string;
    const [one] = await untilStates(taskId, ...Array<string>(4).fill('delivered'));
    const path = `/api/v1/push/deliveries/${String(one!['id'])}:redeliver`;
    for (const type of ['application/json', 'application/json; charset=utf-8']) {
      const answer = await hub.post(path, '', { headers: { 'content-type': type } });
      expect(answer.status).toBe(202);
      await untilStates(taskId, ...Array<string>(4).fill('delivered'));
    }
    expect((await hub.post(path, '{"cut": ')).status).toBe(400);
  });

  it('have a large body fetched by the call it names', async () => {
    const path = newPath();
    const small = await startHub({ config: { push: { ...PUSH, maxBodyBytes: 1024 } } });
    try {
      await small.registerAgent(agent.url, { id: 'worker' });
      const { task } = await small.send('x'.repeat(3000), inline({ url: sink.url(path) }));
      const thin = await sink.waitFor(
        ({ path: at, json }) => at === path && (json as JsonObject)['artifactUpdate'],
      );
      const { metadata } = (thin.json as JsonObject)['artifactUpdate'];
      const { url, method, id } = metadata['urn:a2a-hub:push:v1'].getTask;
      expect(url).toBe(`${small.url}/a2a`);
      const got = await small.rpc(method, { id }, { path: new URL(url as string).pathname });
      expect(got.artifacts).toEqual((task as JsonObject)['artifacts']);
    } finally {
      await small.close();
    }
  });

  it('match their paths exactly', async () => {
    const wrong = { 'x:cancel': 404, 'x:redeliverx': 404, x: 405 };
    for (const [path, status] of Object.entries(wrong)) {
      const answer = await hub.admin('POST', `/api/v1/push/deliveries/${path}`);
      expect([path, answer.status]).toEqual([path, status]);
    }
  });
});

describe('a restart', () => {
  it('goes on with what was not delivered, in order, with the same bytes', async () => {
    const own = await WebhookSink.start();
    const directory = await mkdtemp(join(tmpdir(), 'a2a-hub-'));
    const databaseUrl = `sqlite:${join(directory, 'hub.db')}`;
    const started: Hub[] = [];
    const start = async (scheduleMs: number[]): Promise<Hub> => {
      const one = await startHub({ config: { push: { ...PUSH, scheduleMs } }, databaseUrl });
      started.push(one);
      return one;
    };
    try {
      const before = await start([60_000]);
      await before.registerAgent(agent.url, { id: 'worker' });
      own.script.push(503);
      await before.send('this', inline({ url: own.url() }));
      await own.waitForCount(1);
      await started.pop()!.close();

      const after = await start([50]);
      const list = await after.admin('GET', '/api/v1/push/deliveries');
      const [waiting] = list.body.items as JsonObject[];
      expect(waiting).toMatchObject({ state: 'retrying', lastStatus: 503 });
      await after.admin('POST', `/api/v1/push/deliveries/${String(waiting!['id'])}:redeliver`);
      await own.waitFor((one) => stateIn(one) === 'TASK_STATE_COMPLETED');
      const told = own.received.map(({ headers }) => headers['a2a-hub-delivery-number']);
      expect(told).toEqual(['1', '1', '2', '3', '4']);
      expect(own.received[1]!.raw).toEqual(own.received[0]!.raw);
    } finally {
      for (const one of started) await one.close();
      await own.close();
      await rm(directory, { recursive: true, force: true });
    }
  });
});
