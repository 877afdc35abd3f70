import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allBindings, type Binding } from '../../support/bindings.js';
import type { JsonObject } from '../../support/json.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { eventually } from '../../support/eventually.js';
import { DIALECTS, type Dialect, partsOf, textOf, textPart } from './dialects.js';
import { Sides } from './sides.js';

/** What each dialect calls the methods an agent is called by. */
const METHOD_NAMES = {
  send: { '1.0': 'SendMessage', '0.3': 'message/send', proto: 'SendMessage' },
  stream: {
    '1.0': 'SendStreamingMessage',
    '0.3': 'message/stream',
    proto: 'SendStreamingMessage',
  },
  get: { '1.0': 'GetTask', '0.3': 'tasks/get', proto: 'GetTask' },
  cancel: { '1.0': 'CancelTask', '0.3': 'tasks/cancel', proto: 'CancelTask' },
  subscribe: { '1.0': 'SubscribeToTask', '0.3': 'tasks/resubscribe', proto: 'TaskSubscription' },
} as const;

let polled: Sides;
let streaming: Sides;
let bindings: Binding[];
let sink: WebhookSink;

beforeAll(async () => {
  [polled, streaming, sink] = await Promise.all([
    Sides.start({ streaming: false }),
    Sides.start({ streaming: true }),
    WebhookSink.start(),
  ]);
  bindings = allBindings(polled.hub);
});

beforeEach(() => {
  for (const dialect of DIALECTS) {
    for (const { agents } of [polled, streaming]) {
      agents[dialect].answer = {};
      agents[dialect].stored = undefined;
      agents[dialect].methods.length = 0;
    }
  }
});

afterAll(async () => {
  for (const binding of bindings) binding.close();
  await Promise.all([polled, streaming, sink].map((one) => one.close()));
});

describe('the version of a call', () => {
  const other = (binding: Binding): string => (binding.version === '1.0' ? '0.3' : '1.0');
  const taskId = async (): Promise<string> => {
    const task = await polled.send('1.0', '1.0', { parts: [{ text: 'hello' }] });
    return String(task['id']);
  };

  it('version.header', async () => {
    const id = await taskId();
    for (const binding of bindings) {
      const patches = binding.version === '1.0' ? ['1.0', '1.0.9'] : ['0.3', '0.3.1', '0.2.5'];
      for (const version of patches) {
        await expect(
          binding.get(id, { headers: { 'a2a-version': version } }),
        ).resolves.toBeDefined();
      }
    }
    const requested = await polled.hub.get(`/a2a/tasks/${id}?A2A-Version=99.0`, { version: null });
    expect(requested.body).toMatchObject({
      error: { details: [{ reason: 'VERSION_NOT_SUPPORTED' }] },
    });
  });

  it('version.absent', async () => {
    const id = await taskId();
    for (const binding of bindings) await expect(binding.get(id)).resolves.toBeDefined();
  });

  it('version.unknown', async () => {
    for (const binding of bindings) {
      const requested = binding.get('any', { headers: { 'a2a-version': '99.0' } });
      await expect(requested).rejects.toMatchObject({
        refusal: { reason: 'VERSION_NOT_SUPPORTED' },
      });
    }
  });

  it('version.at-odds', async () => {
    for (const binding of bindings) {
      const requested = binding.get('any', { headers: { 'a2a-version': other(binding) } });
      await expect(requested).rejects.toMatchObject({ refusal: { reason: 'METHOD_NOT_FOUND' } });
    }
  });

  it.each(DIALECTS)('version.to-agent: %s', async (agent) => {
    for (const client of DIALECTS) {
      await polled.send(client, agent, { parts: [textPart(client, 'hello')] });
      const { headers } = polled.agents[agent].received.at(-1)!;
      expect(headers['a2a-version']).toBe(agent === '1.0' ? '1.0' : '0.3');
    }
  });
});

describe.each(DIALECTS)('a client of %s', (client) => {
  const hello = { parts: [textPart(client, 'hello')] };

  it('method.list', async () => {
    const { id } = await polled.send(client, '1.0', hello);
    if (client === 'proto') {
      await expect(polled.unknownLegacy('ListTasks')).rejects.toMatchObject({ code: 12 });
    } else if (client === '0.3') {
      await expect(polled.hub.rpc('tasks/list', {}, { version: null })).rejects.toMatchObject({
        code: -32601,
      });
    } else {
      const { tasks } = (await polled.hub.rpc('ListTasks', {})) as JsonObject;
      expect((tasks as JsonObject[]).map((task) => task['id'])).toContain(id);
    }
    expect(DIALECTS.flatMap((agent) => polled.agents[agent].methods)).not.toContain('ListTasks');
  });

  describe.each(DIALECTS)('with an agent of %s', (agent) => {
    const called = (sides: Sides): readonly string[] => sides.agents[agent].methods;

    it('method.send', async () => {
      await polled.send(client, agent, hello);
      expect(called(polled)[0]).toBe(METHOD_NAMES.send[agent]);
    });

    it('method.stream', async () => {
      streaming.agents[agent].stream = [
        { kind: 'task', task: { state: 'submitted' } },
        { kind: 'status', state: 'completed' },
      ];
      const events = await streaming.stream(client, agent, hello);
      expect(events.at(-1)).toMatchObject({ kind: 'status', state: 'completed' });
      expect(called(streaming)).toEqual([METHOD_NAMES.stream[agent]]);
    });

    it('method.get', async () => {
      polled.agents[agent].answer = { state: 'submitted' };
      polled.agents[agent].stored = { state: 'completed' };
      const task = await polled.send(client, agent, hello);
      expect((await polled.get(client, String(task['id'])))['id']).toBe(task['id']);
      expect(called(polled)).toContain(METHOD_NAMES.get[agent]);
    });

    it('method.cancel', async () => {
      polled.agents[agent].answer = { state: 'input-required' };
      const { id } = await polled.send(client, agent, hello);
      const canceled = await polled.cancel(client, String(id));
      expect(JSON.stringify(canceled['status'])).toMatch(/cancel|:5/i);
      await eventually(() => expect(called(polled)).toContain(METHOD_NAMES.cancel[agent]));
    });

    it('method.subscribe', async () => {
      streaming.agents[agent].stream = [
        { kind: 'task', task: { state: 'submitted' } },
        { kind: 'status', state: 'auth-required' },
      ];
      streaming.agents[agent].stored = { state: 'auth-required' };
      const { id } = await streaming.send(client, agent, hello);
      expect(await streaming.subscribed(client, String(id))).toMatchObject({
        kind: 'task',
        taskId: id,
        state: 'auth-required',
      });
      await streaming.cancel(client, String(id));
      streaming.agents[agent].stream = [
        { kind: 'task', task: { state: 'submitted' } },
        { kind: 'status', state: 'working' },
      ];
      streaming.agents[agent].stored = { state: 'working' };
      const waiting = streaming.send(client, agent, hello);
      const looks = (): number =>
        called(streaming).filter((method) => method === METHOD_NAMES.get[agent]).length;
      await eventually(() => expect(looks()).toBeGreaterThan(3));
      streaming.agents[agent].stored = { state: 'completed' };
      await waiting;
      const subscribed = called(streaming).includes(METHOD_NAMES.subscribe[agent]);
      expect(subscribed).toBe(agent === '1.0');
    });

    it('send.wait', async () => {
      polled.agents[agent].answer = { state: 'working' };
      const now = client === '1.0' ? { returnImmediately: true } : { blocking: false };
      const configuration = { acceptedOutputModes: [], historyLength: 0, ...now };
      const early = await polled.send(client, agent, hello, { configuration });
      expect(JSON.stringify(early['status'])).toMatch(/submitted|working|"state":[12]/i);
      polled.agents[agent].stored = { state: 'completed' };
      const late = await polled.send(client, agent, hello);
      expect(JSON.stringify(late['status'])).toMatch(/completed|"state":3/i);
    });

    it('send.history-length', async () => {
      const configuration = (historyLength: number): JsonObject => ({
        acceptedOutputModes: [],
        historyLength,
        ...(client === 'proto' ? { blocking: true } : {}),
      });
      const none = await polled.send(client, agent, hello, { configuration: configuration(0) });
      const one = await polled.send(client, agent, hello, { configuration: configuration(1) });
      const texts = (task: JsonObject): string[] =>
        ((task['history'] ?? []) as JsonObject[]).flatMap((it) => partsOf(client, it).map(textOf));
      expect(texts(none)).toEqual(client === 'proto' ? ['hello'] : []);
      expect(texts(one)).toEqual(['hello']);
    });

    it('send.output-modes', async () => {
      const blocking = client === '1.0' ? {} : { blocking: true };
      const configuration = {
        acceptedOutputModes: ['text/csv', 'text/plain'],
        ...(client === 'proto' ? { historyLength: 0 } : {}),
        ...blocking,
      };
      await polled.send(client, agent, hello, { configuration });
      const { received } = polled.agents[agent];
      expect(received.at(-1)!.configuration).toMatchObject({
        acceptedOutputModes: ['text/csv', 'text/plain'],
      });
      await polled.send(client, agent, hello);
      const modes = received.at(-1)!.configuration?.['acceptedOutputModes'];
      expect(modes).toEqual(agent === '1.0' ? modes : []);
    });

    it('send.inline-push', async () => {
      const path = `/${client}-${agent}`.replaceAll('.', '-');
      await polled.send(client, agent, hello, {
        configuration: inlinePush(client, sink.url(path)),
      });
      const { configuration } = polled.agents[agent].received.at(-1)!;
      expect(JSON.stringify(configuration)).not.toContain('webhook-token');
      await sink.waitForCount(1, 10_000, path);
    });

    it('send.request-metadata', async () => {
      const own = { 'urn:a2a-hub:routing:v1': { tags: ['work'] } };
      const metadata = { 'urn:request': { deep: [null, 1.5] }, ...own };
      await polled.send(client, agent, hello, { metadata });
      const got = polled.agents[agent].received.at(-1)!.metadata;
      expect(got).toMatchObject({ 'urn:request': { deep: [null, 1.5] } });
      expect(JSON.stringify(got)).not.toContain('"tags"');
    });

    it('send.cancel-metadata', async () => {
      const own = { 'urn:a2a-hub:routing:v1': { tags: ['work'] } };
      const theirs = { 'urn:request': { deep: [null, 1.5] } };
      const { canceledWith } = polled.agents[agent];
      canceledWith.length = 0;
      polled.agents[agent].answer = { state: 'working' };
      const now = client === '1.0' ? { returnImmediately: true } : { blocking: false };
      const configuration = { acceptedOutputModes: [], historyLength: 0, ...now };
      const working = await polled.send(client, agent, hello, { configuration });
      await polled.hub.waitForTask(String(working['id']), 'TASK_STATE_WORKING');
      await polled.cancel(client, String(working['id']), { ...theirs, ...own });
      polled.agents[agent].answer = { state: 'input-required' };
      const requested = await polled.send(client, agent, hello);
      await polled.cancel(client, String(requested['id']), { ...theirs, ...own });
      await eventually(() => expect(canceledWith).toHaveLength(2));
      const said = client === 'proto' || agent === 'proto' ? undefined : theirs;
      expect(canceledWith).toEqual([said, said]);
    });
  });

  it('send.cancel-metadata', async () => {
    if (client === 'proto') return;
    await expect(polled.cancel(client, 'any', 'x' as never)).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('send.tenant', async () => {
    const id = polled.agents['0.3'].id;
    if (client === '1.0') {
      const message = { messageId: 'of-the-tenant', role: 'ROLE_USER', parts: hello.parts };
      await polled.hub.rpc('SendMessage', { tenant: id, message });
    } else {
      await polled.send(client, '0.3', hello);
    }
    expect(polled.agents['0.3'].methods).toContain('message/send');
  });
});

describe('the two forms of HTTP+JSON 0.3', () => {
  const path = (): string => `/a2a/agents/${polled.agents['1.0'].id}/v1`;
  const sent = async (message: JsonObject): Promise<JsonObject> => {
    const options = { version: null };
    const answer = await polled.hub.post(
      `${path()}/message:send`,
      JSON.stringify({ message, configuration: { blocking: true } }),
      options,
    );
    return answer.body as JsonObject;
  };

  it('method.form', async () => {
    const json = await sent({ messageId: 'a', role: 'user', parts: [{ kind: 'text', text: 'x' }] });
    expect(json).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    const proto = await sent({ messageId: 'b', role: 'ROLE_USER', content: [{ text: 'x' }] });
    expect(proto).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
    const at = `${path()}/tasks/${json['id']}`;
    const usual = await polled.hub.get(at, { version: null });
    expect(usual.body).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    const headers = { accept: 'application/json; profile=a2a-json' };
    const requested = await polled.hub.get(at, { version: null, headers });
    expect(requested.body).toMatchObject({ kind: 'task', status: { state: 'completed' } });
  });

  it('method.names', async () => {
    for (const name of ['tasks/a/b', 'tasks/', 'a', '']) {
      const requested = polled.callLegacy('getTask', { name, historyLength: 0 });
      await expect(requested).rejects.toMatchObject({ code: 3 });
    }
  });

  it('stream.refused', async () => {
    const params = { id: 'no-such-task' };
    const unsaid = await polled.hub.rpcRaw('tasks/resubscribe', params, { version: null });
    expect(unsaid.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(unsaid.text).toContain('-32001');
    const said = await polled.hub.rpcRaw('tasks/resubscribe', params, { version: '0.3' });
    expect(said.body).toMatchObject({ error: { code: -32001 } });
    const current = await polled.hub.rpcRaw('SubscribeToTask', params, { version: null });
    expect(current.body).toMatchObject({ error: { code: -32001 } });
    const rest = await polled.hub.get('/a2a/v1/tasks/no-such-task:subscribe', { version: null });
    expect(rest.status).toBe(404);
  });
});

describe.each(bindingNames())('the binding %s', (name) => {
  it('method.push-set, method.push-get, method.push-list, method.push-delete', async () => {
    const binding = bindings.find((one) => one.name === name)!;
    const { id } = await polled.send('1.0', '1.0', { parts: [{ text: 'hello' }] });
    const taskId = String(id);
    await binding.setPushConfig(taskId, { id: 'mine', url: sink.url('/configs') });
    const got = await binding.getPushConfig(taskId, 'mine');
    expect(JSON.stringify(got)).toContain(sink.url('/configs'));
    expect(JSON.stringify(await binding.listPushConfigs(taskId))).toContain(sink.url('/configs'));
    await binding.deletePushConfig(taskId, 'mine');
    await expect(binding.getPushConfig(taskId, 'mine')).rejects.toThrow();
    const calls = DIALECTS.flatMap((agent) => polled.agents[agent].methods);
    expect(calls.filter((method) => /push/i.test(method))).toEqual([]);
  });

  it('method.card', async () => {
    const binding = bindings.find((one) => one.name === name)!;
    const card = await binding.extendedCard();
    expect(JSON.stringify(card)).toContain('agent-1-0.work');
  });
});

function bindingNames(): string[] {
  return ['JSON-RPC', 'HTTP+JSON', 'gRPC'].flatMap((binding) =>
    ['1.0', '0.3'].map((version) => `${binding} ${version}`),
  );
}

function inlinePush(client: Dialect, url: string): JsonObject {
  const config = { id: '', url, token: 'webhook-token' };
  if (client === '1.0') return { taskPushNotificationConfig: config };
  const legacy =
    client === '0.3' ? { pushNotificationConfig: config } : { pushNotification: config };
  return { acceptedOutputModes: [], blocking: true, historyLength: 0, ...legacy };
}
