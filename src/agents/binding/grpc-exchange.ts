import {
  type ClientReadableStream,
  InterceptingCall,
  type Interceptor,
  Metadata,
  type MethodDefinition,
  type ServiceError,
} from '@grpc/grpc-js';
import { ConnectError } from '../../common/egress/egress.js';
import { BodyTooLargeError } from '../../common/egress/read-body.js';
import { HubError } from '../../common/hub-error.js';
import { JsonLimitError, type JsonLimits } from '../../common/json-limits.js';
import { LongStream } from '../../common/long-work.js';
import { turnFor } from '../../common/slices.js';
import { ReadBudgetError, type Reading } from '../../common/read-budget.js';
import { scrub } from '../../common/scrub.js';
import { checkProtoLimits } from '../../protocol/proto-limits.js';
import { metadataFault } from './grpc-metadata.js';
import { AgentCallError, endedCall } from './agent-call-error.js';
import { ANSWER_LIMITS, beyondLimits, EVENT_LIMITS, shapeOfAnswer } from './answer-limits.js';
import type { ExchangeOptions } from './http-exchange.js';
import type { GrpcCallKind, GrpcChannels, GrpcLease } from './grpc-channels.js';
import { failureOfGrpc } from './grpc-failure.js';
import { type FileForm, formOfStatus } from './file-forms.js';
import {
  IncomingAnswer,
  type IncomingAnswerRules,
  UnendedAnswerError,
} from './grpc-incoming-answer.js';
import { Pace } from './pace.js';
import { SSE_EVENT_LIMIT, SseEventTooLargeError } from './sse-reader.js';

/** Errors that end an answer, whatever its bytes are. */
const INTERRUPTIONS = [SseEventTooLargeError, ReadBudgetError, UnendedAnswerError];

/** What a call needs of a method: of a published service definition. */
export type GrpcMethod<Request, Answer> = Pick<
  MethodDefinition<Request, Answer>,
  'path' | 'requestSerialize' | 'responseDeserialize'
>;

export interface GrpcExchangeOptions extends ExchangeOptions {
  /** Streams and messages, or what must not wait behind them: they have connections of their own. */
  readonly kind: GrpcCallKind;
  /** `host:port` or a URL, as {@link grpcUrls} understands it. */
  readonly address: string;
  /** Sent as metadata. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * One call to an agent over gRPC. Everything that can go wrong becomes an {@link AgentCallError}:
 * `unreachable` until there is a connection, by the status after that.
 */
export class GrpcExchange {
  private connected = false;
  private events = 0;
  private known: AgentCallError | undefined;
  private cancelCall = (): void => undefined;
  private readonly reading: Reading;
  private isWaiting = false;

  constructor(
    private readonly channels: GrpcChannels,
    private readonly options: GrpcExchangeOptions,
  ) {
    this.reading = options.budget.begin(options.agentId, (error) => this.breakOff(error));
  }

  /** What was read of an answer is stored, or not needed: others may be read. */
  release(): void {
    this.reading.end();
  }

  /** See {@link formOfStatus}. */
  fileForm({ message }: AgentCallError): FileForm {
    return formOfStatus(message);
  }

  async unary<Request, Answer>(
    method: GrpcMethod<Request, Answer>,
    request: Request,
  ): Promise<Answer> {
    const metadata = this.metadata();
    const lease = await this.connect();
    const { signal } = this.options;
    const cancel = (): void => this.cancel();
    const { maxAnswerBytes } = this.options;
    const incoming = this.incoming({
      kind: 'unary',
      maxBytes: maxAnswerBytes,
      tooLarge: () => new BodyTooLargeError(maxAnswerBytes),
    });
    signal.addEventListener('abort', cancel);
    try {
      const bytes = await new Promise<Buffer>((resolve, reject) => {
        const call = lease.client.makeUnaryRequest(
          method.path,
          method.requestSerialize,
          asTheyAre,
          request,
          metadata,
          { interceptors: [incoming.intercept] },
          (error, answer) => {
            if (answer === undefined) reject(error ?? new Error('it has no message'));
            else resolve(answer);
          },
        );
        this.cancelCall = () => call.cancel();
        if (signal.aborted) cancel();
      });
      await this.received(bytes);
      return await this.decoded(method, bytes, ANSWER_LIMITS);
    } catch (error) {
      throw this.failure(error);
    } finally {
      signal.removeEventListener('abort', cancel);
      // It keeps the answer's bytes.
      this.cancelCall = () => undefined;
      lease.release();
    }
  }

  /**
   * Reads no faster than it is asked to, with one event ahead at most; leaving the loop cancels the call. An
   * event counts as read until the next one is asked for.
   */
  async *stream<Request, Answer>(
    method: GrpcMethod<Request, Answer>,
    request: Request,
  ): AsyncGenerator<Answer, void, undefined> {
    const metadata = this.metadata();
    const lease = await this.connect();
    const { signal } = this.options;
    const pace = new Pace();
    const incoming = this.incoming({
      kind: 'stream',
      maxBytes: SSE_EVENT_LIMIT,
      tooLarge: () => new SseEventTooLargeError(),
    });
    // A reader that waits for its taker would not get to the end.
    const cancel = (): void => {
      this.cancel();
      lease.release();
    };
    signal.addEventListener('abort', cancel);
    try {
      const call: ClientReadableStream<Buffer> = lease.client.makeServerStreamRequest(
        method.path,
        method.requestSerialize,
        asTheyAre,
        request,
        metadata,
        { interceptors: [atPace(pace), incoming.intercept] },
      );
      // A stream that is left early ends with CANCELLED, which is not waited for.
      call.on('error', () => undefined);
      this.cancelCall = () => {
        call.cancel();
        pace.end();
      };
      if (signal.aborted) cancel();
      const stream = new LongStream();
      for await (const bytes of call as AsyncIterable<Buffer>) {
        if (bytes.length > SSE_EVENT_LIMIT) throw new SseEventTooLargeError();
        await this.received(bytes);
        await stream.next(bytes.length);
        const event = await this.decoded(method, bytes, EVENT_LIMITS);
        this.events++;
        yield event;
        this.reading.end();
        incoming.next();
        pace.next();
      }
    } catch (error) {
      throw this.failure(error);
    } finally {
      signal.removeEventListener('abort', cancel);
      cancel();
      this.cancelCall = () => undefined;
      this.reading.end();
    }
  }

  private incoming(
    rules: Pick<IncomingAnswerRules, 'kind' | 'maxBytes' | 'tooLarge'>,
  ): IncomingAnswer {
    return new IncomingAnswer({
      ...rules,
      freeBytes: this.options.budget.rules.free,
      reserve: (bytes) => this.reserve(bytes),
      whole: () => this.reading.whole(),
      refuse: (why) => this.breakOff(why),
    });
  }

  /** Waits until these bytes, which have arrived, may be decoded: that takes many times as much. */
  private async received(bytes: Buffer): Promise<void> {
    await this.reserve(bytes.length);
    this.reading.whole();
  }

  private reserve(bytes: number): Promise<void> | undefined {
    const turn = this.reading.reserve(bytes);
    if (turn === undefined) return undefined;
    this.isWaiting = true;
    return turn.finally(() => (this.isWaiting = false));
  }

  private async decoded<Answer>(
    {
      path,
      responseDeserialize,
    }: Pick<GrpcMethod<unknown, Answer>, 'path' | 'responseDeserialize'>,
    bytes: Buffer,
    limits: JsonLimits,
  ): Promise<Answer> {
    await turnFor(bytes.length);
    checkProtoLimits(bytes, shapeOfAnswer(path), limits);
    await turnFor(bytes.length);
    return responseDeserialize(bytes);
  }

  /** Ends the call for this reason. */
  private breakOff(why: unknown): void {
    this.failure(why);
    this.cancel();
  }

  /** Ends the call now and notifies the agent. */
  cancel(): void {
    this.cancelCall();
    if (this.isWaiting) this.reading.end();
  }

  /** What any error of the call means. Of one that was seen here before, a later error says no more. */
  failure(error: unknown): AgentCallError {
    if (error instanceof AgentCallError) return error;
    this.known ??= this.meaning(error);
    return this.known;
  }

  private meaning(error: unknown): AgentCallError {
    if (this.options.signal.aborted) {
      return endedCall(error);
    }
    if (error instanceof JsonLimitError) return beyondLimits(error);
    if (error instanceof BodyTooLargeError) {
      return beyondLimits(error, `is larger than ${this.options.maxAnswerBytes} bytes`);
    }
    if (error instanceof Error && INTERRUPTIONS.some((kind) => error instanceof kind)) {
      return new AgentCallError('interrupted', error.message, { cause: error });
    }
    if (isServiceError(error)) {
      return failureOfGrpc(error, {
        afterEvent: this.events > 0,
        secrets: this.options.secrets,
      });
    }
    const text = scrub(
      (error as { message?: string }).message ?? String(error),
      this.options.secrets,
    );
    if (error instanceof ConnectError || error instanceof HubError) {
      return new AgentCallError('unreachable', text, { cause: error });
    }
    return this.connected
      ? new AgentCallError('invalid', `the agent's answer is not A2A: ${text}`, { cause: error })
      : new AgentCallError('rejected', `the message cannot be sent: ${text}`, { cause: error });
  }

  private async connect(): Promise<GrpcLease> {
    const { address, tls, kind, connectTimeoutMs, signal, onSent } = this.options;
    try {
      const lease = await this.channels.connect({ address, tls }, kind, connectTimeoutMs, signal);
      this.connected = true;
      onSent();
      return lease;
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** Another interface of the agent may take what gRPC cannot carry, so that is as good as no connection. */
  private metadata(): Metadata {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(this.options.headers)) {
      const key = name.toLowerCase();
      const fault = metadataFault(key, value);
      if (fault !== undefined) {
        this.known = new AgentCallError('unreachable', `the header ${key} ${fault}`);
        throw this.known;
      }
      metadata.set(key, value);
    }
    return metadata;
  }
}

/** Messages stay bytes until there is room to decode them. */
function asTheyAre(bytes: Buffer): Buffer {
  return bytes;
}

/** Events come when the one before is done with. */
function atPace(pace: Pace): Interceptor {
  return (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start: (metadata, _listener, next) =>
        next(metadata, {
          onReceiveMessage: (message, pass) => pace.take(() => pass(message)),
        }),
    });
}

function isServiceError(error: unknown): error is ServiceError {
  const { code, metadata } = error as Partial<ServiceError>;
  return typeof code === 'number' && typeof metadata === 'object';
}
