import type { ListTasksResponse } from '../protocol/a2a.js';
import {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  Message,
  SendMessageRequest,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '../protocol/a2a.js';
import { noteOperation } from '../common/call-note.js';
import { withLateBytes } from '../protocol/part-bytes.js';
import type { CallContext } from '../auth/index.js';
import type { StreamItem } from '../tasks/index.js';
import { cardJson } from './cards/card-forms.js';
import type { HubRequestHandler } from './hub-request-handler.js';
import { checkParams } from './validation/check-params.js';
import type { Shape } from './validation/shape.js';
import * as shapes from './validation/v1-requests.js';

/** Where HTTP+JSON has an operation (A2A §11.3, the `google.api.http` annotations of a2a.proto). */
export interface RestRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base path; `{name}` holds the field of that name. */
  readonly path: string;
  /** Where the other fields are: a body, a body that may be left out, or the query. */
  readonly fields: 'body' | 'optional body' | 'query';
}

interface NamedOperation {
  /** Its JSON-RPC method and gRPC name (A2A §5.3). */
  readonly name: string;
  /** Its routes in HTTP+JSON. */
  readonly rest: readonly RestRoute[];
  /** What its request must look like. */
  readonly shape: Shape;
}

/** An operation of A2A 1.0 that gives one answer. */
interface UnaryOperation extends NamedOperation {
  readonly kind: 'unary';
  /** Checks `params`, calls, and gives the answer in wire JSON; long bytes in it are `Base64`. */
  run(handler: HubRequestHandler, params: unknown, call: CallContext): Promise<unknown>;
}

/** An operation that gives a stream; its items are in wire JSON already. */
interface StreamingOperation extends NamedOperation {
  readonly kind: 'stream';
  /** Checks `params`, throwing at once, and begins; what is refused later rejects the first item. */
  run(
    handler: HubRequestHandler,
    params: unknown,
    call: CallContext,
  ): AsyncGenerator<StreamItem, void, undefined>;
}

export type Operation = UnaryOperation | StreamingOperation;

interface Decoder<Request> {
  fromJSON(json: unknown): Request;
}

const task = '/tasks/{id}';
const pushConfigs = '/tasks/{taskId}/pushNotificationConfigs';
const pushConfig = `${pushConfigs}/{id}`;

/** The operations of A2A 1.0 by name: what each binding needs to serve them. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  [
    unary('SendMessage', [post('/message:send', 'body')], shapes.sendMessage, SendMessageRequest, {
      call: (handler, request, call) => handler.sendMessage(request, call),
      encode: (result) =>
        'messageId' in result ? { message: Message.toJSON(result) } : { task: Task.toJSON(result) },
    }),
    streaming(
      'SendStreamingMessage',
      [post('/message:stream', 'body')],
      shapes.sendMessage,
      SendMessageRequest,
      {
        call: (handler, request, call) => handler.sendStreamingMessage(request, call),
      },
    ),
    unary('GetTask', [get(task)], shapes.getTask, GetTaskRequest, {
      call: (handler, request, call) => handler.getTask(request, call),
      encode: (task) => Task.toJSON(task),
    }),
    unary('ListTasks', [get('/tasks')], shapes.listTasks, ListTasksRequest, {
      call: (handler, request, call) => handler.listTasks(request, call),
      encode: encodeTaskList,
    }),
    unary(
      'CancelTask',
      [post(`${task}:cancel`, 'optional body')],
      shapes.cancelTask,
      CancelTaskRequest,
      {
        call: (handler, request, call) => handler.cancelTask(request, call),
        encode: (task) => Task.toJSON(task),
      },
    ),
    // The text of the specification says POST, its annotation GET.
    streaming(
      'SubscribeToTask',
      [get(`${task}:subscribe`), post(`${task}:subscribe`, 'optional body')],
      shapes.subscribeToTask,
      SubscribeToTaskRequest,
      {
        call: (handler, request, call) => handler.subscribeToTask(request, call),
      },
    ),
    unary(
      'CreateTaskPushNotificationConfig',
      [post(pushConfigs, 'body')],
      shapes.createPushConfig,
      TaskPushNotificationConfig,
      {
        call: (handler, request, call) => handler.createPushConfig(request, call),
        encode: (config) => TaskPushNotificationConfig.toJSON(config),
      },
    ),
    unary(
      'GetTaskPushNotificationConfig',
      [get(pushConfig)],
      shapes.pushConfigById,
      GetTaskPushNotificationConfigRequest,
      {
        call: (handler, request, call) => handler.getPushConfig(request, call),
        encode: (config) => TaskPushNotificationConfig.toJSON(config),
      },
    ),
    unary(
      'ListTaskPushNotificationConfigs',
      [get(pushConfigs)],
      shapes.listPushConfigs,
      ListTaskPushNotificationConfigsRequest,
      {
        call: (handler, request, call) => handler.listPushConfigs(request, call),
        encode: (list) => ({
          configs: [],
          ...(ListTaskPushNotificationConfigsResponse.toJSON(list) as object),
        }),
      },
    ),
    unary(
      'DeleteTaskPushNotificationConfig',
      [remove(pushConfig)],
      shapes.pushConfigById,
      DeleteTaskPushNotificationConfigRequest,
      {
        call: (handler, request, call) => handler.deletePushConfig(request, call),
        // An answer without a result is an error to Python clients.
        encode: () => null,
      },
    ),
    unary(
      'GetExtendedAgentCard',
      [get('/extendedAgentCard')],
      shapes.getExtendedCard,
      GetExtendedAgentCardRequest,
      {
        call: (handler, request, call) => handler.getExtendedAgentCard(request, call),
        encode: (card) => cardJson(card, '1.0'),
      },
    ),
  ].map((operation) => [operation.name, operation]),
);

function get(path: string): RestRoute {
  return { method: 'GET', path, fields: 'query' };
}

function post(path: string, fields: RestRoute['fields']): RestRoute {
  return { method: 'POST', path, fields };
}

function remove(path: string): RestRoute {
  return { method: 'DELETE', path, fields: 'query' };
}

function unary<Request, Result>(
  name: string,
  rest: readonly RestRoute[],
  shape: Shape,
  codec: Decoder<Request>,
  steps: {
    call(handler: HubRequestHandler, request: Request, call: CallContext): Promise<Result>;
    encode(result: Result, request: Request): unknown;
  },
): Operation {
  return {
    kind: 'unary',
    name,
    rest,
    shape,
    async run(handler, params, call) {
      noteOperation(call.note, name);
      checkParams(shape, params);
      const request = codec.fromJSON(params);
      const result = await steps.call(handler, request, call);
      return withLateBytes(() => steps.encode(result, request));
    },
  };
}

function streaming<Request>(
  name: string,
  rest: readonly RestRoute[],
  shape: Shape,
  codec: Decoder<Request>,
  steps: {
    call(
      handler: HubRequestHandler,
      request: Request,
      call: CallContext,
    ): AsyncGenerator<StreamItem, void, undefined>;
  },
): Operation {
  return {
    kind: 'stream',
    name,
    rest,
    shape,
    run(handler, params, call) {
      noteOperation(call.note, name);
      checkParams(shape, params);
      return steps.call(handler, codec.fromJSON(params), call);
    },
  };
}

/**
 * A page of tasks with the fields that must be there even when empty (A2A §3.1.4): ProtoJSON leaves
 * such fields out. `artifacts` is there exactly when it was asked for.
 */
function encodeTaskList(list: ListTasksResponse, request: ListTasksRequest): unknown {
  return {
    tasks: list.tasks.map((task) => {
      const { artifacts, ...rest } = Task.toJSON(task) as Record<string, unknown>;
      return request.includeArtifacts ? { ...rest, artifacts: artifacts ?? [] } : rest;
    }),
    nextPageToken: list.nextPageToken,
    pageSize: list.pageSize,
    totalSize: list.totalSize,
  };
}
