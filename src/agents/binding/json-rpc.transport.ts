import { SendMessageResponse } from '@a2a-js/sdk';
import { withMember } from '../../common/merged.js';
import {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  type Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from '../../protocol/a2a.js';
import { decodeBytes, withLateBytes } from '../../protocol/part-bytes.js';
import type { AgentTransport } from './agent-transport.js';
import { bodyOf } from './body-of.js';
import type { HttpExchange } from './http-exchange.js';

type Options = { readonly serviceParameters?: Record<string, string> } | undefined;

const JSON_TYPE = 'application/json';

/**
 * JSON-RPC of protocol 1.0 by the SDK's codecs, straight on an exchange. The way of most messages,
 * and the reason it is not the SDK's transport: that reads streams through web streams, which makes a
 * streamed send twice as dear, and loses the HTTP status of an error.
 */
export class JsonRpcTransport implements AgentTransport {
  lastJson: unknown;

  constructor(
    private readonly endpoint: string,
    private readonly exchange: HttpExchange,
    /** The JSON-RPC id of the one call that this transport makes. */
    private readonly id: number,
  ) {}

  async sendMessage(params: SendMessageRequest, options?: Options): Promise<Message | Task> {
    const result = await this.call(
      'SendMessage',
      withLateBytes(() => SendMessageRequest.toJSON(params)),
      options,
    );
    const { payload } = SendMessageResponse.fromJSON(result);
    if (payload === undefined) throw new Error('it is neither a task nor a message');
    return payload.value;
  }

  sendMessageStream(params: SendMessageRequest, options?: Options) {
    return this.stream(
      'SendStreamingMessage',
      withLateBytes(() => SendMessageRequest.toJSON(params)),
      options,
    );
  }

  async getTask(params: GetTaskRequest, options?: Options): Promise<Task> {
    return Task.fromJSON(await this.call('GetTask', GetTaskRequest.toJSON(params), options));
  }

  async cancelTask(params: CancelTaskRequest, options?: Options): Promise<Task> {
    return Task.fromJSON(await this.call('CancelTask', CancelTaskRequest.toJSON(params), options));
  }

  async listTasks(params: ListTasksRequest, options?: Options): Promise<ListTasksResponse> {
    const result = await this.call('ListTasks', ListTasksRequest.toJSON(params), options);
    return ListTasksResponse.fromJSON(result);
  }

  resubscribeTask(params: SubscribeToTaskRequest, options?: Options) {
    return this.stream('SubscribeToTask', SubscribeToTaskRequest.toJSON(params), options);
  }

  private async call(method: string, params: unknown, options: Options): Promise<object> {
    const answer = await this.send(method, params, options, 'application/json');
    const result = resultOf(await answer.json());
    await decodeBytes(result);
    this.lastJson = result;
    return result;
  }

  private async *stream(
    method: string,
    params: unknown,
    options: Options,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const answer = await this.send(method, params, options, 'text/event-stream');
    for await (const { json, isLong } of answer.events()) {
      const result = resultOf(json);
      if (isLong) await decodeBytes(result);
      this.lastJson = result;
      yield StreamResponse.fromJSON(result);
    }
  }

  private async send(method: string, params: unknown, options: Options, accept: string) {
    return this.exchange.send(this.endpoint, {
      method: 'POST',
      headers: withMember(
        withMember(options?.serviceParameters, 'content-type', JSON_TYPE),
        'accept',
        accept,
      ),
      body: await bodyOf({ jsonrpc: '2.0', id: this.id, method, params }),
    });
  }
}

/** The id is not compared: an answer belongs to its request by the connection. */
function resultOf(envelope: unknown): object {
  const result = (envelope as { result?: unknown } | null)?.result;
  if (typeof result !== 'object' || result === null) throw new Error('it has no result');
  return result;
}
