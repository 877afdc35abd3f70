import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Injectable } from '@nestjs/common';
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
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '../../protocol/a2a.js';
import type { StreamItem } from '../../tasks/index.js';
import { HubRequestHandler } from '../hub-request-handler.js';
import { itemJson } from '../item-text.js';
import { OPERATIONS, type Operation } from '../operations.js';
import { decoded } from './decode.js';
import { encodeInTurns, LONG_ANSWERS } from './encode-in-turns.js';
import type { GrpcMethod, GrpcService } from './grpc-service.js';

type MethodName = keyof typeof A2AService;

/** How a message looks in ProtoJSON, in which the operation table takes requests and gives answers. */
interface Codecs {
  readonly request: { toJSON(message: never): unknown };
  readonly response: { fromJSON(json: unknown): unknown };
}

const EMPTY = { fromJSON: () => ({}) };

const CODECS: Readonly<Record<MethodName, Codecs>> = {
  sendMessage: { request: SendMessageRequest, response: SendMessageResponse },
  sendStreamingMessage: { request: SendMessageRequest, response: StreamResponse },
  getTask: { request: GetTaskRequest, response: Task },
  listTasks: { request: ListTasksRequest, response: ListTasksResponse },
  cancelTask: { request: CancelTaskRequest, response: Task },
  subscribeToTask: { request: SubscribeToTaskRequest, response: StreamResponse },
  createTaskPushNotificationConfig: {
    request: TaskPushNotificationConfig,
    response: TaskPushNotificationConfig,
  },
  getTaskPushNotificationConfig: {
    request: GetTaskPushNotificationConfigRequest,
    response: TaskPushNotificationConfig,
  },
  listTaskPushNotificationConfigs: {
    request: ListTaskPushNotificationConfigsRequest,
    response: ListTaskPushNotificationConfigsResponse,
  },
  deleteTaskPushNotificationConfig: {
    request: DeleteTaskPushNotificationConfigRequest,
    response: EMPTY,
  },
  getExtendedAgentCard: { request: GetExtendedAgentCardRequest, response: AgentCard },
};

const encodeArtifacts = (artifacts: readonly unknown[]): Buffer =>
  A2AService.getTask.responseSerialize(Task.fromJSON({ artifacts }));

/** A2A 1.0 over gRPC (§10): the operation table, with protobuf read and written as ProtoJSON. */
@Injectable()
export class V1GrpcService implements GrpcService {
  readonly version = '1.0';
  readonly methods: ReadonlyMap<string, GrpcMethod>;

  constructor(private readonly handler: HubRequestHandler) {
    this.methods = new Map(
      Object.entries(A2AService).map(([name, { path }]) => {
        const operation = OPERATIONS.get(path.slice(path.lastIndexOf('/') + 1))!;
        return [path, this.methodOf(name as MethodName, operation)];
      }),
    );
  }

  private methodOf(name: MethodName, operation: Operation): GrpcMethod {
    const { requestDeserialize, responseSerialize } = A2AService[name];
    const { request, response } = CODECS[name];
    const read = (bytes: Buffer): unknown =>
      decoded((message) => request.toJSON(requestDeserialize(message) as never), bytes);
    const encodeAtOnce = (json: unknown): Buffer =>
      responseSerialize(response.fromJSON(json) as never);
    const encode = LONG_ANSWERS.has(operation.name)
      ? (json: unknown) => encodeInTurns(json, { encode: encodeAtOnce, encodeArtifacts })
      : encodeAtOnce;
    if (operation.kind === 'unary') {
      return {
        kind: 'unary',
        run: async ({ message, call }) =>
          encode(await operation.run(this.handler, read(message), call)),
      };
    }
    return {
      kind: 'stream',
      run: async ({ message, call }, emit) => {
        const pass = async (item: StreamItem): Promise<boolean> => {
          const json = itemJson(item);
          return emit(await encode(json instanceof Promise ? await json : json));
        };
        for await (const item of operation.run(this.handler, read(message), call)) {
          if (!(await pass(item))) return;
        }
      },
    };
  }
}
