import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type HttpListener, listenOnLoopback } from './http-listener.js';
import { LiveTask, type LiveTaskOptions } from './live-task.js';
import type { JsonObject } from './json.js';

/** One call to a {@link ScriptedAgent}, with every way to answer it, right and wrong. */
export class ScriptedCall {
  constructor(
    readonly method: string,
    readonly id: unknown,
    readonly params: JsonObject,
    readonly headers: IncomingHttpHeaders,
    readonly response: ServerResponse,
  ) {}

  get message(): JsonObject {
    return this.params['message'] as JsonObject;
  }

  get text(): string {
    const parts = (this.message?.['parts'] ?? []) as JsonObject[];
    return parts.map((part) => (part['text'] as string | undefined) ?? '').join('');
  }

  /** The JSON-RPC result, as plain JSON. */
  result(result: unknown): void {
    this.send(200, JSON.stringify({ jsonrpc: '2.0', id: this.id, result }));
  }

  /** A JSON-RPC error, as plain JSON. */
  error(code: number, message: string, data?: unknown): void {
    this.send(200, JSON.stringify({ jsonrpc: '2.0', id: this.id, error: { code, message, data } }));
  }

  /** Any bytes with any status: garbage, HTML, a 500. */
  send(status: number, body: string, contentType = 'application/json'): void {
    this.response.writeHead(status, { 'content-type': contentType }).end(body);
  }

  /** Begins a stream. */
  openStream(): this {
    this.response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.response.flushHeaders();
    return this;
  }

  /** One stream event (a StreamResponse in 1.0 wire JSON). Opens the stream when it is not. */
  event(payload: JsonObject): this {
    if (!this.response.headersSent) this.openStream();
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.id, result: payload });
    this.response.write(`data: ${body}\n\n`);
    return this;
  }

  /** Raw bytes into the stream. */
  write(bytes: string): this {
    if (!this.response.headersSent) this.openStream();
    this.response.write(bytes);
    return this;
  }

  /** Ends the stream as a server does. */
  end(): void {
    this.response.end();
  }

  /** Destroys the connection. */
  cut(): void {
    this.response.destroy();
  }

  /** Resolves when the caller has gone away or the answer is done. */
  get closed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.response.destroyed || this.response.writableFinished) resolve();
      else this.response.once('close', () => resolve());
    });
  }
}

export type ScriptedHandler = (call: ScriptedCall) => void | Promise<void>;

/** How a {@link ScriptedAgent} is spoken to; its handlers always see calls in the terms of 1.0. */
export interface ScriptedDialect {
  /** The 1.0 card as this dialect shows it. */
  card(card: JsonObject, url: string): JsonObject;
  /** The call of a request; undefined when it is none. */
  read(request: IncomingMessage, body: string, response: ServerResponse): ScriptedCall | undefined;
}

const JSON_RPC: ScriptedDialect = {
  card: (card) => card,
  read: (request, text, response) => {
    if (request.method !== 'POST') return undefined;
    const body = JSON.parse(text) as JsonObject;
    const params = (body['params'] ?? {}) as JsonObject;
    return new ScriptedCall(String(body['method']), body['id'], params, request.headers, response);
  },
};

export interface ScriptedAgentOptions {
  readonly name?: string;
  /** Default JSON-RPC 1.0. */
  readonly dialect?: ScriptedDialect;
  readonly streaming?: boolean;
  readonly skills?: readonly { id: string; tags?: string[] }[];
  /** Members that replace those of the card. */
  readonly card?: JsonObject;
  /** Where its card is; default `/.well-known/agent-card.json`. */
  readonly cardPath?: string;
  /** Comes back at the port where one was before. */
  readonly port?: number;
  /** By method name; `*` for all others. Absent ones serve the agent's {@link LiveTask}s. */
  readonly handlers?: Readonly<Record<string, ScriptedHandler>>;
  /** How the default SendMessage and SendStreamingMessage behave. */
  readonly live?: LiveTaskOptions;
}

/**
 * An A2A 1.0 agent (JSON-RPC) on nothing but `node:http`, so that a test decides every byte. Without
 * handlers it is a well-behaved agent whose tasks live on whether anybody listens or not, and can be
 * got, subscribed to, listed and canceled: see {@link LiveTask}.
 */
export class ScriptedAgent {
  readonly calls: ScriptedCall[] = [];
  readonly tasks = new Map<string, LiveTask>();
  /** Replace or add at any time. */
  readonly handlers: Record<string, ScriptedHandler>;
  private listener!: HttpListener;

  private constructor(private readonly options: ScriptedAgentOptions) {
    this.handlers = { ...options.handlers };
  }

  static async start(options: ScriptedAgentOptions = {}): Promise<ScriptedAgent> {
    const agent = new ScriptedAgent(options);
    agent.listener = await listenOnLoopback((request, response) => {
      void agent.receive(request, response);
    }, options.port);
    return agent;
  }

  get url(): string {
    return this.listener.url;
  }

  get port(): number {
    return this.listener.port;
  }

  /** Calls of this method, oldest first. */
  callsOf(method: string): ScriptedCall[] {
    return this.calls.filter((call) => call.method === method);
  }

  /** Cuts all open connections; the agent goes on. */
  dropConnections(): void {
    this.listener.dropConnections();
  }

  async close(): Promise<void> {
    for (const task of this.tasks.values()) task.stop();
    await this.listener.close();
  }

  /** The agent's card, as it is served. */
  card(): JsonObject {
    const skills = this.options.skills ?? [{ id: 'scripted', tags: ['scripted'] }];
    return {
      name: this.options.name ?? 'Scripted agent',
      description: 'An agent of the tests.',
      version: '1.0.0',
      supportedInterfaces: [
        { url: `${this.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      capabilities: { streaming: this.options.streaming ?? true, pushNotifications: false },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: skills.map(({ id, tags }) => ({
        id,
        name: id,
        description: `Skill ${id}`,
        tags: tags ?? [id],
      })),
      ...this.options.card,
    };
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const { cardPath = '/.well-known/agent-card.json', dialect = JSON_RPC } = this.options;
    if (request.method === 'GET' && request.url?.startsWith(cardPath)) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(dialect.card(this.card(), this.url)));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call = dialect.read(request, Buffer.concat(chunks).toString('utf8'), response);
    if (!call) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    this.calls.push(call);
    const handler = this.handlers[call.method] ?? this.handlers['*'] ?? ((one) => this.serve(one));
    await handler(call);
  }

  /** The well-behaved answer to any method, from the live tasks. */
  serve(call: ScriptedCall): void {
    switch (call.method) {
      case 'SendMessage':
        return call.result({ task: this.continueOrBegin(call).snapshot() });
      case 'SendStreamingMessage':
        return this.continueOrBegin(call).follow(call);
      case 'SubscribeToTask':
        return this.withTask(call, (task) => {
          if (task.ended) call.error(-32004, 'The task has ended');
          else task.follow(call);
        });
      case 'GetTask':
        return this.withTask(call, (task) => call.result(task.snapshot()));
      case 'CancelTask':
        return this.withTask(call, (task) => {
          if (task.ended) return call.error(-32002, 'Task cannot be canceled');
          task.end('TASK_STATE_CANCELED');
          call.result(task.snapshot());
        });
      case 'ListTasks': {
        const contextId = call.params['contextId'] as string | undefined;
        const tasks = [...this.tasks.values()]
          .filter((task) => !contextId || task.contextId === contextId)
          .map((task) => task.snapshot());
        return call.result({
          tasks,
          totalSize: tasks.length,
          pageSize: Math.max(1, tasks.length),
          nextPageToken: '',
        });
      }
      default:
        return call.error(-32601, 'Method not found');
    }
  }

  /** Begins a task for the call's message, without answering the call. */
  begin(call: ScriptedCall, options: LiveTaskOptions = this.options.live ?? {}): LiveTask {
    const contextId = (call.message['contextId'] as string | undefined) || `down-${randomUUID()}`;
    const task = new LiveTask(call.message, contextId, options);
    this.tasks.set(task.id, task);
    task.start();
    return task;
  }

  private continueOrBegin(call: ScriptedCall): LiveTask {
    const known = this.tasks.get((call.message['taskId'] as string | undefined) ?? '');
    if (!known) return this.begin(call);
    known.resume(call.message);
    return known;
  }

  private withTask(call: ScriptedCall, use: (task: LiveTask) => void): void {
    const task = this.tasks.get(String(call.params['id']));
    if (task) use(task);
    else call.error(-32001, 'Task not found');
  }
}
