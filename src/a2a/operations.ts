import type { ListTasksResponse } from '../protocol/a2a.js';
import {
  AgentCard,
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
import type { CallContext } from '../routing/index.js';
import type { StreamItem } from '../tasks/index.js';
import type { HubRequestHandler } from './hub-request-handler.js';
import { checkParams } from './validation/check-params.js';
import type { Shape } from './validation/shape.js';
import * as shapes from './validation/v1-requests.js';

/** An operation of A2A 1.0 that gives one answer. */
interface UnaryOperation {
  readonly kind: 'unary';
  /** Its JSON-RPC method and gRPC name (A2A §5.3). */
  readonly name: string;
  /** Checks `params`, calls, and gives the answer in wire JSON. */
  run(handler: HubRequestHandler, params: unknown, call: CallContext): Promise<unknown>;
}

/** An operation that gives a stream; its items are in wire JSON already. */
interface StreamingOperation {
  readonly kind: 'stream';
  readonly name: string;
  /** Checks `params` and begins; what is refused rejects the first item. */
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

/** The operations of A2A 1.0 by name: what each binding needs to serve them. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  [
    unary('SendMessage', shapes.sendMessage, SendMessageRequest, {
      call: (handler, request, call) => handler.sendMessage(request, call),
      encode: (result) =>
        'messageId' in result ? { message: Message.toJSON(result) } : { task: Task.toJSON(result) },
    }),
    streaming('SendStreamingMessage', shapes.sendMessage, SendMessageRequest, {
      call: (handler, request, call) => handler.sendStreamingMessage(request, call),
    }),
    unary('GetTask', shapes.getTask, GetTaskRequest, {
      call: (handler, request, call) => handler.getTask(request, call),
      encode: (task) => Task.toJSON(task),
    }),
    unary('ListTasks', shapes.listTasks, ListTasksRequest, {
      call: (handler, request, call) => handler.listTasks(request, call),
      encode: encodeTaskList,
    }),
    unary('CancelTask', shapes.cancelTask, CancelTaskRequest, {
      call: (handler, request, call) => handler.cancelTask(request, call),
      encode: (task) => Task.toJSON(task),
    }),
    streaming('SubscribeToTask', shapes.subscribeToTask, SubscribeToTaskRequest, {
      call: (handler, request, call) => handler.subscribeToTask(request, call),
    }),
    unary('CreateTaskPushNotificationConfig', shapes.createPushConfig, TaskPushNotificationConfig, {
      call: (handler, request, call) => handler.createPushConfig(request, call),
      encode: (config) => TaskPushNotificationConfig.toJSON(config),
    }),
    unary(
      'GetTaskPushNotificationConfig',
      shapes.pushConfigById,
      GetTaskPushNotificationConfigRequest,
      {
        call: (handler, request, call) => handler.getPushConfig(request, call),
        encode: (config) => TaskPushNotificationConfig.toJSON(config),
      },
    ),
    unary(
      'ListTaskPushNotificationConfigs',
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
      shapes.pushConfigById,
      DeleteTaskPushNotificationConfigRequest,
      {
        call: (handler, request, call) => handler.deletePushConfig(request, call),
        // An answer without a result is an error to Python clients.
        encode: () => null,
      },
    ),
    unary('GetExtendedAgentCard', shapes.getExtendedCard, GetExtendedAgentCardRequest, {
      call: (handler, request, call) => handler.getExtendedAgentCard(request, call),
      encode: (card) => AgentCard.toJSON(card),
    }),
  ].map((operation) => [operation.name, operation]),
);

function unary<Request, Result>(
  name: string,
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
    async run(handler, params, call) {
      checkParams(shape, params);
      const request = codec.fromJSON(params);
      return steps.encode(await steps.call(handler, request, call), request);
    },
  };
}

function streaming<Request>(
  name: string,
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
    run(handler, params, call) {
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
