import { SendMessageResponse } from '@a2a-js/sdk';
import {
  CancelTaskRequest,
  type GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  type Message,
  SendMessageRequest,
  StreamResponse,
  type SubscribeToTaskRequest,
  Task,
} from '../../protocol/a2a.js';
import { decodeBytes, withLateBytes } from '../../protocol/part-bytes.js';
import type { AgentTransport } from './agent-transport.js';
import { bodyOf } from './body-of.js';
import type { AgentAnswer, HttpExchange } from './http-exchange.js';

type Options = { readonly serviceParameters?: Record<string, string> } | undefined;

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly tenant: string;
  readonly body?: unknown;
  readonly accept?: string;
}

/** The filters of ListTasks in JSON: all of them are plain values. */
type Filter = Readonly<Record<string, string | number | boolean>>;

const JSON_TYPES = 'application/a2a+json, application/json';
const EVENTS = 'text/event-stream';

/**
 * HTTP+JSON of protocol 1.0 (A2A §11) by the SDK's codecs, straight on an exchange. Not the SDK's
 * transport: that carries codecs of its own, which lose a data part that holds null.
 */
export class RestTransport implements AgentTransport {
  lastJson: unknown;
  private readonly base: string;

  constructor(
    endpoint: string,
    private readonly exchange: HttpExchange,
  ) {
    this.base = endpoint.replace(/\/+$/, '');
  }

  async sendMessage(params: SendMessageRequest, options?: Options): Promise<Message | Task> {
    const answer = await this.json(send(params, '/message:send'), options);
    const { payload } = SendMessageResponse.fromJSON(answer);
    if (payload === undefined) throw new Error('it is neither a task nor a message');
    return payload.value;
  }

  sendMessageStream(params: SendMessageRequest, options?: Options) {
    return this.events(send(params, '/message:stream'), options);
  }

  async getTask({ id, tenant, historyLength }: GetTaskRequest, options?: Options): Promise<Task> {
    const path = `${taskPath(id)}${query({ historyLength })}`;
    return Task.fromJSON(await this.json({ method: 'GET', path, tenant }, options));
  }

  async cancelTask(params: CancelTaskRequest, options?: Options): Promise<Task> {
    const { id, tenant } = params;
    const body = CancelTaskRequest.toJSON(params);
    const path = `${taskPath(id)}:cancel`;
    return Task.fromJSON(await this.json({ method: 'POST', path, tenant, body }, options));
  }

  async listTasks(params: ListTasksRequest, options?: Options): Promise<ListTasksResponse> {
    const { tenant } = params;
    const filter = ListTasksRequest.toJSON({ ...params, tenant: '' }) as Filter;
    const call: Call = { method: 'GET', path: `/tasks${query(filter)}`, tenant };
    return ListTasksResponse.fromJSON(await this.json(call, options));
  }

  resubscribeTask({ id, tenant }: SubscribeToTaskRequest, options?: Options) {
    return this.events({ method: 'POST', path: `${taskPath(id)}:subscribe`, tenant }, options);
  }

  private async json(call: Call, options: Options): Promise<object> {
    const answer = await this.send({ accept: JSON_TYPES, ...call }, options);
    const json = await answer.json();
    this.lastJson = json;
    if (typeof json !== 'object' || json === null) throw new Error('it is no JSON object');
    await decodeBytes(json);
    return json;
  }

  private async *events(
    call: Call,
    options: Options,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const answer = await this.send({ ...call, accept: EVENTS }, options);
    for await (const { json, isLong } of answer.events()) {
      if (isLong) await decodeBytes(json);
      this.lastJson = json;
      yield StreamResponse.fromJSON(json);
    }
  }

  private async send(
    { method, path, tenant, body, accept = '' }: Call,
    options: Options,
  ): Promise<AgentAnswer> {
    const prefix = tenant === '' ? '' : `/${encodeURIComponent(tenant)}`;
    const headers = { ...options?.serviceParameters, accept };
    const url = `${this.base}${prefix}${path}`;
    if (body === undefined) return this.exchange.send(url, { method, headers });
    const typed = { ...headers, 'content-type': 'application/json' };
    return this.exchange.send(url, { method, headers: typed, body: await bodyOf(body) });
  }
}

function send(params: SendMessageRequest, path: string): Call {
  return {
    method: 'POST',
    path,
    tenant: params.tenant,
    body: withLateBytes(() => SendMessageRequest.toJSON(params)),
  };
}

function taskPath(id: string): string {
  return `/tasks/${encodeURIComponent(id)}`;
}

/** The members that are there, as a query. */
function query(members: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search.toString()}`;
}
