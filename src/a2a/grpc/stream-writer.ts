import type { ServerWritableStream, StatusObject } from '@grpc/grpc-js';

/** How long a reader that is behind may take before the next message is queued on top. */
const CATCH_UP_MS = 250;

/**
 * Writes the messages of one stream. One write is under way at a time; what comes meanwhile waits here.
 * A reader that leaves more than `bufferBytes` unread is dropped: its stream ends with `dropped`.
 */
export class StreamWriter {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private writing = false;
  private ended = false;
  private wake: (() => void) | undefined;

  constructor(
    private readonly call: ServerWritableStream<Buffer, Buffer>,
    private readonly bufferBytes: number,
    private readonly dropped: () => StatusObject,
  ) {
    call.once('cancelled', () => this.wake?.());
  }

  /** True when the reader is gone, was dropped, or the stream has been ended. */
  get closed(): boolean {
    return this.ended || this.call.cancelled;
  }

  write(message: Buffer): void {
    if (this.closed) return;
    if (!this.writing) return this.flush(message);
    this.waiting.push(message);
    this.waitingBytes += message.length;
    if (this.waitingBytes > this.bufferBytes) this.drop(this.dropped());
  }

  /**
   * Resolves when the next message may come: at once for a reader that keeps up, else when it has
   * caught up or after a short pause.
   */
  async ready(): Promise<void> {
    if (!this.writing || this.closed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, CATCH_UP_MS);
      this.wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }

  /** Ends the stream after what has been written, with an error if there is one. */
  end(failure?: StatusObject): void {
    if (this.closed) return;
    this.ended = true;
    for (const message of this.waiting) this.call.write(message);
    this.waiting = [];
    if (failure === undefined) this.call.end();
    // What the library takes the status of a stream from; it ends the stream too.
    else this.call.emit('error', failure);
    this.wake?.();
  }

  /** Ends the stream with an error; what still waits is not sent. */
  drop(failure: StatusObject): void {
    this.waiting = [];
    this.end(failure);
  }

  private flush(message: Buffer): void {
    this.writing = true;
    this.call.write(message, () => {
      this.writing = false;
      const next = this.waiting.shift();
      if (next === undefined || this.closed) return this.wake?.();
      this.waitingBytes -= next.length;
      this.flush(next);
    });
  }
}
