import { A2AService } from '@a2a-js/sdk/server/grpc';
import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from '../../protocol/a2a.js';
import type { AgentTransport } from './agent-transport.js';
import type { GrpcExchange } from './grpc-exchange.js';

/**
 * gRPC of protocol 1.0 by the SDK's service definition, straight on an exchange: the SDK's own transport
 * takes no channel, so it would connect past the egress guard, and no more than 4 MiB at once.
 */
export class GrpcTransport implements AgentTransport {
  constructor(private readonly exchange: GrpcExchange) {}

  async sendMessage(params: SendMessageRequest): Promise<Message | Task> {
    const { payload } = await this.exchange.unary(A2AService.sendMessage, params);
    if (payload === undefined) throw new Error('it is neither a task nor a message');
    return payload.value;
  }

  sendMessageStream(params: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    return this.exchange.stream(A2AService.sendStreamingMessage, params);
  }

  getTask(params: GetTaskRequest): Promise<Task> {
    return this.exchange.unary(A2AService.getTask, params);
  }

  cancelTask(params: CancelTaskRequest): Promise<Task> {
    return this.exchange.unary(A2AService.cancelTask, params);
  }

  listTasks(params: ListTasksRequest): Promise<ListTasksResponse> {
    return this.exchange.unary(A2AService.listTasks, params);
  }

  resubscribeTask(params: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    return this.exchange.stream(A2AService.subscribeToTask, params);
  }
}
