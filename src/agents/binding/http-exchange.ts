import { ConnectError, type Egress, type EgressResponse } from '../../common/egress/egress.js';
import type { TlsChoice } from '../../common/egress/tls-choice.js';
import { BodyTooLargeError, readText } from '../../common/egress/read-body.js';
import { HubError } from '../../common/hub-error.js';
import { checkJsonLimits, JsonLimitError } from '../../common/json-limits.js';
import { LONG, LongStream } from '../../common/long-work.js';
import { turnFor } from '../../common/slices.js';
import { parseInTurns } from '../../common/parse-in-turns.js';
import type { ReadBudget, Reading } from '../../common/read-budget.js';
import { scrub } from '../../common/scrub.js';
import { AgentCallError, endedCall } from './agent-call-error.js';
import { ANSWER_LIMITS, beyondLimits, EVENT_LIMITS } from './answer-limits.js';
import { camelCased } from './camel-case.js';
import { type FileForm, formOfRefusal } from './file-forms.js';
import {
  bareErrorIn,
  failureOf,
  failureOfStatus,
  protocolErrorIn,
  type ProtocolError,
} from './protocol-error.js';
import { readSse, SseEventTooLargeError } from './sse-reader.js';

const ERROR_LIMIT_BYTES = 64 * 1024;
/** Characters of an error's text that are kept, which may be a whole event. */
const ERROR_TEXT_LIMIT = 1000;

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly connectTimeoutMs: number;
  /** Called when the call is on a connection. */
  readonly onSent: () => void;
  /** Values that must not appear in an error, should the agent send them back. */
  readonly secrets: readonly string[];
  /** Whose answers these are, to {@link budget}. */
  readonly agentId: string;
  /** What long answers wait for. */
  readonly budget: ReadBudget;
  /** Bytes of a whole answer: a task with its files. */
  readonly maxAnswerBytes: number;
  /** What the connection is made with; undefined for the usual. */
  readonly tls?: TlsChoice | undefined;
  /** Called when an answer is read although its members are named otherwise. */
  readonly onDeviation?: (kind: 'snake-case') => void;
}

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** What makes the requests: the egress, or what stands before it. */
export type HttpWay = Pick<Egress, 'request'>;

/**
 * One call to an agent over HTTP. Everything that can go wrong on the wire becomes an
 * {@link AgentCallError}, so that transports only decode good answers.
 */
export class HttpExchange {
  /** The body of the answer, where that was no success. */
  private refusalBody = '';
  private answered = false;
  private events = 0;
  private readonly reading: Reading;
  private body: EgressResponse['body'] | undefined;

  constructor(
    private readonly egress: HttpWay,
    private readonly options: ExchangeOptions,
  ) {
    const { budget, agentId } = options;
    this.reading = budget.begin(agentId, (error) => this.body?.destroy(error));
  }

  /** What was read of an answer is stored, or not needed: others may be read. */
  release(): void {
    this.reading.end();
  }

  /** Sends the request; rejects unless the answer's status is a success. */
  async send(url: string, request: ExchangeRequest): Promise<AgentAnswer> {
    let answer: EgressResponse;
    try {
      answer = await this.egress.request(url, {
        signal: this.options.signal,
        connectTimeoutMs: this.options.connectTimeoutMs,
        onSent: this.options.onSent,
        // The runner's budgets end a call that takes too long.
        headersTimeoutMs: 0,
        bodyTimeoutMs: 0,
        ...this.options.tls,
        ...request,
      });
    } catch (error) {
      throw this.lost(error);
    }
    this.answered = true;
    this.body = answer.body;
    if (answer.statusCode < 200 || answer.statusCode > 299) throw await this.refusal(answer);
    return {
      status: answer.statusCode,
      contentType: String(answer.headers['content-type'] ?? ''),
      json: () => this.json(answer),
      events: () => this.eventsOf(answer),
    };
  }

  /** What any error of the call means. */
  failure(error: unknown): AgentCallError {
    if (error instanceof AgentCallError) return error;
    if (this.options.signal.aborted) return this.lost(error);
    const text = this.shown(messageOf(error));
    return this.answered
      ? new AgentCallError('invalid', `the agent's answer is not A2A: ${text}`, { cause: error })
      : new AgentCallError('rejected', `the message cannot be sent: ${text}`, { cause: error });
  }

  /** See {@link formOfRefusal}. */
  fileForm(): FileForm {
    return formOfRefusal(this.refusalBody);
  }

  private async refusal(answer: EgressResponse): Promise<AgentCallError> {
    const { statusCode: httpStatus } = answer;
    const text = this.scrub(await readText(answer, ERROR_LIMIT_BYTES).catch(() => ''));
    this.refusalBody = text;
    const json = parsedWithin(text);
    const error = protocolErrorIn(json) ?? bareErrorIn(json, httpStatus);
    if (error === undefined) return failureOfStatus(httpStatus, text);
    return failureOf(error, { httpStatus, afterEvent: false });
  }

  private async json(answer: EgressResponse): Promise<unknown> {
    const text = await this.text(answer);
    await turnFor(text.length);
    const json = await parsedInTurns(text);
    if (json === undefined) throw new AgentCallError('invalid', 'the agent answered no JSON');
    this.throwError(json, answer.statusCode);
    const isSnakeCase = text.includes('"context_id"');
    await turnFor(text.length);
    if (!isSnakeCase) return json;
    if (namesInSnakeCase(json)) this.options.onDeviation?.('snake-case');
    return camelCased(json);
  }

  private async text(answer: EgressResponse): Promise<string> {
    try {
      const reserve = (bytes: number): Promise<void> | undefined => this.reading.reserve(bytes);
      const options = { json: ANSWER_LIMITS, reserve };
      return await readText(answer, this.options.maxAnswerBytes, options);
    } catch (error) {
      if (error instanceof BodyTooLargeError) {
        throw beyondLimits(error, `is larger than ${this.options.maxAnswerBytes} bytes`);
      }
      throw this.lost(error);
    } finally {
      this.reading.whole();
    }
  }

  /** Where a plain JSON answer comes instead of a stream, it is a stream of one event. */
  private async *eventsOf(answer: EgressResponse): AsyncGenerator<AgentEvent, void, undefined> {
    const type = String(answer.headers['content-type'] ?? '').toLowerCase();
    try {
      if (!type.startsWith('text/event-stream')) {
        const json = await this.json(answer);
        yield { json, isLong: true, text: undefined };
        return;
      }
      const reserve = (bytes: number): Promise<void> | undefined => this.reading.reserve(bytes);
      const source = readSse(answer.body, { json: EVENT_LIMITS, reserve, pieces: answer.pieces });
      const stream = new LongStream();
      for await (const { type, data, complete } of source) {
        this.reading.whole();
        const turn = stream.next(data.length);
        if (turn !== undefined) await turn;
        const json = data.length > LONG ? await parsedInTurns(data) : parsed(data);
        if (!complete && json === undefined) throw new Error('within an event');
        if (type === 'error' || data.includes('"error"')) {
          this.throwError(json, answer.statusCode);
        }
        if (type === 'error')
          throw this.protocolFailure({ code: undefined, message: data }, answer.statusCode);
        if (json === undefined) {
          throw new AgentCallError('invalid', 'an event of the agent cannot be read');
        }
        this.events++;
        yield { json, isLong: data.length > LONG, text: data };
      }
    } catch (error) {
      throw this.lost(error);
    } finally {
      this.reading.end();
    }
  }

  private throwError(json: unknown, httpStatus: number): void {
    const error = protocolErrorIn(json);
    if (error === undefined) return;
    throw this.protocolFailure(error, httpStatus);
  }

  private protocolFailure(error: ProtocolError, httpStatus: number): AgentCallError {
    const message = this.shown(error.message);
    return failureOf({ ...error, message }, { httpStatus, afterEvent: this.events > 0 });
  }

  /** An error of the connection. */
  private lost(error: unknown): AgentCallError {
    if (error instanceof AgentCallError) return error;
    if (error instanceof JsonLimitError) return beyondLimits(error);
    if (this.options.signal.aborted) {
      return endedCall(error);
    }
    const unsent =
      error instanceof ConnectError ||
      error instanceof HubError ||
      (error as { code?: unknown }).code === 'UND_ERR_INVALID_ARG';
    const message = this.shown(messageOf(error));
    if (unsent) return new AgentCallError('unreachable', message, { cause: error });
    const text =
      error instanceof SseEventTooLargeError ? message : `the connection broke off: ${message}`;
    return new AgentCallError('interrupted', text, { cause: error });
  }

  /** As much as is kept of a text of any length: what is cut off is not looked at. */
  private shown(text: string): string {
    return this.scrub(text.slice(0, 4 * ERROR_TEXT_LIMIT)).slice(0, ERROR_TEXT_LIMIT);
  }

  private scrub(text: string): string {
    return scrub(text, this.options.secrets);
  }
}

/** An answer that is no error by its status. One of `json` and `events` is called, once. */
export interface AgentAnswer {
  readonly status: number;
  readonly contentType: string;
  /** The body; rejects with {@link AgentCallError} when it is no JSON or a protocol error. */
  json(): Promise<unknown>;
  /**
   * Each event as it arrives; fails with {@link AgentCallError} at an error event, a cut stream, or an
   * event that is no JSON or beyond a limit. Ends when the agent closes the stream. An event counts as
   * read until the next one is asked for.
   */
  events(): AsyncGenerator<AgentEvent, void, undefined>;
}

export interface AgentEvent {
  readonly json: unknown;
  /** Its text may be long: decode it in turns. */
  readonly isLong: boolean;
  /** The JSON text of it, where it came as an event. */
  readonly text: string | undefined;
}

/** Whether the task or message of an answer is named so itself, and not something in what it carries. */
function namesInSnakeCase(json: unknown): boolean {
  const { result = json } = json as { result?: unknown };
  const { task = result } = (result ?? {}) as { task?: unknown };
  return typeof task === 'object' && task !== null && 'context_id' in task;
}

function messageOf(error: unknown): string {
  return (error as { message?: string }).message ?? String(error);
}

/** Of an error's text, which was not held to any limit but its size. */
function parsedWithin(text: string): unknown {
  try {
    checkJsonLimits(text, EVENT_LIMITS);
  } catch {
    return undefined;
  }
  return parsed(text);
}

async function parsedInTurns(text: string): Promise<unknown> {
  try {
    return await parseInTurns(text);
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
