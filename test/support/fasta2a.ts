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
  /** While true a cancel is not answered, as with a worker that is busy with the running task. */
  busy = false;
  private readonly tasks = new Map<string, JsonObject>();
  private readonly held: (() => void)[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private listener!: HttpListener;

  /**
   * The agent upper-cases texts and hands other parts back. The text `slow` takes until it is canceled;
   * `ask` is answered with a question, whose answer is upper-cased in a task of its own; `snake` gives
   * answers in snake_case, `crash` none.
   */
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

  /** The task that was sent last. */
  get newest(): JsonObject {
    return [...this.tasks.values()].at(-1)!;
  }

  /** Ends the running task, then answers the cancels that were held, which end it again. */
  finish(): void {
    complete(this.newest, [{ kind: 'text', text: 'SLOW' }]);
    this.busy = false;
    for (const answer of this.held.splice(0)) answer();
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
    if (method === 'message/send') {
      const message = params.message as JsonObject;
      if (textOf(message) === 'crash') return plain(response, 500, 'Internal Server Error');
      return answer(this.submit(message));
    }
    const task = this.tasks.get(String(params?.id));
    if (method === 'tasks/get' || method === 'tasks/cancel') {
      if (!task) {
        const error = { code: -32001, message: 'Task not found' };
        return json(response, { jsonrpc: '2.0', id, error });
      }
      const cancel = (): void => {
        answer(structuredClone(task));
        this.soon(() => (task.status = status('canceled')));
      };
      if (method === 'tasks/get') answer(written(task));
      else if (this.busy) this.held.push(cancel);
      else cancel();
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
    const text = textOf(message);
    this.soon(() => {
      task.status = status('working');
      if (text === 'slow') return;
      if (text === 'ask') ask(task);
      else complete(task, (message.parts as JsonObject[]).map(upperCased));
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

function textOf(message: JsonObject): string {
  return (message.parts as JsonObject[]).map((part) => String(part.text ?? '')).join('');
}

function upperCased(part: JsonObject): JsonObject {
  return part.kind === 'text' ? { kind: 'text', text: String(part.text).toUpperCase() } : part;
}

function complete(task: JsonObject, parts: JsonObject[]): void {
  task.status = status('completed');
  task.artifacts = [{ artifactId: randomUUID(), name: 'result', parts }];
}

/** Recorded: the message of a status is not stored; the question is the last of the history. */
function ask(task: JsonObject): void {
  task.status = status('input-required');
  (task.history as JsonObject[]).push({
    role: 'agent',
    kind: 'message',
    messageId: randomUUID(),
    parts: [{ kind: 'text', text: 'Which one?' }],
    contextId: task.contextId as string,
    taskId: task.id as string,
  });
}

/** Recorded: an unknown key in a part of a task makes its whole answer snake_case. */
function written(task: JsonObject): JsonObject {
  const [first] = task.history as JsonObject[];
  return textOf(first!) === 'snake' ? snakeCased(task) : structuredClone(task);
}

function snakeCased(value: Json): Json {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, member]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCased(member),
    ]),
  );
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
