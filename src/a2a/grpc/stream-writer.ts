import type { ServerWritableStream, StatusObject } from '@grpc/grpc-js';
import type { ServerHttp2Stream } from 'node:http2';
import { Outbox } from '../outbox.js';
import { MAX_SEND_BYTES, piecesOf } from './large-answer.js';

/** A call, and the stream beneath it where the library shows that: what is not small leaves on it in pieces. */
interface WritableCall {
  readonly call: ServerWritableStream<Buffer, Buffer>;
  readonly stream: ServerHttp2Stream | undefined;
}

/** Writes the messages of one stream. A reader that leaves too much unread is dropped with a status. */
export class StreamWriter {
  private readonly outbox: Outbox<Buffer>;
  private ended = false;

  private readonly call: ServerWritableStream<Buffer, Buffer>;

  constructor(
    private readonly target: WritableCall,
    bufferBytes: number,
    dropped: () => StatusObject,
  ) {
    const { call, stream } = target;
    this.call = call;
    this.outbox = new Outbox(
      {
        closed: () => this.closed,
        write: (messages, left) => this.send(messages, left),
        // The library refuses what is larger.
        piecesOf: (message) =>
          stream === undefined || message.length > MAX_SEND_BYTES ? undefined : piecesOf(message),
        writePiece: (piece, left) => this.sendPiece(piece, left),
        overflow: () => this.drop(dropped()),
      },
      bufferBytes,
    );
    call.once('cancelled', () => this.outbox.release());
  }

  /** True when the reader is gone, was dropped, or the stream has been ended. */
  get closed(): boolean {
    return this.ended || this.call.cancelled;
  }

  write(message: Buffer): void {
    if (!this.closed) this.outbox.push(message, message.length);
  }

  /** See {@link Outbox.ready}. */
  ready(): Promise<void> | undefined {
    return this.outbox.ready();
  }

  /** See {@link Outbox.drained}. */
  drained(): Promise<void> {
    return this.outbox.drained();
  }

  /** See {@link Outbox.underWay}. */
  get underWay(): number | undefined {
    return this.outbox.underWay;
  }

  /** Ends the stream after what has been written, with an error if there is one. */
  end(failure?: StatusObject): void {
    if (this.closed) return;
    this.ended = true;
    const { pieces, chunks } = this.outbox.take();
    for (const piece of pieces) this.sendPiece(piece);
    this.send(chunks);
    if (failure === undefined) this.call.end();
    // What the library takes the status of a stream from; it ends the stream too.
    else this.call.emit('error', failure);
    this.outbox.release();
  }

  /** Ends the stream with an error; what still waits is not sent, but for the rest of a message that is under way. */
  drop(failure: StatusObject): void {
    if (this.closed) return;
    const { pieces } = this.outbox.take();
    for (const piece of pieces) this.sendPiece(piece);
    this.end(failure);
  }

  private sendPiece(piece: Buffer, left?: () => void): void {
    const { stream } = this.target;
    if (stream === undefined || stream.destroyed || stream.writableEnded) return;
    stream.write(piece, left);
  }

  private send(messages: readonly Buffer[], left: () => void = () => undefined): void {
    messages.forEach((message, index) => {
      this.call.write(message, index === messages.length - 1 ? left : undefined);
    });
  }
}
