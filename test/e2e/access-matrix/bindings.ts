import {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import type { ServiceError } from '@grpc/grpc-js';
import { legacyUserMessage, userMessage } from '../../support/builders.js';
import { decodeFailure, type GrpcMethod, V0, V1 } from '../../support/grpc-client.js';
import type { Json, JsonObject } from '../../support/json.js';
import type { Caller } from './callers.js';

/** The operations of A2A 1.0. */
export const OPERATIONS = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
  'CancelTask',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What a binding answered. */
export interface Answer {
  /** `200`, or the code of gRPC; of JSON-RPC with the code of its error: `200 -32001`. */
  readonly status: string;
  /** Of the error, as programs decide by it. */
  readonly reason: string | undefined;
  /** All of it, as far as it was read: of a stream the first event. */
  readonly text: string;
  /** The body, or the message of gRPC; undefined where it is none. */
  readonly body: Json;
}

/** A binding in a version, with all its operations on a task; undefined for what it has not. */
export interface Binding {
  readonly name: string;
  readonly family: 'JSON-RPC' | 'REST' | 'gRPC';
  call(caller: Caller, operation: Operation, taskId: string): Promise<Answer> | undefined;
  /** The id of the task in what SendMessage answered. */
  taskIdIn(answer: Answer): string;
}

export const HOOK_URL = 'https://example.com/hook';
/** A text whose task goes on until it is canceled. */
export const ENDLESS = 'endless';
const TO_AGENT = { metadata: { agentId: 'scripted' } };
const HOOK = { id: 'hook', url: HOOK_URL };

const v1Message = (text: string): JsonObject => userMessage(text, TO_AGENT);
const v0Message = (text: string): JsonObject => legacyUserMessage(text, TO_AGENT);

type Params = Partial<Record<Operation, (taskId: string) => readonly [string, JsonObject]>>;

const JSON_RPC_V1: Params = {
  SendMessage: () => [
    'SendMessage',
    { message: v1Message(ENDLESS), configuration: { returnImmediately: true } },
  ],
  SendStreamingMessage: () => ['SendStreamingMessage', { message: v1Message('go') }],
  GetTask: (id) => ['GetTask', { id }],
  ListTasks: () => ['ListTasks', {}],
  SubscribeToTask: (id) => ['SubscribeToTask', { id }],
  CreateTaskPushNotificationConfig: (taskId) => [
    'CreateTaskPushNotificationConfig',
    { taskId, ...HOOK },
  ],
  GetTaskPushNotificationConfig: (taskId) => [
    'GetTaskPushNotificationConfig',
    { taskId, id: 'hook' },
  ],
  ListTaskPushNotificationConfigs: (taskId) => ['ListTaskPushNotificationConfigs', { taskId }],
  DeleteTaskPushNotificationConfig: (taskId) => [
    'DeleteTaskPushNotificationConfig',
    { taskId, id: 'hook' },
  ],
  GetExtendedAgentCard: () => ['GetExtendedAgentCard', {}],
  CancelTask: (id) => ['CancelTask', { id }],
};

const JSON_RPC_V0: Params = {
  SendMessage: () => [
    'message/send',
    { message: v0Message(ENDLESS), configuration: { blocking: false, acceptedOutputModes: [] } },
  ],
  SendStreamingMessage: () => ['message/stream', { message: v0Message('go') }],
  GetTask: (id) => ['tasks/get', { id }],
  SubscribeToTask: (id) => ['tasks/resubscribe', { id }],
  CreateTaskPushNotificationConfig: (taskId) => [
    'tasks/pushNotificationConfig/set',
    { taskId, pushNotificationConfig: HOOK },
  ],
  GetTaskPushNotificationConfig: (id) => [
    'tasks/pushNotificationConfig/get',
    { id, pushNotificationConfigId: 'hook' },
  ],
  ListTaskPushNotificationConfigs: (id) => ['tasks/pushNotificationConfig/list', { id }],
  DeleteTaskPushNotificationConfig: (id) => [
    'tasks/pushNotificationConfig/delete',
    { id, pushNotificationConfigId: 'hook' },
  ],
  GetExtendedAgentCard: () => ['agent/getAuthenticatedExtendedCard', {}],
  CancelTask: (id) => ['tasks/cancel', { id }],
};

function jsonRpc(version: string, params: Params, taskOf: (result: Json) => Json): Binding {
  return {
    name: `JSON-RPC ${version}`,
    family: 'JSON-RPC',
    call(caller, operation, taskId) {
      const [method, given] = params[operation]?.(taskId) ?? [];
      if (method === undefined) return undefined;
      const body = { jsonrpc: '2.0', id: 1, method, params: given };
      const found = caller.http('POST', '/a2a', { version, body });
      return found.then(({ status, text, body: answer }) => {
        const error = answer?.error;
        const data = error?.data;
        const code = error === undefined ? '' : ` ${String(error.code)}`;
        const reason = Array.isArray(data) ? data[0]?.reason : data?.reason;
        return { status: `${status}${code}`, reason, text, body: answer };
      });
    },
    taskIdIn: ({ body }) => taskOf(body.result).id,
  };
}

type Route = readonly [method: string, path: string, body?: JsonObject];
type Routes = Partial<Record<Operation, (taskId: string) => Route>>;

const REST_V1: Routes = {
  SendMessage: () => ['POST', '/a2a/message:send', JSON_RPC_V1.SendMessage!('')[1]],
  SendStreamingMessage: () => ['POST', '/a2a/message:stream', { message: v1Message('go') }],
  GetTask: (id) => ['GET', `/a2a/tasks/${id}`],
  ListTasks: () => ['GET', '/a2a/tasks'],
  SubscribeToTask: (id) => ['GET', `/a2a/tasks/${id}:subscribe`],
  CreateTaskPushNotificationConfig: (id) => [
    'POST',
    `/a2a/tasks/${id}/pushNotificationConfigs`,
    HOOK,
  ],
  GetTaskPushNotificationConfig: (id) => ['GET', `/a2a/tasks/${id}/pushNotificationConfigs/hook`],
  ListTaskPushNotificationConfigs: (id) => ['GET', `/a2a/tasks/${id}/pushNotificationConfigs`],
  DeleteTaskPushNotificationConfig: (id) => [
    'DELETE',
    `/a2a/tasks/${id}/pushNotificationConfigs/hook`,
  ],
  GetExtendedAgentCard: () => ['GET', '/a2a/extendedAgentCard'],
  CancelTask: (id) => ['POST', `/a2a/tasks/${id}:cancel`],
};

const REST_V0: Routes = {
  SendMessage: () => ['POST', '/a2a/v1/message:send', JSON_RPC_V0.SendMessage!('')[1]],
  SendStreamingMessage: () => ['POST', '/a2a/v1/message:stream', { message: v0Message('go') }],
  GetTask: (id) => ['GET', `/a2a/v1/tasks/${id}`],
  SubscribeToTask: (id) => ['GET', `/a2a/v1/tasks/${id}:subscribe`],
  CreateTaskPushNotificationConfig: (id) => [
    'POST',
    `/a2a/v1/tasks/${id}/pushNotificationConfigs`,
    { taskId: id, pushNotificationConfig: HOOK },
  ],
  GetTaskPushNotificationConfig: (id) => [
    'GET',
    `/a2a/v1/tasks/${id}/pushNotificationConfigs/hook`,
  ],
  ListTaskPushNotificationConfigs: (id) => ['GET', `/a2a/v1/tasks/${id}/pushNotificationConfigs`],
  DeleteTaskPushNotificationConfig: (id) => [
    'DELETE',
    `/a2a/v1/tasks/${id}/pushNotificationConfigs/hook`,
  ],
  GetExtendedAgentCard: () => ['GET', '/a2a/v1/card'],
  CancelTask: (id) => ['POST', `/a2a/v1/tasks/${id}:cancel`],
};

function rest(version: string, routes: Routes, taskOf: (body: Json) => Json): Binding {
  return {
    name: `REST ${version}`,
    family: 'REST',
    call(caller, operation, taskId) {
      const [method, path, body] = routes[operation]?.(taskId) ?? [];
      if (method === undefined) return undefined;
      return caller.http(method, path!, { version, body }).then((answer) => {
        const error = answer.body?.error;
        // 0.3 has the members of the error at the top.
        const reason = error?.details?.[0]?.reason ?? answer.body?.data?.reason;
        return { status: `${answer.status}`, reason, text: answer.text, body: answer.body };
      });
    },
    taskIdIn: ({ body }) => taskOf(body).id,
  };
}

interface Call {
  readonly method: GrpcMethod<Json, Json> & { readonly responseStream: boolean };
  readonly request: Json;
}
type Calls = Partial<Record<Operation, (taskId: string) => Call>>;

const call = (method: Json, request: Json): Call => ({ method, request });
const hookOf = (taskId: string): JsonObject => ({ taskId, id: 'hook' });

const GRPC_V1: Calls = {
  SendMessage: () =>
    call(V1.sendMessage, SendMessageRequest.fromJSON(JSON_RPC_V1.SendMessage!('')[1])),
  SendStreamingMessage: () =>
    call(V1.sendStreamingMessage, SendMessageRequest.fromJSON({ message: v1Message('go') })),
  GetTask: (id) => call(V1.getTask, GetTaskRequest.fromJSON({ id })),
  ListTasks: () => call(V1.listTasks, ListTasksRequest.fromJSON({})),
  SubscribeToTask: (id) => call(V1.subscribeToTask, SubscribeToTaskRequest.fromJSON({ id })),
  CreateTaskPushNotificationConfig: (taskId) =>
    call(
      V1.createTaskPushNotificationConfig,
      TaskPushNotificationConfig.fromJSON({ taskId, ...HOOK }),
    ),
  GetTaskPushNotificationConfig: (id) =>
    call(
      V1.getTaskPushNotificationConfig,
      GetTaskPushNotificationConfigRequest.fromJSON(hookOf(id)),
    ),
  ListTaskPushNotificationConfigs: (taskId) =>
    call(
      V1.listTaskPushNotificationConfigs,
      ListTaskPushNotificationConfigsRequest.fromJSON({ taskId }),
    ),
  DeleteTaskPushNotificationConfig: (id) =>
    call(
      V1.deleteTaskPushNotificationConfig,
      DeleteTaskPushNotificationConfigRequest.fromJSON(hookOf(id)),
    ),
  GetExtendedAgentCard: () =>
    call(V1.getExtendedAgentCard, GetExtendedAgentCardRequest.fromJSON({})),
  CancelTask: (id) => call(V1.cancelTask, CancelTaskRequest.fromJSON({ id })),
};

const protoMessage = (text: string): Json => ({
  request: {
    messageId: crypto.randomUUID(),
    contextId: '',
    taskId: '',
    role: 1,
    content: [{ part: { $case: 'text', value: text } }],
    metadata: { agentId: 'scripted' },
    extensions: [],
  },
  configuration: {
    acceptedOutputModes: [],
    pushNotification: undefined,
    historyLength: 0,
    blocking: false,
  },
  metadata: undefined,
});
const hookName = (id: string): JsonObject => ({ name: `tasks/${id}/pushNotificationConfigs/hook` });

const GRPC_V0: Calls = {
  SendMessage: () => call(V0.sendMessage, protoMessage(ENDLESS)),
  SendStreamingMessage: () => call(V0.sendStreamingMessage, protoMessage('go')),
  GetTask: (id) => call(V0.getTask, { name: `tasks/${id}`, historyLength: 0 }),
  SubscribeToTask: (id) => call(V0.taskSubscription, { name: `tasks/${id}` }),
  CreateTaskPushNotificationConfig: (id) =>
    call(V0.createTaskPushNotificationConfig, {
      parent: `tasks/${id}`,
      configId: 'hook',
      config: {
        name: '',
        pushNotificationConfig: { id: 'hook', url: HOOK_URL, token: '', authentication: undefined },
      },
    }),
  GetTaskPushNotificationConfig: (id) => call(V0.getTaskPushNotificationConfig, hookName(id)),
  ListTaskPushNotificationConfigs: (id) =>
    call(V0.listTaskPushNotificationConfig, {
      parent: `tasks/${id}`,
      pageSize: 0,
      pageToken: '',
    }),
  DeleteTaskPushNotificationConfig: (id) => call(V0.deleteTaskPushNotificationConfig, hookName(id)),
  GetExtendedAgentCard: () => call(V0.getAgentCard, {}),
  CancelTask: (id) => call(V0.cancelTask, { name: `tasks/${id}` }),
};

function grpc(version: string, calls: Calls): Binding {
  return {
    name: `gRPC ${version}`,
    family: 'gRPC',
    call(caller, operation, taskId) {
      const made = calls[operation]?.(taskId);
      return (
        made && answered(made.method.responseStream ? first(caller, made) : unary(caller, made))
      );
    },
    taskIdIn: ({ body }) => body.payload.value.id,
  };
}

const unary = (caller: Caller, { method, request }: Call): Promise<Json> =>
  caller.grpc.call(method, request);

/** The first event of a stream. */
function first(caller: Caller, { method, request }: Call): Promise<Json> {
  return new Promise((resolve, reject) => {
    const stream = caller.grpc.stream(method, request);
    stream.once('error', reject).once('data', (event) => {
      resolve(event);
      stream.on('error', () => undefined).cancel();
    });
  });
}

async function answered(calling: Promise<Json>): Promise<Answer> {
  try {
    const body = await calling;
    return { status: 'OK', reason: undefined, text: JSON.stringify(body), body };
  } catch (error) {
    const { code, reason, raw, trailers } = decodeFailure(error as ServiceError);
    const text = raw + Buffer.from(raw.split('"').at(-2) ?? '', 'base64').toString('latin1');
    return { status: code, reason, text: text + JSON.stringify(trailers), body: undefined };
  }
}

export const BINDINGS: readonly Binding[] = [
  jsonRpc('1.0', JSON_RPC_V1, (result) => result.task),
  jsonRpc('0.3', JSON_RPC_V0, (result) => result),
  rest('1.0', REST_V1, (body) => body.task),
  rest('0.3', REST_V0, (body) => body),
  grpc('1.0', GRPC_V1),
  grpc('0.3', GRPC_V0),
];
