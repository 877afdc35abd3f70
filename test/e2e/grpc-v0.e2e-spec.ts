import {
  SendMessageRequest as CurrentRequest,
  type Task as CurrentTask,
  TaskPushNotificationConfig,
  TaskState,
} from '@a2a-js/sdk';
import { LegacyGrpcTransport } from '@a2a-js/sdk/compat/v0_3/client/grpc';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ROUTING_EXTENSION_URI } from '../../src/protocol/routing-extension.js';
import type { Hub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { GrpcClient, V0, failureOf, grpcTarget } from '../support/grpc-client.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';
import type { JsonObject } from '../support/json.js';
import type { ScriptedAgent } from '../support/scripted-agent.js';
import { collect, kindsOf } from '../support/sdk-client.js';

type SendRequest = ReturnType<typeof V0.sendMessage.requestDeserialize>;
type Message = NonNullable<SendRequest['request']>;
type Configuration = NonNullable<SendRequest['configuration']>;
type Task = ReturnType<typeof V0.getTask.responseDeserialize>;

const HOOK = 'https://example.com/hook';
const USER = 1;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe]);

let served: GrpcHub;
let hub: Hub;
let agent: ScriptedAgent;
let client: GrpcClient;

beforeAll(async () => {
  served = await startGrpcHub();
  ({ hub, agent, client } = served);
});

afterAll(() => served.close());

beforeEach(() => {
  agent.calls.length = 0;
  for (const method of Object.keys(agent.handlers)) delete agent.handlers[method];
});

function sending(
  message: Partial<Message> = {},
  configuration?: Partial<Configuration>,
): SendRequest {
  return {
    request: {
      messageId: crypto.randomUUID(),
      contextId: '',
      taskId: '',
      role: USER,
      content: [{ part: { $case: 'text', value: 'go' } }],
      metadata: { agentId: 'scripted' },
      extensions: [],
      ...message,
    },
    configuration: configuration && {
      acceptedOutputModes: [],
      pushNotification: undefined,
      historyLength: 0,
      blocking: false,
      ...configuration,
    },
    metadata: undefined,
  };
}

async function sent(request: SendRequest, through = client): Promise<Task> {
  const { payload } = await through.call(V0.sendMessage, request);
  if (payload?.$case !== 'task') throw new Error('no task came');
  return payload.value;
}

/** The agent begins tasks and leaves them running. */
function leaveRunning(): void {
  agent.handlers['SendStreamingMessage'] = (call) =>
    agent.begin(call, { manual: true }).follow(call);
}

const named = (id: string): { name: string } => ({ name: `tasks/${id}` });
const configNamed = (id: string, config: string): { name: string } => ({
  name: `tasks/${id}/pushNotificationConfigs/${config}`,
});
const parented = (parent: string): { parent: string; pageSize: number; pageToken: string } => ({
  parent,
  pageSize: 0,
  pageToken: '',
});

it("serves every operation to the SDK's client", async () => {
  const transport = new LegacyGrpcTransport({ endpoint: grpcTarget(hub) });
  const options = { serviceParameters: { authorization: `Bearer ${await hub.key()}` } };
  const request = (configuration: JsonObject = {}): CurrentRequest =>
    CurrentRequest.fromJSON({
      message: userMessage('go', { metadata: { agentId: 'scripted' } }),
      configuration,
    });

  const task = (await transport.sendMessage(request(), options)) as CurrentTask;
  expect(task.status!.state).toBe(TaskState.TASK_STATE_COMPLETED);
  const streamed = await collect(transport.sendMessageStream(request(), options));
  expect(kindsOf(streamed).slice(0, 2)).toEqual(['task', 'statusUpdate']);
  const { id } = task;
  const got = await transport.getTask({ tenant: '', id, historyLength: undefined }, options);
  expect(got).toEqual(task);

  const config = TaskPushNotificationConfig.fromJSON({ taskId: id, id: 'hook', url: HOOK });
  const which = { tenant: '', taskId: id, id: 'hook' };
  await transport.createTaskPushNotificationConfig(config, options);
  const kept = await transport.getTaskPushNotificationConfig(which, options);
  expect(kept).toMatchObject({ taskId: id, id: 'hook', url: HOOK });
  const all = { tenant: '', taskId: id, pageSize: 0, pageToken: '' };
  expect((await transport.listTaskPushNotificationConfig(all, options)).configs).toEqual([kept]);
  await transport.deleteTaskPushNotificationConfig(which, options);
  expect((await transport.listTaskPushNotificationConfig(all, options)).configs).toEqual([]);

  leaveRunning();
  const waiting = request({ returnImmediately: true });
  const running = (await transport.sendMessage(waiting, options)) as CurrentTask;
  const subscription = transport.resubscribeTask({ tenant: '', id: running.id }, options);
  expect((await subscription.next()).value?.payload).toMatchObject({ $case: 'task' });
  const cancel = { tenant: '', id: running.id, metadata: undefined };
  const canceled = await transport.cancelTask(cancel, options);
  expect(canceled.status!.state).toBe(TaskState.TASK_STATE_CANCELED);
  expect((await collect(subscription)).at(-1)?.payload).toMatchObject({
    value: { status: { state: TaskState.TASK_STATE_CANCELED } },
  });
});

describe('a send over gRPC 0.3', () => {
  it('waits without a configuration, as Go leaves it out, and with blocking', async () => {
    for (const request of [sending(), sending({}, { blocking: true })]) {
      expect((await sent(request)).status!.state).toBe(TaskState.TASK_STATE_COMPLETED);
    }
  });

  it('does not wait with a configuration that does not say blocking', async () => {
    leaveRunning();
    const url = `${HOOK}/go`;
    const pushNotification = { id: '', url, token: '', authentication: undefined };
    for (const configuration of [{}, { pushNotification }]) {
      const task = await sent(sending({}, configuration));
      expect(task.status!.state).not.toBe(TaskState.TASK_STATE_COMPLETED);
    }
  });

  it('takes a history length of 0 for none, and any other as it is', async () => {
    const { id, history } = await sent(sending({}, { blocking: true }));
    expect(history.length).toBeGreaterThan(0);
    const all = await client.call(V0.getTask, { ...named(id), historyLength: 0 });
    expect(all.history).toEqual(history);
    const requested = sending({ taskId: '' }, { blocking: true, historyLength: 1 });
    expect((await sent(requested)).history).toHaveLength(1);
    const negative = client.call(V0.getTask, { ...named(id), historyLength: -1 });
    expect(await failureOf(negative)).toMatchObject({
      code: 'INVALID_ARGUMENT',
      fields: ['historyLength'],
    });
  });

  it('marks a question as final, and ends the stream with it', async () => {
    agent.handlers['SendStreamingMessage'] = (call) =>
      agent.begin(call, { chunks: 2, askAfter: 1 }).follow(call);
    const events = await client.events(V0.sendStreamingMessage, sending());
    expect(events.at(-1)!.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { final: true, status: { state: 6 } },
    });
  });

  it('tells of active extensions under the name of its version', async () => {
    const bytes = V0.sendMessage.requestSerialize(sending());
    const asking = { 'x-a2a-extensions': ROUTING_EXTENSION_URI };
    const { headers } = await client.exchange(V0.sendMessage.path, bytes, asking);
    expect(headers.get('x-a2a-extensions')).toEqual([ROUTING_EXTENSION_URI]);
  });

  it('hands files and data on, and back', async () => {
    const content: Message['content'] = [
      { part: { $case: 'file', value: file({ $case: 'fileWithBytes', value: PNG }) } },
      { part: { $case: 'file', value: file({ $case: 'fileWithUri', value: HOOK }) } },
      { part: { $case: 'data', value: { data: { a: [1, { b: null }] } } } },
    ];
    const task = await sent(sending({ content }));
    const json = (await hub.rpc('GetTask', { id: task.id })) as {
      history: { parts: JsonObject[] }[];
    };
    expect(json.history[0]!.parts).toMatchObject([
      { raw: PNG.toString('base64'), mediaType: 'image/png' },
      { url: HOOK },
      { data: { a: [1, { b: null }] } },
    ]);
    expect(task.history[0]!.content).toEqual(content);
  });

  it.each(['grpc-python/1.76.0 grpc-c/50.0.0', 'grpc-go/1.73.0', 'grpc-java-netty/1.75.0'])(
    'reads and writes files as %s does: base64 text for bytes',
    async (userAgent) => {
      const peer = await GrpcClient.of(hub, {
        channel: { 'grpc.primary_user_agent': userAgent },
      });
      const value = Buffer.from(PNG.toString('base64'));
      const content: Message['content'] = [
        { part: { $case: 'file', value: file({ $case: 'fileWithBytes', value }) } },
      ];
      const task = await sent(sending({ content }), peer);
      const json = (await hub.rpc('GetTask', { id: task.id })) as {
        history: { parts: JsonObject[] }[];
      };
      expect(json.history[0]!.parts[0]).toMatchObject({ raw: PNG.toString('base64') });
      expect(task.history[0]!.content).toEqual(content);
      peer.close();
    },
  );

  it('takes bytes that look like base64 for the file, if the program asks for that', async () => {
    const peer = await GrpcClient.of(hub, {
      channel: { 'grpc.primary_user_agent': 'grpc-python/1.76.0 grpc-c/50.0.0' },
    });
    const value = Buffer.from('test');
    const content: Message['content'] = [
      { part: { $case: 'file', value: file({ $case: 'fileWithBytes', value }) } },
    ];
    const raw = async (metadata: Record<string, string>): Promise<unknown> => {
      const { payload } = await peer.call(V0.sendMessage, sending({ content }), metadata);
      if (payload?.$case !== 'task') throw new Error('expected a task');
      expect(payload.value.history[0]!.content).toEqual(content);
      const json = (await hub.rpc('GetTask', { id: payload.value.id })) as {
        history: { parts: JsonObject[] }[];
      };
      return json.history[0]!.parts[0]!['raw'];
    };
    const requested = { accept: 'application/grpc; profile=a2a-proto' };
    expect(await raw(requested)).toBe(value.toString('base64'));
    expect(await raw({})).toBe('test');
    peer.close();
  });

  it.each<[string, SendRequest, string[]]>([
    ['no message', { ...sending(), request: undefined }, ['message']],
    ['no parts', sending({ content: [] }), ['message.content']],
    ['an empty part', sending({ content: [{ part: undefined }] }), ['message.content[0]']],
    ['no message id', sending({ messageId: '' }), ['message.messageId']],
    ['no role', sending({ role: 0 }), ['message.role']],
    ['an unknown role', sending({ role: 7 as number }), ['message.role']],
    [
      'a webhook without address',
      sending({}, { pushNotification: { id: 'a', url: '', token: '', authentication: undefined } }),
      ['configuration.pushNotification.url'],
    ],
  ])('with %s is INVALID_ARGUMENT that names the field', async (_what, request, fields) => {
    const failure = await failureOf(client.call(V0.sendMessage, request));
    expect(failure).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'Invalid parameters',
      reason: 'INVALID_PARAMS',
      fields,
    });
    const streamed = await failureOf(client.events(V0.sendStreamingMessage, request));
    expect(streamed.raw).toBe(failure.raw);
    expect(agent.callsOf('SendStreamingMessage')).toHaveLength(0);
  });
});

describe('a name over gRPC 0.3', () => {
  it.each(['', 'tasks/', 'tasks', 'task/x', 'x', '/tasks/x', 'tasks/x/y', 'tasks/x/'])(
    'that is none (%j) is INVALID_ARGUMENT',
    async (name) => {
      const calls = [
        ['name', client.call(V0.getTask, { name, historyLength: 0 })],
        ['name', client.call(V0.cancelTask, { name })],
        ['name', client.events(V0.taskSubscription, { name })],
        ['name', client.call(V0.getTaskPushNotificationConfig, { name })],
        ['name', client.call(V0.deleteTaskPushNotificationConfig, { name })],
        ['parent', client.call(V0.listTaskPushNotificationConfig, parented(name))],
        [
          'parent',
          client.call(V0.createTaskPushNotificationConfig, {
            parent: name,
            configId: '',
            config: undefined,
          }),
        ],
      ] as const;
      for (const [field, call] of calls) {
        const failure = await failureOf(call);
        expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', fields: [field] });
        expect(failure.metadata['detail']).toContain(`${field} must be tasks/{id}`);
      }
    },
  );

  it('of a config may hold slashes', async () => {
    const { id } = await sent(sending());
    await client.call(V0.createTaskPushNotificationConfig, {
      parent: `tasks/${id}`,
      configId: 'a/b',
      config: { name: '', pushNotificationConfig: hook({ schemes: ['Bearer'] }) },
    });
    const list = client.call(V0.listTaskPushNotificationConfig, parented(`tasks/${id}`));
    const { name } = (await list).configs[0]!;
    expect(name).toMatch(/a\/b$/);
    const config = await client.call(V0.getTaskPushNotificationConfig, { name });
    expect(config.pushNotificationConfig).toMatchObject({ id: 'a/b' });
    await client.call(V0.deleteTaskPushNotificationConfig, { name });
    expect((await failureOf(client.call(V0.getTaskPushNotificationConfig, { name }))).code).toBe(
      'NOT_FOUND',
    );
  });

  it('of a page of configs was never given', async () => {
    const { id } = await sent(sending());
    const request = { ...parented(`tasks/${id}`), pageToken: 'forged' };
    const failure = await failureOf(client.call(V0.listTaskPushNotificationConfig, request));
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', fields: ['page_token'] });
  });

  it('of a config without its id is that of the first one, and cannot be deleted', async () => {
    const { id } = await sent(sending());
    const config = await client.call(V0.createTaskPushNotificationConfig, {
      parent: `tasks/${id}`,
      configId: 'mine',
      config: { name: '', pushNotificationConfig: hook({ schemes: ['Bearer', 'Basic'] }) },
    });
    expect(config).toMatchObject({
      ...configNamed(id, 'mine'),
      pushNotificationConfig: { id: 'mine', url: HOOK },
    });
    const first = await client.call(V0.getTaskPushNotificationConfig, configNamed(id, ''));
    expect(first.pushNotificationConfig!.id).toBe('mine');
    expect(first.pushNotificationConfig!.authentication!.schemes).toContain('Bearer');
    const failure = await failureOf(
      client.call(V0.deleteTaskPushNotificationConfig, configNamed(id, '')),
    );
    expect(failure.code).toBe('INVALID_ARGUMENT');
  });
});

it('refuses what 0.3 refuses, in its words', async () => {
  const { id } = await sent(sending());
  expect(await failureOf(client.call(V0.cancelTask, named(id)))).toMatchObject({
    code: 'FAILED_PRECONDITION',
    message: 'Task cannot be canceled',
    reason: 'TASK_NOT_CANCELABLE',
  });
  expect(await failureOf(client.call(V0.cancelTask, named('nobody')))).toMatchObject({
    code: 'NOT_FOUND',
    message: 'Task not found',
  });
});

function file(
  content: { $case: 'fileWithBytes'; value: Buffer } | { $case: 'fileWithUri'; value: string },
) {
  return { file: content, mimeType: 'image/png' };
}

function hook({ schemes }: { schemes: string[] }) {
  return { id: '', url: HOOK, token: 't', authentication: { schemes, credentials: 'c' } };
}
