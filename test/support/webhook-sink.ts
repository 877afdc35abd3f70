import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type HttpListener, listenOnLoopback } from './http-listener.js';

/** One request a webhook received, with the bytes as they came. */
export interface ReceivedWebhook {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  /** The body parsed; undefined when it is not JSON. */
  readonly json: unknown;
  /** Monotonic milliseconds, for the distance between two attempts. */
  readonly receivedAtMs: number;
}

/**
 * What the receiver does with one request.
 * - a number: that status, empty body;
 * - `cut`: closes the socket without an answer; `hang`: never answers;
 * - an object: status, headers, body, and how long to wait before;
 * - a function: chooses one of these, or answers itself and returns nothing.
 */
export type WebhookAnswer =
  | number
  | 'cut'
  | 'hang'
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
      readonly delayMs?: number;
    }
  | ((request: ReceivedWebhook, response: ServerResponse) => WebhookAnswer | void);

/** A real HTTP receiver for webhooks that records all it gets and answers by script. */
export class WebhookSink {
  readonly received: ReceivedWebhook[] = [];
  /** Answers for the next requests, in order; then {@link answer} for all others. */
  readonly script: WebhookAnswer[] = [];
  /** The answer when the script is used up. */
  answer: WebhookAnswer = 200;

  private readonly watchers = new Set<() => void>();
  private listener!: HttpListener;

  /** Listens on a free port of the loopback interface. */
  static async start(): Promise<WebhookSink> {
    const sink = new WebhookSink();
    sink.listener = await listenOnLoopback((request, response) => sink.receive(request, response));
    return sink;
  }

  get port(): number {
    return this.listener.port;
  }

  /** The receiver's address with this path. */
  url(path = '/hook'): string {
    return `${this.listener.url}${path}`;
  }

  /** Requests to this path, oldest first. */
  at(path: string): ReceivedWebhook[] {
    return this.received.filter((webhook) => webhook.path === path);
  }

  /**
   * The first request (already received or to come) that fits; rejects after `deadlineMs`, saying what
   * came instead.
   */
  async waitFor(
    predicate: (webhook: ReceivedWebhook) => boolean,
    deadlineMs = 10_000,
  ): Promise<ReceivedWebhook> {
    await this.until((all) => all.some(predicate), deadlineMs);
    return this.received.find(predicate)!;
  }

  /** Waits until the receiver has got so many requests (to this path, when given). */
  async waitForCount(
    count: number,
    deadlineMs = 10_000,
    path?: string,
  ): Promise<ReceivedWebhook[]> {
    const chosen = (): ReceivedWebhook[] => (path === undefined ? this.received : this.at(path));
    await this.until(() => chosen().length >= count, deadlineMs);
    return chosen();
  }

  /** Waits until `predicate` holds for all that was received. */
  until(
    predicate: (all: readonly ReceivedWebhook[]) => boolean,
    deadlineMs = 10_000,
  ): Promise<void> {
    if (predicate(this.received)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.watchers.delete(look);
      };
      const look = (): void => {
        if (!predicate(this.received)) return;
        stop();
        resolve();
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`no such webhook within ${deadlineMs} ms; got ${this.summary()}`));
      }, deadlineMs);
      this.watchers.add(look);
    });
  }

  /** Forgets what was received and the script. */
  reset(): void {
    this.received.length = 0;
    this.script.length = 0;
    this.answer = 200;
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const webhook: ReceivedWebhook = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        raw,
        json: parse(raw),
        receivedAtMs: performance.now(),
      };
      this.received.push(webhook);
      respond(this.script.shift() ?? this.answer, webhook, response);
      for (const watcher of [...this.watchers]) watcher();
    });
  }

  private summary(): string {
    const lines = this.received
      .slice(-10)
      .map((webhook) => `${webhook.path} ${webhook.raw.toString('utf8', 0, 200)}`);
    return `${this.received.length} request(s)\n${lines.join('\n')}`;
  }
}

function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function respond(answer: WebhookAnswer, webhook: ReceivedWebhook, response: ServerResponse): void {
  if (typeof answer === 'function') {
    const chosen = answer(webhook, response);
    if (chosen !== undefined) respond(chosen, webhook, response);
    return;
  }
  if (answer === 'hang') return;
  if (answer === 'cut') {
    response.destroy();
    return;
  }
  if (typeof answer === 'number') {
    response.writeHead(answer).end();
    return;
  }
  const send = (): void => {
    response.writeHead(answer.status, answer.headers).end(answer.body ?? '');
  };
  if (answer.delayMs) setTimeout(send, answer.delayMs);
  else send();
}
