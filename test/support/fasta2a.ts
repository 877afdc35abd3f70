import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpListener, listenOnLoopback } from './http-listener.js';
import type { Json, JsonObject } from './json.js';

/**
 * An agent with the answers of fasta2a 0.5.0 (A2A 0.2.5), as recorded from the library itself:
 * the card at `agent.json` only, JSON-RPC at `/` only, `message/send` never waits, every message opens
 * a new task, times have no zone, a cancel is answered before it is done, and what the library does
 * not know is HTTP 500 `text/plain`.
 */
export class Fasta2aAgent {
  readonly calls: { method: string; params: JsonObject }[] = [];
  private readonly tasks = new Map<string, JsonObject>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private listener!: HttpListener;

  /** The agent upper-cases; the text `slow` takes until it is canceled. */
  static async start(): Promise<Fasta2aAgent> {
    const agent = new Fasta2aAgent();
    agent.listener = await listenOnLoopback((request, response) => {
      void agent.receive(request, response);
    });
    return agent;
  }

  get url(): string {
    return this.listener.url;
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer);
    await this.listener.close();
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = `${request.method} ${request.url}`;
    if (at === 'GET /.well-known/agent.json') return json(response, this.card());
    if (at !== 'POST /') return plain(response, 404, 'Not Found');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
    this.calls.push({ method: String(method), params: params as JsonObject });
    const answer = (result: Json): void => json(response, { jsonrpc: '2.0', id, result });
    if (method === 'message/send') return answer(this.submit(params.message as JsonObject));
    const task = this.tasks.get(String(params?.id));
    if (method === 'tasks/get' || method === 'tasks/cancel') {
      if (!task) {
        const error = { code: -32001, message: 'Task not found' };
        return json(response, { jsonrpc: '2.0', id, error });
      }
      answer(structuredClone(task));
      if (method === 'tasks/cancel') this.soon(() => (task.status = status('canceled')));
      return undefined;
    }
    return plain(response, 500, 'Internal Server Error');
  }

  /** Recorded: the answer says `submitted`; the worker begins a moment later. */
  private submit(message: JsonObject): JsonObject {
    const id = randomUUID();
    const contextId = (message.contextId as string | undefined) ?? randomUUID();
    const task: JsonObject = {
      id,
      contextId,
      kind: 'task',
      status: status('submitted'),
      history: [{ ...message, contextId, taskId: id }],
    };
    this.tasks.set(id, task);
    const text = (message.parts as JsonObject[]).map((part) => String(part.text ?? '')).join('');
    this.soon(() => {
      task.status = status('working');
      if (text === 'slow') return;
      task.status = status('completed');
      task.artifacts = [
        {
          artifactId: randomUUID(),
          name: 'result',
          parts: [{ kind: 'text', text: text.toUpperCase() }],
        },
      ];
    });
    return structuredClone(task);
  }

  private soon(act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, 20);
    this.timers.add(timer);
  }

  private card(): JsonObject {
    return {
      name: 'Upper case',
      description: 'Upper-cases texts.',
      url: this.url,
      version: '1.0.0',
      protocolVersion: '0.2.5',
      skills: [
        {
          id: 'upper',
          name: 'Upper case',
          description: 'Upper-cases a text.',
          tags: ['upper'],
          inputModes: ['text/plain'],
          outputModes: ['text/plain'],
        },
      ],
      defaultInputModes: ['application/json'],
      defaultOutputModes: ['application/json'],
      capabilities: {
        streaming: false,
        pushNotifications: false,
        stateTransitionHistory: false,
      },
    };
  }
}

/** Recorded: Python's `datetime.now().isoformat()`, microseconds and no zone. */
function status(state: string): JsonObject {
  return { state, timestamp: `${new Date().toISOString().slice(0, -1)}000` };
}

function json(response: ServerResponse, body: Json): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function plain(response: ServerResponse, code: number, body: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
}

/** The bodies of the client of fasta2a 0.5.0, as recorded. */
export const fasta2aRequests = {
  send: (text: string, more: JsonObject = {}, message: JsonObject = {}): JsonObject => ({
    jsonrpc: '2.0',
    id: randomUUID(),
    method: 'message/send',
    params: {
      message: {
        role: 'user',
        parts: [{ kind: 'text', text }],
        kind: 'message',
        messageId: randomUUID(),
        ...message,
      },
      metadata: { skillTags: ['upper'] },
      ...more,
    },
  }),
  get: (id: string): JsonObject => ({
    jsonrpc: '2.0',
    id: null,
    method: 'tasks/get',
    params: { id },
  }),
  cancel: (id: string): JsonObject => ({
    jsonrpc: '2.0',
    id: 7,
    method: 'tasks/cancel',
    params: { id },
  }),
};

const STATES =
  'submitted working input-required completed canceled failed rejected auth-required unknown'.split(
    ' ',
  );

/**
 * What the library's strict validation of a Task asks for; the names of the members at fault. (Unknown
 * members are ignored by it.)
 */
export function faultsForFasta2a(task: JsonObject): string[] {
  const faults: string[] = [];
  const need = (holds: boolean, what: string): void => {
    if (!holds) faults.push(what);
  };
  need(typeof task.id === 'string', 'id');
  need(typeof task.contextId === 'string', 'contextId');
  need(task.kind === 'task', 'kind');
  need(STATES.includes(String(task.status?.state)), 'status.state');
  for (const message of (task.history ?? []) as JsonObject[]) {
    need(['user', 'agent'].includes(String(message.role)), 'history.role');
    need(message.kind === 'message', 'history.kind');
    need(typeof message.messageId === 'string', 'history.messageId');
    for (const part of message.parts as JsonObject[]) need(isPart(part), 'history.parts');
  }
  for (const artifact of (task.artifacts ?? []) as JsonObject[]) {
    need(typeof artifact.artifactId === 'string', 'artifacts.artifactId');
    for (const part of artifact.parts as JsonObject[]) need(isPart(part), 'artifacts.parts');
  }
  return faults;
}

function isPart(part: JsonObject): boolean {
  return (
    (part.kind === 'text' && typeof part.text === 'string') ||
    (part.kind === 'file' && typeof part.file === 'object') ||
    (part.kind === 'data' && typeof part.data === 'object')
  );
}
