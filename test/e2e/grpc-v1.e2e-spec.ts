import {
  type GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  Task,
  TaskPushNotificationConfig,
  TaskState,
} from '@a2a-js/sdk';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ROUTING_EXTENSION_URI } from '../../src/protocol/routing-extension.js';
import type { Hub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { type GrpcClient, V1, failureOf, grpcTarget } from '../support/grpc-client.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';
import type { JsonObject } from '../support/json.js';
import type { ScriptedAgent } from '../support/scripted-agent.js';
import { collect, kindsOf } from '../support/sdk-client.js';

const HOOK = 'https://example.com/hook';

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
});

function sending(message: JsonObject = {}, fields: JsonObject = {}): SendMessageRequest {
  const whole = { tenant: 'scripted', message: userMessage('go', message), ...fields };
  return SendMessageRequest.fromJSON(whole);
}

function getting(id: string, fields: Partial<GetTaskRequest> = {}): GetTaskRequest {
  return { tenant: '', id, historyLength: undefined, ...fields };
}

/** Sends and waits for the task. */
async function done(
  message: JsonObject = {},
  metadata: Record<string, string> = {},
): Promise<Task> {
  const { payload } = await client.call(V1.sendMessage, sending(message), metadata);
  if (payload?.$case !== 'task') throw new Error('no task came');
  return payload.value;
}

it("serves every operation to the SDK's client", async () => {
  const factory = new GrpcTransportFactory();
  const card = { supportedInterfaces: [] } as unknown as Parameters<typeof factory.create>[1];
  const transport = await factory.create(grpcTarget(hub), card);
  const options = { serviceParameters: { authorization: `Bearer ${await hub.key()}` } };

  const task = (await transport.sendMessage(sending(), options)) as Task;
  expect(task.status!.state).toBe(TaskState.TASK_STATE_COMPLETED);
  const streamed = await collect(transport.sendMessageStream(sending(), options));
  expect(kindsOf(streamed).slice(0, 2)).toEqual(['task', 'statusUpdate']);
  const { id } = task;
  expect(await transport.getTask(getting(id), options)).toEqual(task);
  const { tasks } = await transport.listTasks(ListTasksRequest.fromJSON({}), options);
  expect(tasks.map((listed) => listed.id)).toContain(id);

  const config = TaskPushNotificationConfig.fromJSON({ taskId: id, id: 'hook', url: HOOK });
  const named = { tenant: '', taskId: id, id: 'hook' };
  await transport.createTaskPushNotificationConfig(config, options);
  const kept = await transport.getTaskPushNotificationConfig(named, options);
  expect(kept).toMatchObject({ id: 'hook', url: HOOK });
  const pages = { tenant: '', taskId: id, pageSize: 0, pageToken: '' };
  const { configs } = await transport.listTaskPushNotificationConfig(pages, options);
  expect(configs).toEqual([kept]);
  await transport.deleteTaskPushNotificationConfig(named, options);
  expect((await transport.listTaskPushNotificationConfig(pages, options)).configs).toEqual([]);

  agent.handlers['SendStreamingMessage'] = (call) =>
    agent.begin(call, { manual: true }).follow(call);
  const waiting = sending({}, { configuration: { returnImmediately: true } });
  const running = (await transport.sendMessage(waiting, options)) as Task;
  expect(running.status!.state).not.toBe(TaskState.TASK_STATE_COMPLETED);
  const subscription = transport.resubscribeTask({ tenant: '', id: running.id }, options);
  expect((await subscription.next()).value?.payload).toMatchObject({ $case: 'task' });
  const canceled = await transport.cancelTask(
    { tenant: '', id: running.id, metadata: undefined },
    options,
  );
  expect(canceled.status!.state).toBe(TaskState.TASK_STATE_CANCELED);
  const rest = await collect(subscription);
  expect(rest.at(-1)?.payload).toMatchObject({
    value: { status: { state: TaskState.TASK_STATE_CANCELED } },
  });
  delete agent.handlers['SendStreamingMessage'];
});

describe('an answer over gRPC 1.0', () => {
  it('says what JSON-RPC says', async () => {
    const { id, contextId } = await done({ metadata: { 'urn:x': { deep: [1, null, true] } } });
    const task = await client.call(V1.getTask, getting(id));
    const json = (await hub.rpc('GetTask', { id })) as JsonObject;
    expect(Task.toJSON(task)).toEqual(Task.toJSON(Task.fromJSON(json)));
    expect(task.history[0]!.metadata).toEqual({ 'urn:x': { deep: [1, null, true] } });
    const query = { contextId, pageSize: 1, includeArtifacts: true };
    const list = await client.call(V1.listTasks, ListTasksRequest.fromJSON(query));
    expect(list).toEqual(ListTasksResponse.fromJSON(await hub.rpc('ListTasks', query)));
    expect(list).toMatchObject({ pageSize: 1, totalSize: 1 });
  });

  it('holds bytes, files and values of any kind as they were sent', async () => {
    const parts = [
      { text: '' },
      { raw: Buffer.from([0, 255, 128]).toString('base64'), mediaType: 'a/b', filename: 'f' },
      { url: 'https://example.com/file', metadata: { a: 1 } },
      { data: [1, 'two', { three: null }] },
      { data: false },
    ];
    const { id } = await done({ parts });
    const task = (await hub.rpc('GetTask', { id })) as { history: { parts: unknown }[] };
    expect(task.history[0]!.parts).toEqual(parts);
    const { history } = await client.call(V1.getTask, getting(id));
    expect(history[0]!.parts[1]!.content!.value).toEqual(Buffer.from([0, 255, 128]));
  });

  it('takes a page size of 0 for none, as Go clients send it', async () => {
    const request = { ...ListTasksRequest.fromJSON({}), pageSize: 0 };
    expect((await client.call(V1.listTasks, request)).pageSize).toBe(50);
  });

  it('tells of the extensions that are active, in its initial metadata', async () => {
    const asking = { 'a2a-extensions': `urn:unknown, ${ROUTING_EXTENSION_URI}` };
    const bytes = V1.sendMessage.requestSerialize(sending());
    const { headers } = await client.exchange(V1.sendMessage.path, bytes, asking);
    expect(headers.get('a2a-extensions')).toEqual([ROUTING_EXTENSION_URI]);
    const silent = await client.exchange(V1.sendMessage.path, bytes);
    expect(silent.headers.get('a2a-extensions')).toEqual([]);
    const stream = client.stream(V1.sendStreamingMessage, sending(), asking);
    const told = new Promise((resolve) => {
      stream.once('metadata', (metadata) => resolve(metadata.get('a2a-extensions')));
    });
    stream.resume();
    expect(await told).toEqual([ROUTING_EXTENSION_URI]);
  });
});

describe('the metadata of a call over gRPC 1.0', () => {
  it('is read like the headers of HTTP', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await done({}, { traceparent, 'x-a2a-extensions': 'urn:other' });
    const [call] = agent.calls;
    expect(call!.headers['traceparent']).toContain('a'.repeat(32));
    const first = await done({}, { 'idempotency-key': 'one' });
    const request = sending({ messageId: first.history[0]!.messageId });
    const again = await client.call(V1.sendMessage, request, { 'idempotency-key': 'one' });
    expect(again.payload!.value).toMatchObject({ id: first.id });
    const [replayed] = await client.events(
      V1.subscribeToTask,
      { tenant: '', id: first.id },
      { 'last-event-id': '1' },
    );
    expect(replayed!.payload!.$case).not.toBe('task');
  });

  it.each([
    ['last-event-id', 'no-number', 'Last-Event-ID'],
    ['idempotency-key', 'k'.repeat(256), 'Idempotency-Key'],
    ['a2a-extensions', Array.from({ length: 101 }, (_, n) => `urn:${n}`).join(), 'A2A-Extensions'],
  ])('with a bad %s is INVALID_ARGUMENT', async (name, value, field) => {
    const failure = await failureOf(client.call(V1.getTask, getting('x'), { [name]: value }));
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', fields: [field] });
  });

  it('with the hops of a loop is refused', async () => {
    const hops = Array.from({ length: 20 }, (_, index) => `hub-${index}`).join(',');
    const failure = await failureOf(
      client.call(V1.sendMessage, sending(), { 'a2a-hub-hops': hops }),
    );
    expect(failure.code).toMatch(/INVALID_ARGUMENT|FAILED_PRECONDITION/);
  });
});

describe('a request over gRPC 1.0', () => {
  it('names its agent by tenant', async () => {
    const { id } = await done();
    expect(agent.callsOf('SendStreamingMessage')).toHaveLength(1);
    const other = getting(id, { tenant: 'another' });
    expect(await failureOf(client.call(V1.getTask, other))).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'TASK_NOT_FOUND',
    });
  });

  it.each<[string, () => SendMessageRequest, string[]]>([
    ['no message', () => SendMessageRequest.fromJSON({}), ['message']],
    ['no parts', () => sending({ parts: [] }), ['message.parts']],
    ['no message id', () => sending({ messageId: '' }), ['message.messageId']],
    ['no role', () => sending({ role: 'ROLE_UNSPECIFIED' }), ['message.role']],
    ['an unknown role', () => withRole(99), ['message.role']],
    ['an empty part', () => sending({ parts: [{}] }), ['message.parts[0]']],
    ['a huge id', () => sending({ taskId: 'x'.repeat(100_000) }), ['message.taskId']],
    [
      'a negative history length',
      () => sending({}, { configuration: { historyLength: -1 } }),
      ['configuration.historyLength'],
    ],
    [
      'a webhook without address',
      () => sending({}, { configuration: { taskPushNotificationConfig: { id: 'a' } } }),
      ['configuration.taskPushNotificationConfig.url'],
    ],
  ])('with %s is INVALID_ARGUMENT that names the field', async (_what, request, fields) => {
    const failure = await failureOf(client.call(V1.sendMessage, request()));
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'INVALID_PARAMS', fields });
    const streamed = await failureOf(client.events(V1.sendStreamingMessage, request()));
    expect(streamed.raw).toBe(failure.raw);
    expect(agent.callsOf('SendStreamingMessage')).toHaveLength(0);
  });

  it('with an id of nothing is INVALID_ARGUMENT everywhere', async () => {
    const nothing = { tenant: '', id: '', metadata: undefined, historyLength: undefined };
    const calls = [
      client.call(V1.getTask, nothing),
      client.call(V1.cancelTask, nothing),
      client.events(V1.subscribeToTask, nothing),
      client.call(V1.getTaskPushNotificationConfig, { ...nothing, taskId: '' }),
    ];
    for (const call of calls) {
      expect((await failureOf(call)).fields.at(-1)).toBe('id');
    }
  });

  it('that is refused by an operation has its reason and status', async () => {
    const { id } = await done();
    const end = await failureOf(
      client.call(V1.cancelTask, { ...getting(id), metadata: undefined }),
    );
    expect(end).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'TASK_NOT_CANCELABLE' });
    const ended = await failureOf(client.events(V1.subscribeToTask, { tenant: '', id }));
    expect(ended).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'UNSUPPORTED_OPERATION' });
    const json = await hub.rpcRaw('SubscribeToTask', { id });
    expect(json.body.error.message).toBe(ended.message);
  });
});

function withRole(role: number): SendMessageRequest {
  const request = sending();
  return { ...request, message: { ...request.message!, role } };
}
