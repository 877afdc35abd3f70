import type { ServerWritableStream, StatusObject } from '@grpc/grpc-js';
import { Outbox } from '../outbox.js';

/** Writes the messages of one stream. A reader that leaves too much unread is dropped with a status. */
export class StreamWriter {
  private readonly outbox: Outbox<Buffer>;
  private ended = false;

  constructor(
    private readonly call: ServerWritableStream<Buffer, Buffer>,
    bufferBytes: number,
    dropped: () => StatusObject,
  ) {
    this.outbox = new Outbox(
      {
        closed: () => this.closed,
        write: (messages, left) => this.send(messages, left),
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

  /** Ends the stream after what has been written, with an error if there is one. */
  end(failure?: StatusObject): void {
    if (this.closed) return;
    this.ended = true;
    this.send(this.outbox.take());
    if (failure === undefined) this.call.end();
    // What the library takes the status of a stream from; it ends the stream too.
    else this.call.emit('error', failure);
    this.outbox.release();
  }

  /** Ends the stream with an error; what still waits is not sent. */
  drop(failure: StatusObject): void {
    this.outbox.take();
    this.end(failure);
  }

  private send(messages: readonly Buffer[], left: () => void = () => undefined): void {
    messages.forEach((message, index) => {
      this.call.write(message, index === messages.length - 1 ? left : undefined);
    });
  }
}
