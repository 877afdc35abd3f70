import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { Injectable } from '@nestjs/common';
import { HubRequestHandler } from '../hub-request-handler.js';
import { LEGACY_OPERATIONS, type LegacyPushConfig } from '../v0-operations.js';
import { decoded } from './decode.js';
import { encodeInTurns, LONG_ANSWERS } from './encode-in-turns.js';
import type { GrpcMethod, GrpcRequest, GrpcService } from './grpc-service.js';
import {
  type LegacyAnswer,
  eventAnswer,
  pushConfigMessage,
  sendAnswer,
  taskMessage,
  taskOfArtifacts,
} from './v0-answers.js';
import {
  type LegacyRequest,
  configParams,
  createConfigParams,
  getTaskParams,
  listConfigsParams,
  sendParams,
  taskParams,
} from './v0-grpc-requests.js';
import type { ProtoPeer } from '../v0-proto-json.js';
import { peerOf } from './v0-grpc-peers.js';
import { cardMessage } from './v0-card.js';

type MethodName = keyof typeof LegacyA2AService;

/** How a method of the 0.3 service is an operation of the 0.3 table. */
interface Translation<Name extends MethodName> {
  readonly operation: string;
  readonly params: (request: LegacyRequest<Name>, peer: ProtoPeer) => unknown;
  readonly answer: (result: never, peer: ProtoPeer) => LegacyAnswer<Name>;
}

const events = { answer: eventAnswer };
const task = { answer: taskMessage };
const pushConfig = { answer: pushConfigMessage };

const TRANSLATIONS: { readonly [Name in MethodName]: Translation<Name> } = {
  sendMessage: {
    operation: 'SendMessage',
    params: sendParams,
    answer: sendAnswer,
  },
  sendStreamingMessage: { operation: 'SendStreamingMessage', params: sendParams, ...events },
  getTask: { operation: 'GetTask', params: getTaskParams, ...task },
  cancelTask: { operation: 'CancelTask', params: taskParams, ...task },
  taskSubscription: { operation: 'SubscribeToTask', params: taskParams, ...events },
  createTaskPushNotificationConfig: {
    operation: 'CreateTaskPushNotificationConfig',
    params: createConfigParams,
    ...pushConfig,
  },
  getTaskPushNotificationConfig: {
    operation: 'GetTaskPushNotificationConfig',
    params: configParams,
    ...pushConfig,
  },
  listTaskPushNotificationConfig: {
    operation: 'ListTaskPushNotificationConfigs',
    params: listConfigsParams,
    answer: (configs: readonly LegacyPushConfig[]) => ({
      configs: configs.map(pushConfigMessage),
      nextPageToken: '',
    }),
  },
  deleteTaskPushNotificationConfig: {
    operation: 'DeleteTaskPushNotificationConfig',
    params: configParams,
    answer: () => ({}),
  },
  getAgentCard: { operation: 'GetExtendedAgentCard', params: () => ({}), answer: cardMessage },
};

/** A2A 0.3 over gRPC: its operation table, with the 0.3 proto read and written as 0.3 JSON. */
@Injectable()
export class V0GrpcService implements GrpcService {
  readonly version = '0.3';
  readonly methods: ReadonlyMap<string, GrpcMethod>;

  constructor(private readonly handler: HubRequestHandler) {
    this.methods = new Map(
      (Object.keys(TRANSLATIONS) as MethodName[]).map((name) => [
        LegacyA2AService[name].path,
        this.methodOf(name),
      ]),
    );
  }

  private methodOf<Name extends MethodName>(name: Name): GrpcMethod {
    const { requestDeserialize, responseSerialize } = LegacyA2AService[name];
    const { operation: operationName, params, answer } = TRANSLATIONS[name];
    const operation = LEGACY_OPERATIONS.get(operationName)!;
    const read = ({ message, headers }: GrpcRequest): unknown =>
      params(decoded(requestDeserialize, message) as LegacyRequest<Name>, peerOf(headers));
    const encode = (result: unknown, { headers }: GrpcRequest): Buffer | Promise<Buffer> => {
      const peer = peerOf(headers);
      const encodeAtOnce = (json: unknown): Buffer =>
        responseSerialize(answer(json as never, peer) as never);
      if (!LONG_ANSWERS.has(operationName)) return encodeAtOnce(result);
      const encodeArtifacts = (artifacts: readonly unknown[]): Buffer =>
        LegacyA2AService.getTask.responseSerialize(taskOfArtifacts(artifacts as never, peer));
      return encodeInTurns(result, { encode: encodeAtOnce, encodeArtifacts });
    };
    if (operation.kind === 'unary') {
      return {
        kind: 'unary',
        run: async (request) =>
          encode(await operation.run(this.handler, read(request), request.call), request),
      };
    }
    return {
      kind: 'stream',
      run: async (request, emit) => {
        for await (const { event } of operation.run(this.handler, read(request), request.call)) {
          if (!(await emit(await encode(event, request)))) return;
        }
      },
    };
  }
}
