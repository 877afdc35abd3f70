import { constants, type ServerHttp2Stream } from 'node:http2';
import {
  type Metadata,
  ServerInterceptingCall,
  status as codes,
  type ServerInterceptor,
  type ServerInterceptingCallInterface,
  type StatusObject,
} from '@grpc/grpc-js';
import type { Principal } from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
import type { Log } from '../../common/logger.js';
import { SMALL_PIECE, tooSmallPieces } from '../../common/small-pieces.js';
import { SMALL_BODY_BYTES } from '../limits/request-body-budget.js';
import { type ByteReservation, NO_RESERVATION } from '../limits/byte-reservations.js';
import type { RequestCapacity } from '../limits/request-capacity.js';
import { UnauthenticatedCallRate } from './unauthenticated-call-rate.js';

/** Before a message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;
/** How long the status of a refused call may take to leave before its stream is closed. */
const CLOSE_MS = 100;

const HEALTH_PATH = '/grpc.health.v1.Health/';
/** An encoding that the library does not know: it inflates no message of it. */
const NO_ENCODING = 'none';
/** What a client may compress its messages with: nothing. */
const ACCEPTED_ENCODINGS = 'identity';

const TOO_SMALL_PIECES = `The message comes in too small pieces: send frames of at least ${SMALL_PIECE} bytes.`;

/** What the message of a call may be. */
export interface MessageRules {
  readonly maxBytes: number;
  readonly statusOf: (error: HubError) => StatusObject;
}

/** The call of the library, with the stream beneath it. */
interface WireCall extends ServerInterceptingCallInterface {
  readonly stream?: ServerHttp2Stream;
  /** What it inflates a message with, before anything else sees a byte of it. */
  incomingEncoding?: string;
}

/**
 * Watches the bytes of the message of each call: the library shows a message only when it is whole. One that
 * is too large is refused by its length, before it is received, and one that is compressed, whose length says
 * nothing, is never inflated; a large one waits for room, and of small ones only so many may be coming; one that makes no progress, or comes in very many tiny
 * pieces, ends: the library keeps each piece until the last has come. What a refused client goes on sending is
 * dropped, then cut off.
 */
export class IncomingMessages {
  private readonly messages = new WeakMap<Metadata, IncomingMessage>();
  private readonly unauthenticated: UnauthenticatedCallRate;

  constructor(
    private readonly capacity: RequestCapacity,
    /** By the path of the method; every method has rules. */
    private readonly rules: (path: string) => MessageRules,
    log: Log,
  ) {
    this.unauthenticated = new UnauthenticatedCallRate((connections, address) =>
      log.warn(
        { connections, address },
        'closed gRPC connections that made too many calls without a valid key',
      ),
    );
  }

  /** The interceptor next to the wire. */
  readonly intercept: ServerInterceptor = ({ path }, call) => {
    const { stream } = call as WireCall;
    const isHealth = path.startsWith(HEALTH_PATH);
    if (isHealth && !this.unauthenticated.took(stream)) return new ServerInterceptingCall(call);
    const message = new IncomingMessage(call, this.capacity, this.rules(path));
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, proceed) => {
            this.messages.set(metadata, message);
            proceed(metadata);
          },
          onCancel: () => message.canceled(),
        }),
      sendMetadata: (metadata, next) => {
        metadata.set('grpc-accept-encoding', ACCEPTED_ENCODINGS);
        next(metadata);
      },
      sendStatus: (status, next) => {
        const isUnauthenticated = !isHealth && message.caller === undefined;
        if (isUnauthenticated && status.code === codes.UNAUTHENTICATED)
          this.unauthenticated.took(stream);
        next(status);
        message.answered();
      },
    });
  };

  /** The caller is known: its message may come. */
  from(metadata: Metadata, caller: Principal): void {
    const message = this.messages.get(metadata)!;
    message.caller = caller;
    this.unauthenticated.known(message.stream);
  }

  /** The room of a message that has come, for whoever works on it to free. */
  takeReservation(metadata: Metadata): ByteReservation {
    return this.messages.get(metadata)!.handOver();
  }

  /** The stream beneath a call; undefined when the library shows none. */
  streamOf(metadata: Metadata): ServerHttp2Stream | undefined {
    return this.messages.get(metadata)?.stream;
  }
}

class IncomingMessage {
  caller: Principal | undefined;
  private reservation: ByteReservation = NO_RESERVATION;
  readonly stream: ServerHttp2Stream | undefined;
  private readonly unwatch: () => void;
  private prefix = Buffer.alloc(0);
  private received = 0;
  private pieces = 0;
  private length: number | undefined;
  private isWaiting = false;
  private isWhole = false;
  private isOver = false;
  private isHandedOver = false;

  constructor(
    private readonly call: ServerInterceptingCallInterface,
    private readonly capacity: RequestCapacity,
    private readonly rules: MessageRules,
  ) {
    const wire = call as WireCall;
    wire.incomingEncoding = NO_ENCODING;
    this.stream = wire.stream;
    this.stream?.on('data', (chunk: Buffer) => this.take(chunk));
    this.unwatch = capacity.uploads.watch({
      received: () => (this.isWaiting ? undefined : this.received),
      uncountedOf: () =>
        this.reservation === NO_RESERVATION && !this.isWaiting ? this.caller : undefined,
      stalled: (error) => this.refuse(error),
    });
  }

  /** A status has been given: a client that has not sent all of its message need not go on. */
  answered(): void {
    this.canceled();
    const { stream } = this;
    if (stream === undefined || this.isWhole || stream.destroyed) return;
    // The library would go on putting together what still comes.
    stream.removeAllListeners('data');
    const close = (): void => {
      if (!stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR);
    };
    setTimeout(close, CLOSE_MS).unref();
  }

  /** Nothing more is received. What works on the message by now has room until it has ended. */
  canceled(): void {
    this.isOver = true;
    this.unwatch();
    if (!this.isHandedOver) this.reservation.free();
  }

  handOver(): ByteReservation {
    this.isHandedOver = true;
    return this.reservation;
  }

  /** Called after the library has taken the same bytes. */
  private take(chunk: Buffer): void {
    if (this.isOver) return;
    this.received += chunk.length;
    if (this.length === undefined) this.readPrefix(chunk);
    if (this.length === undefined || this.isOver) return;
    if (this.received > PREFIX_BYTES) this.pieces += 1;
    if (tooSmallPieces(this.pieces, this.received)) {
      this.refuse(new HubError('INVALID_REQUEST', TOO_SMALL_PIECES));
      return;
    }
    const missing = PREFIX_BYTES + this.length - this.received;
    this.isWhole = missing === 0;
    if (missing < 0) this.refuse(new HubError('INVALID_REQUEST', 'A call has one message.'));
    else if (this.isWhole) this.unwatch();
  }

  private readPrefix(chunk: Buffer): void {
    this.prefix = Buffer.concat([this.prefix, chunk.subarray(0, PREFIX_BYTES)]);
    if (this.prefix.length < PREFIX_BYTES) return;
    this.length = this.prefix.readUInt32BE(1);
    if (this.prefix[0] !== 0) {
      this.refuseCompressed();
      return;
    }
    const { maxBytes } = this.rules;
    if (this.length > maxBytes) {
      const text = `A message of this method must be at most ${maxBytes} bytes.`;
      this.refuse(new HubError('PAYLOAD_TOO_LARGE', text));
      return;
    }
    void this.reserve(this.length);
  }

  private async reserve(bytes: number): Promise<void> {
    const { caller, stream } = this;
    if (bytes <= SMALL_BODY_BYTES || caller === undefined || stream === undefined) return;
    this.isWaiting = true;
    stream.pause();
    try {
      const reservation = await this.capacity.reserve(caller, bytes);
      if (this.isOver) return reservation.free();
      this.reservation = reservation;
      this.isWaiting = false;
      // The library itself reads no further when the message is whole.
      if (this.received < PREFIX_BYTES + this.length!) stream.resume();
    } catch (thrown) {
      this.refuse(thrown as HubError);
    }
  }

  private refuse(error: HubError): void {
    this.end(this.rules.statusOf(error));
  }

  private refuseCompressed(): void {
    const text = 'Messages must not be compressed: send them with grpc-encoding: identity.';
    const refusal = this.rules.statusOf(new HubError('UNSUPPORTED_MEDIA_TYPE', text));
    refusal.metadata?.set('grpc-accept-encoding', ACCEPTED_ENCODINGS);
    this.end({ ...refusal, code: codes.UNIMPLEMENTED, details: text });
  }

  private end(refusal: StatusObject): void {
    if (this.isOver) return;
    this.call.sendStatus(refusal);
    this.answered();
  }
}
