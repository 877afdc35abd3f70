import type { ConnectionOptions } from 'node:tls';
import { type Dispatcher, Agent as HttpAgent, request } from 'undici';
import { userMessage } from './builders.js';
import { EventStream } from './event-stream.js';
import type { Json, JsonObject } from './json.js';

/** How a client speaks TLS. */
export type TlsOptions = Pick<ConnectionOptions, 'cert' | 'key' | 'ca' | 'maxVersion'>;

export interface CallOptions {
  /** The API key; default the hub's ordinary test key. Null sends none. */
  readonly key?: string | null;
  /** `A2A-Version`; default `1.0`. Null sends none. */
  readonly version?: string | null;
  readonly headers?: Record<string, string>;
  /** Default `/a2a`. */
  readonly path?: string;
  readonly lastEventId?: number | string;
  /** The JSON-RPC id; default 1. */
  readonly id?: unknown;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly text: string;
  /** The body parsed; undefined when it is not JSON. */
  readonly body: Json;
}

/** A JSON-RPC error that the hub answered. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    super(`${code} ${message}`);
  }
}

const TERMINAL = ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].map((end) => `TASK_STATE_${end}`);

/** What a test does with a running hub, as verbs over its real sockets. */
export class HubClient {
  private readonly http: HttpAgent;
  private userKey: Promise<string> | undefined;

  constructor(
    public url: string,
    readonly adminKey: string,
    /** Of a hub with TLS: the certificate that the client shows, and more. */
    tls: TlsOptions = {},
  ) {
    this.http = new HttpAgent({
      connections: 512,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { rejectUnauthorized: false, ...tls },
    });
  }

  /** Makes a key; its scopes default to those of an ordinary client. */
  async createKey(
    fields: { name?: string; organization?: string; scopes?: string[] } = {},
  ): Promise<string> {
    const answer = await this.admin('POST', '/api/v1/keys', {
      name: 'test',
      organization: 'tests',
      scopes: ['a2a', 'push'],
      ...fields,
    });
    expectStatus(answer, 201);
    return answer.body.key as string;
  }

  /** The ordinary test key, made at first use. */
  key(): Promise<string> {
    // The promise is kept, or two callers at once would be two principals.
    return (this.userKey ??= this.createKey({ name: 'ordinary' }));
  }

  /** Registers the agent whose card is found at `url`; its id. */
  async registerAgent(url: string, fields: JsonObject = {}): Promise<string> {
    const answer = await this.admin('POST', '/api/v1/agents', { cardUrl: url, ...fields });
    expectStatus(answer, 201);
    return answer.body.id as string;
  }

  /** A call of the admin API with the admin key. */
  admin(method: string, path: string, body?: unknown, key?: string): Promise<HttpAnswer> {
    return this.exchange(method, path, body === undefined ? undefined : JSON.stringify(body), {
      authorization: `Bearer ${key ?? this.adminKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    });
  }

  /** A JSON-RPC call; its result, or {@link RpcError}. */
  async rpc(method: string, params: unknown, options: CallOptions = {}): Promise<Json> {
    const answer = await this.rpcRaw(method, params, options);
    const error = answer.body?.error as JsonObject | undefined;
    if (error) throw new RpcError(error['code'] as number, String(error['message']), error['data']);
    if (answer.body === undefined || !('result' in answer.body)) {
      throw new Error(`no JSON-RPC answer: HTTP ${answer.status} ${answer.text.slice(0, 300)}`);
    }
    return answer.body.result;
  }

  /** A JSON-RPC call; the HTTP answer as it is. */
  async rpcRaw(method: string, params: unknown, options: CallOptions = {}): Promise<HttpAnswer> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: rpcId(options), method, params });
    return this.exchange('POST', options.path ?? '/a2a', body, await this.headers(options));
  }

  /** Posts any bytes to a binding. */
  async post(path: string, body: string, options: CallOptions = {}): Promise<HttpAnswer> {
    return this.exchange('POST', path, body, await this.headers(options));
  }

  /** Any request to the bindings of HTTP+JSON; a body that is no text is sent as JSON. */
  async rest(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<HttpAnswer> {
    const headers = await this.headers(options);
    if (body === undefined) delete headers['content-type'];
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    return this.exchange(method, path, text, headers);
  }

  /** Any request with the ordinary key; a `Content-Type` goes with a body only. */
  async request(
    method: string,
    path: string,
    body: string | undefined,
    options: CallOptions = {},
  ): Promise<HttpAnswer> {
    const headers = await this.headers(options);
    if (body === undefined) delete headers['content-type'];
    return this.exchange(method, path, body, headers);
  }

  /** Gets any path with the ordinary key. */
  async get(path: string, options: CallOptions = {}): Promise<HttpAnswer> {
    const headers = await this.headers(options);
    delete headers['content-type'];
    return this.exchange('GET', path, undefined, headers);
  }

  /** Opens a stream; rejects with {@link RpcError} when it is refused. */
  async stream(method: string, params: unknown, options: CallOptions = {}): Promise<EventStream> {
    const aborter = new AbortController();
    const answer = await request(this.url + (options.path ?? '/a2a'), {
      method: 'POST',
      dispatcher: this.http,
      headers: { ...(await this.headers(options)), accept: 'text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: rpcId(options), method, params }),
      signal: aborter.signal,
    });
    const type = String(answer.headers['content-type'] ?? '');
    if (type.startsWith('text/event-stream')) {
      return new EventStream(answer.body, answer.headers, () => aborter.abort());
    }
    const text = await answer.body.text();
    const error = parse(text)?.error as JsonObject | undefined;
    if (error) throw new RpcError(error['code'] as number, String(error['message']), error['data']);
    throw new Error(`no stream: HTTP ${answer.statusCode} ${type} ${text.slice(0, 300)}`);
  }

  /** Sends a text and waits for the answer: `{task}` or `{message}`. */
  send(text: string, params: JsonObject = {}, options: CallOptions = {}): Promise<JsonObject> {
    const { message, ...others } = params;
    return this.rpc(
      'SendMessage',
      { message: userMessage(text, message as JsonObject), ...others },
      options,
    ) as Promise<JsonObject>;
  }

  /** Sends a text and returns at once with the task. */
  async submit(
    text: string,
    params: JsonObject = {},
    options: CallOptions = {},
  ): Promise<JsonObject> {
    const configuration = { returnImmediately: true, ...(params['configuration'] as JsonObject) };
    const result = await this.send(text, { ...params, configuration }, options);
    return result['task'] as JsonObject;
  }

  getTask(id: string, options: CallOptions = {}): Promise<JsonObject> {
    return this.rpc('GetTask', { id }, options) as Promise<JsonObject>;
  }

  /** Waits until the task is in this state (default: Json end), looking every 20 ms. */
  async waitForTask(
    id: string,
    wanted: string | ((task: JsonObject) => boolean) = (task) => TERMINAL.includes(stateOf(task)),
    deadlineMs = 20_000,
    options: CallOptions = {},
  ): Promise<JsonObject> {
    const fits =
      typeof wanted === 'string' ? (task: JsonObject): boolean => stateOf(task) === wanted : wanted;
    const end = performance.now() + deadlineMs;
    for (;;) {
      const task = await this.getTask(id, options);
      if (fits(task)) return task;
      if (performance.now() > end) {
        throw new Error(
          `task ${id} is still not as awaited after ${deadlineMs} ms: ${JSON.stringify(task)}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Gives the sockets back. */
  async disconnect(): Promise<void> {
    await this.http.destroy();
  }

  private async headers(options: CallOptions): Promise<Record<string, string>> {
    const key = options.key === undefined ? await this.key() : options.key;
    const version = options.version === undefined ? '1.0' : options.version;
    return {
      'content-type': 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(version === null ? {} : { 'a2a-version': version }),
      ...(options.lastEventId === undefined ? {} : { 'last-event-id': `${options.lastEventId}` }),
      ...options.headers,
    };
  }

  private async exchange(
    method: string,
    path: string,
    body: string | undefined,
    headers: Record<string, string>,
  ): Promise<HttpAnswer> {
    const answer = await request(this.url + path, {
      method: method,
      dispatcher: this.http,
      headers,
      body,
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, text, body: parse(text) };
  }
}

/** The state's name in wire JSON. */
export function stateOf(task: JsonObject): string {
  return String((task['status'] as JsonObject)['state']);
}

function rpcId(options: CallOptions): unknown {
  return options.id === undefined ? 1 : options.id;
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function expectStatus(answer: HttpAnswer, status: number): void {
  if (answer.status === status) return;
  throw new Error(`expected HTTP ${status}, got ${answer.status}: ${answer.text.slice(0, 500)}`);
}
