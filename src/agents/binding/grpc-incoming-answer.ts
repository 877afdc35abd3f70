import type { ClientHttp2Stream } from 'node:http2';
import { createUnzip } from 'node:zlib';
import {
  experimental,
  InterceptingCall,
  type Interceptor,
  Metadata,
  status as codes,
} from '@grpc/grpc-js';
import { TOO_SMALL_PIECES, tooSmallPieces } from '../../common/small-pieces.js';

/** Before a message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;
const COMPRESSED = 1;
/** Inflated at once. */
const INFLATED_BYTES = 64 * 1024;
/** So long an answer may take to end after its one message: until then the message is held, and no use. */
const END_MS = 1000;

/** The one message of an answer has come, but not the status that says the call went well. */
export class UnendedAnswerError extends Error {
  override readonly name = 'UnendedAnswerError';

  constructor() {
    super('the agent did not end its answer');
  }
}

/** What the messages of one call may be, and who makes room for them. */
export interface IncomingAnswerRules {
  /** One message, or any number of them. */
  readonly kind: 'unary' | 'stream';
  /** What is larger is refused: by its length, before it is received, or while it is inflated. */
  readonly maxBytes: number;
  /** A message that is no larger needs no room. */
  readonly freeBytes: number;
  /**
   * Says how many bytes of the message under way are held by now. What it returns is waited for before more
   * is received; when it rejects, the message is refused.
   */
  readonly reserve: (bytes: number) => Promise<void> | undefined;
  /** All that is held has arrived. */
  readonly whole: () => void;
  /** Breaks off the call. */
  readonly refuse: (why: unknown) => void;
  /** What is thrown for a message over {@link maxBytes}. */
  readonly tooLarge: () => Error;
}

/**
 * Watches the bytes of the messages of one call to an agent: the library shows a message only when it is
 * whole, in memory. While there is no room for more, the HTTP/2 stream of the call is paused, and flow control
 * holds the agent. A message that needs room is received when those before are done with. One that is
 * compressed is inflated here, not by the library, and only as far as there is room. Refused is a message in very
 * many tiny pieces, of which the library keeps each, and an answer to one request that has a second message or
 * does not end.
 *
 * The library shows neither the stream nor what is before its decompression, so private members of its calls
 * lead there. Where it hides them, messages count once they are whole.
 */
export class IncomingAnswer {
  private stream: ClientHttp2Stream | undefined;
  private readonly prefix = Buffer.alloc(PREFIX_BYTES);
  private prefixBytes = 0;
  /** Of the message under way, as soon as its prefix has come. */
  private length: number | undefined;
  private received = 0;
  /** The pieces that it was received in. */
  private pieces = 0;
  /** Messages that have come. */
  private arrived = 0;
  /** Of these, those that are being inflated, or need not be, or have been. */
  private inflated = 0;
  private done = 0;
  /** Messages that the library may give: it reads no further than that. */
  private requested: number;
  private isHeld = false;
  /** Resumes reading, requested while it was held. */
  private deferred: (() => void) | undefined;
  private isOver = false;
  private ending: NodeJS.Timeout | undefined;
  private readonly waiting = new Set<Waiter>();

  constructor(private readonly rules: IncomingAnswerRules) {
    this.requested = rules.kind === 'unary' ? 1 : 0;
  }

  /** The interceptor next to the wire. */
  readonly intercept: Interceptor = (options, nextCall) => {
    const wire = nextCall(options);
    return new HeldCall(
      wire,
      {
        start: (metadata, _listener, next) =>
          next(metadata, {
            onReceiveMetadata: (received, pass) => {
              this.begin(wire);
              pass(received);
            },
            onReceiveStatus: (status, pass) => {
              this.end();
              pass(status);
            },
          }),
        cancel: (next) => {
          this.end();
          next();
        },
      },
      (read) => this.request(read),
    );
  };

  /** The message that was given last is done with. */
  next(): void {
    this.done += 1;
    for (const waiter of this.waiting) if (this.done >= waiter.done) this.go(waiter);
  }

  /** Called before any message of the call can have come. */
  private begin(wire: object): void {
    const call = memberOf(wire, 'call');
    addFilter(call, new Inflating((frame) => this.inflate(frame)));
    this.stream = streamBeneath(call);
    this.stream?.on('data', (chunk: Buffer) => this.take(chunk));
  }

  /** Nothing more is of interest. The library reads on, so that the stream ends. */
  private end(): void {
    this.isOver = true;
    clearTimeout(this.ending);
    for (const waiter of this.waiting) this.go(waiter);
    if (this.isHeld) this.stream?.resume();
  }

  /** The library is to give one more message. */
  private request(read: () => void): void {
    // What has come already it gives without reading.
    const hasMore = this.arrived > this.requested;
    this.requested = Math.min(this.requested, this.arrived) + 1;
    if (this.isHeld && !hasMore) this.deferred = read;
    else read();
  }

  /** Called after the library has taken the same bytes. */
  private take(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.isOver;) {
      if (this.isAnswered()) {
        return this.rules.refuse(new Error('it is more than one message'));
      }
      if (this.length === undefined) at += this.readPrefix(chunk.subarray(at));
      else at += this.readContent(chunk.length - at, this.length);
    }
    if (this.isOver) return;
    if (this.isHeld) this.stream?.pause();
    // The library has paused it, but the status is to come, or what must not.
    else if (this.isAnswered()) this.stream?.resume();
    else this.hold();
  }

  private readPrefix(chunk: Buffer): number {
    const read = chunk.copy(this.prefix, this.prefixBytes);
    this.prefixBytes += read;
    if (this.prefixBytes < PREFIX_BYTES) return read;
    this.length = this.prefix.readUInt32BE(1);
    if (this.length > this.rules.maxBytes) {
      this.isOver = true;
      this.rules.refuse(this.rules.tooLarge());
    } else if (this.length === 0) this.messageArrived();
    return read;
  }

  private readContent(available: number, length: number): number {
    const read = Math.min(available, length - this.received);
    this.received += read;
    this.pieces += 1;
    if (tooSmallPieces(this.pieces, this.received)) {
      this.isOver = true;
      this.rules.refuse(new Error(`it ${TOO_SMALL_PIECES}`));
    } else if (this.received === length) this.messageArrived();
    return read;
  }

  private messageArrived(): void {
    if (this.needsReservation()) this.rules.whole();
    this.arrived += 1;
    this.prefixBytes = 0;
    this.length = undefined;
    this.received = 0;
    this.pieces = 0;
    if (this.isAnswered()) this.expectEnd();
  }

  /** Whether all messages have come that may. */
  private isAnswered(): boolean {
    return this.rules.kind === 'unary' && this.arrived > 0;
  }

  private expectEnd(): void {
    const check = (): void => {
      const { stream } = this;
      if (this.isOver || stream === undefined || stream.readableEnded || stream.destroyed) return;
      this.rules.refuse(new UnendedAnswerError());
    };
    // What came while the hub itself was busy is read first.
    this.ending = setTimeout(() => setImmediate(check), END_MS).unref();
  }

  private needsReservation(): boolean {
    return this.length !== undefined && this.length > this.rules.freeBytes;
  }

  /** Receives no more of the message under way until it may. */
  private hold(): void {
    const turn = this.turn();
    if (turn === undefined) return;
    this.isHeld = true;
    this.stream?.pause();
    void this.resume(turn);
  }

  private turn(): Promise<void> | undefined {
    if (this.isOver || !this.needsReservation()) return undefined;
    return this.afterDone(this.arrived) ?? this.rules.reserve(this.received);
  }

  private async resume(first: Promise<void>): Promise<void> {
    try {
      for (let turn: typeof first | undefined = first; turn !== undefined; turn = this.turn()) {
        await turn;
      }
    } catch (error) {
      if (!this.isOver) this.rules.refuse(error);
      return;
    }
    this.isHeld = false;
    if (this.isOver) return;
    const { deferred } = this;
    this.deferred = undefined;
    if (deferred !== undefined) deferred();
    // The library itself reads no further when it has what was requested.
    else if (this.requested > this.arrived || this.isAnswered()) this.stream?.resume();
  }

  /** Called with each message and its prefix; gives both, not compressed, or nothing when the call is over. */
  private async inflate(frame: Buffer): Promise<Buffer | undefined> {
    const index = this.inflated++;
    if (frame[0] !== COMPRESSED) return frame;
    try {
      await this.afterDone(index);
      const inflated = await this.inflatedBytes(frame);
      return this.isOver ? undefined : inflated;
    } catch (error) {
      if (!this.isOver) this.rules.refuse(error);
      return undefined;
    }
  }

  /** Gzip and deflate differ in how they begin. */
  private async inflatedBytes(frame: Buffer): Promise<Buffer> {
    const unzip = createUnzip({ chunkSize: INFLATED_BYTES });
    unzip.end(frame.subarray(PREFIX_BYTES));
    const prefix = Buffer.alloc(PREFIX_BYTES);
    const pieces: Buffer[] = [prefix];
    let length = 0;
    for await (const piece of unzip as AsyncIterable<Buffer>) {
      if (this.isOver) break;
      length += piece.length;
      if (length > this.rules.maxBytes) throw this.rules.tooLarge();
      pieces.push(piece);
      await this.hasArrived(frame.length + length);
    }
    prefix.writeUInt32BE(length, 1);
    const inflated = Buffer.concat(pieces, PREFIX_BYTES + length);
    if (!this.isOver) await this.hasArrived(length);
    return inflated;
  }

  /** Waits until so much may be held, of which the agent owes nothing. */
  private async hasArrived(bytes: number): Promise<void> {
    await this.rules.reserve(bytes);
    this.rules.whole();
  }

  /** When so many messages are done with; undefined when they are. */
  private afterDone(done: number): Promise<void> | undefined {
    if (this.done >= done) return undefined;
    return new Promise((go) => this.waiting.add({ done, go }));
  }

  private go(waiter: Waiter): void {
    this.waiting.delete(waiter);
    waiter.go();
  }
}

interface Waiter {
  readonly done: number;
  readonly go: () => void;
}

/** A call that lets another say when more is read. */
class HeldCall extends InterceptingCall {
  constructor(
    wire: ConstructorParameters<typeof InterceptingCall>[0],
    requester: ConstructorParameters<typeof InterceptingCall>[1],
    private readonly request: (read: () => void) => void,
  ) {
    super(wire, requester);
  }

  override startRead(): void {
    this.request(() => super.startRead());
  }
}

/** Inflates each message before the library can. */
class Inflating extends experimental.BaseFilter {
  constructor(private readonly inflate: (frame: Buffer) => Promise<Buffer | undefined>) {
    super();
  }

  override async receiveMessage(message: Promise<Buffer>): Promise<Buffer> {
    const inflated = await this.inflate(await message);
    if (inflated !== undefined) return inflated;
    const details = 'the call has ended';
    throw Object.assign(new Error(details), {
      code: codes.CANCELLED,
      details,
      metadata: new Metadata(),
    });
  }
}

/** The HTTP/2 stream that a call of the library is made on, once its answer has begun. */
function streamBeneath(call: unknown): ClientHttp2Stream | undefined {
  const attempts = memberOf(call, 'child');
  const index = memberOf(attempts, 'committedCallIndex');
  const attempt = memberOf(memberOf(attempts, 'underlyingCalls'), String(index));
  const stream = memberOf(memberOf(memberOf(attempt, 'call'), 'child'), 'http2Stream');
  return typeof memberOf(stream, 'pause') === 'function'
    ? (stream as ClientHttp2Stream)
    : undefined;
}

/** Adds what sees a message first: the last of a call's filters. */
function addFilter(call: unknown, filter: experimental.Filter): void {
  const stack = memberOf(call, 'filterStack') as
    | { getFilters?: () => experimental.Filter[] }
    | undefined;
  stack?.getFilters?.().push(filter);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
