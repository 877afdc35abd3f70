import { ConnectError, type Egress, type EgressResponse } from '../../common/egress/egress.js';
import { BodyTooLargeError, readText } from '../../common/egress/read-body.js';
import { HubError } from '../../common/hub-error.js';
import { AgentCallError } from '../agent-client.js';
import { camelCased } from './camel-case.js';
import { failureOf, failureOfStatus, protocolErrorIn } from './protocol-error.js';
import { readSse, SseEventTooLargeError } from './sse-reader.js';

/** The whole answer of an agent; a task with its files. */
const ANSWER_LIMIT_BYTES = 64 * 1024 * 1024;
const ERROR_LIMIT_BYTES = 64 * 1024;

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly connectTimeoutMs: number;
  /** Values that must not appear in an error, should the agent send them back. */
  readonly secrets: readonly string[];
}

/**
 * One call to an agent: gives an SDK transport the `fetch` it wants and turns everything that can go
 * wrong on the wire into {@link AgentCallError}, so that transports only decode good answers.
 *
 * It reads bodies itself rather than through `Response`: that costs more than the rest of a call
 * (web streams), and hides what the runner must know (the HTTP status, and whether an event had come).
 */
export class AgentExchange {
  private answered = false;
  private events = 0;

  constructor(
    private readonly egress: Egress,
    private readonly options: ExchangeOptions,
  ) {}

  /** For SDK transports, which call it once, with a URL and plain headers. */
  readonly fetch = (async (url: string, init: RequestInit) => {
    const headers = init.headers as Record<string, string>;
    const answer = await this.send(url, init, headers);
    this.answered = true;
    const type = String(answer.headers['content-type'] ?? '');
    if (answer.statusCode < 200 || answer.statusCode > 299) throw await this.refusal(answer);
    const streamed = headers['Accept'] === 'text/event-stream';
    const source = !streamed
      ? undefined
      : isEventStream(type)
        ? this.sse(answer)
        : this.once(answer);
    return new ExchangeAnswer(
      answer.statusCode,
      streamed ? 'text/event-stream' : type,
      source,
      () => this.json(answer),
    );
  }) as unknown as typeof fetch;

  /** What any error of the call means. */
  failure(error: unknown): AgentCallError {
    if (error instanceof AgentCallError) return error;
    if (this.options.signal.aborted) {
      return new AgentCallError('interrupted', 'the hub ended the call', { cause: error });
    }
    const text = this.scrub((error as { message?: string }).message ?? String(error));
    return this.answered
      ? new AgentCallError('invalid', `the agent's answer is not A2A: ${text}`, { cause: error })
      : new AgentCallError('rejected', `the message cannot be sent: ${text}`, { cause: error });
  }

  private async send(
    url: string,
    init: RequestInit,
    headers: Record<string, string>,
  ): Promise<EgressResponse> {
    try {
      return await this.egress.request(url, {
        method: init.method as 'GET' | 'POST',
        headers,
        ...(typeof init.body === 'string' ? { body: init.body } : {}),
        signal: this.options.signal,
        connectTimeoutMs: this.options.connectTimeoutMs,
        // The runner's budgets end a call that takes too long.
        headersTimeoutMs: 0,
        bodyTimeoutMs: 0,
      });
    } catch (error) {
      throw this.lost(error);
    }
  }

  private async refusal(answer: EgressResponse): Promise<AgentCallError> {
    const { statusCode: httpStatus } = answer;
    const text = this.scrub(await readText(answer.body, ERROR_LIMIT_BYTES).catch(() => ''));
    const error = protocolErrorIn(parsed(text));
    if (error === undefined) return failureOfStatus(httpStatus, text);
    return failureOf(error, { httpStatus, afterEvent: false });
  }

  private async json(answer: EgressResponse): Promise<unknown> {
    const text = await this.text(answer);
    const json = parsed(text);
    if (json === undefined) throw new AgentCallError('invalid', 'the agent answered no JSON');
    this.throwError(json, answer.statusCode);
    const whole = text.includes('"context_id"') ? camelCased(json) : json;
    // `"error": null` beside a result is no error, but transports take the member for one.
    if (isObject(whole) && whole['error'] === null) delete whole['error'];
    return whole;
  }

  private async text(answer: EgressResponse): Promise<string> {
    try {
      return await readText(answer.body, ANSWER_LIMIT_BYTES);
    } catch (error) {
      if (error instanceof BodyTooLargeError) throw new AgentCallError('invalid', error.message);
      throw this.lost(error);
    }
  }

  /** Events of a stream, one line of JSON each, in the form of SSE for the transport to read. */
  private async *sse(answer: EgressResponse): AsyncGenerator<string, void, undefined> {
    try {
      for await (const { type, data } of readSse(answer.body)) {
        if (type === 'error' || data.includes('"error"')) {
          this.throwError(parsed(data) ?? {}, answer.statusCode);
        }
        if (data.trim() === '') continue;
        this.events++;
        yield asSse(data);
      }
    } catch (error) {
      throw this.lost(error);
    }
  }

  /** A plain JSON answer where a stream was asked for: a stream of one event. */
  private async *once(answer: EgressResponse): AsyncGenerator<string, void, undefined> {
    yield asSse(JSON.stringify(await this.json(answer)));
  }

  private throwError(json: unknown, httpStatus: number): void {
    const error = protocolErrorIn(json);
    if (error === undefined) return;
    const message = this.scrub(error.message);
    throw failureOf({ ...error, message }, { httpStatus, afterEvent: this.events > 0 });
  }

  /** An error of the connection. */
  private lost(error: unknown): AgentCallError {
    if (error instanceof AgentCallError) return error;
    if (this.options.signal.aborted) {
      return new AgentCallError('interrupted', 'the hub ended the call', { cause: error });
    }
    const unsent =
      error instanceof ConnectError ||
      error instanceof HubError ||
      (error as { code?: unknown }).code === 'UND_ERR_INVALID_ARG';
    const message = (error as { message?: string }).message ?? String(error);
    if (unsent) return new AgentCallError('unreachable', message, { cause: error });
    const text =
      error instanceof SseEventTooLargeError ? message : `the connection broke off: ${message}`;
    return new AgentCallError('interrupted', text, { cause: error });
  }

  private scrub(text: string): string {
    return this.options.secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  }
}

/**
 * The part of `Response` that SDK transports read: `json` and `text` once, or `body`, which they
 * pipe through a text decoder and read by a reader. Here the text is decoded already.
 */
class ExchangeAnswer {
  readonly ok = true;
  readonly statusText = '';
  readonly headers: Pick<Headers, 'get' | 'forEach'>;
  readonly body: object | null;

  constructor(
    readonly status: number,
    contentType: string,
    events: AsyncGenerator<string, void, undefined> | undefined,
    readonly json: () => Promise<unknown>,
  ) {
    this.headers = {
      get: (name) => (name.toLowerCase() === 'content-type' ? contentType : null),
      forEach: () => undefined,
    };
    this.body = events === undefined ? null : { pipeThrough: () => readable(events) };
  }

  async text(): Promise<string> {
    return JSON.stringify(await this.json());
  }
}

function readable(events: AsyncGenerator<string, void, undefined>): object {
  return {
    getReader: () => ({
      read: () => events.next(),
      cancel: () => events.return(),
      releaseLock: () => undefined,
    }),
  };
}

function asSse(data: string): string {
  return `data: ${data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data}\n\n`;
}

function isEventStream(contentType: string): boolean {
  return contentType.toLowerCase().startsWith('text/event-stream');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
