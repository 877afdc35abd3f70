import type { ServerResponse } from 'node:http';

export interface EventWriterOptions {
  /** The pause after which a silent stream gets a comment; 0 for none. */
  readonly heartbeatMs: number;
  /** A reader that leaves more than this unread is dropped. */
  readonly bufferBytes: number;
}

/** How long a reader that is behind may take before the next event is queued on top. */
const CATCH_UP_MS = 250;
const HEARTBEAT = ': heartbeat\n\n';

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Writes Server-Sent Events on a raw HTTP answer. One write is under way at a time; what comes
 * meanwhile waits here, up to a limit. Memory of a reader is bounded by that limit and one event.
 */
export class EventWriter {
  private waiting: string[] = [];
  private waitingBytes = 0;
  private writing = false;
  private ending = false;
  private heartbeat: NodeJS.Timeout | undefined;
  private wake: (() => void) | undefined;

  constructor(
    private readonly raw: ServerResponse,
    private readonly options: EventWriterOptions,
  ) {
    raw.once('close', () => this.stop());
  }

  /** True when the reader is gone, was dropped, or the stream has been ended. */
  get closed(): boolean {
    return this.ending || this.raw.destroyed || this.raw.writableEnded;
  }

  /** Begins the answer; the headers leave with the first event, in one packet. */
  open(headers: Readonly<Record<string, string>>): void {
    if (this.closed) return;
    this.raw.writeHead(200, { ...HEADERS, ...headers });
    const { heartbeatMs } = this.options;
    if (heartbeatMs > 0) {
      this.heartbeat = setInterval(() => this.beat(), heartbeatMs).unref();
    }
  }

  /** Sends one event: `id:` when it has a seq, then its text on one `data:` line. */
  event(seq: number | undefined, text: string): void {
    this.write(seq === undefined ? `data: ${text}\n\n` : `id: ${seq}\ndata: ${text}\n\n`);
  }

  /** Sends what ends a stream that broke: `event:` when it has a name of its own, then its text. */
  failure(name: string | undefined, text: string): void {
    this.write(name === undefined ? `data: ${text}\n\n` : `event: ${name}\ndata: ${text}\n\n`);
  }

  /**
   * Resolves when the next event may come: at once for a reader that keeps up, else when it has
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

  /** Ends the stream after what has been written. */
  end(): void {
    if (this.closed) return;
    this.ending = true;
    this.stop();
    if (this.waiting.length > 0) this.raw.write(this.waiting.join(''));
    this.raw.end();
  }

  private write(text: string): void {
    if (this.closed) return;
    this.heartbeat?.refresh();
    if (!this.writing) return this.flush(text);
    this.waiting.push(text);
    this.waitingBytes += Buffer.byteLength(text);
    if (this.waitingBytes > this.options.bufferBytes) this.raw.destroy();
  }

  private flush(text: string): void {
    this.writing = true;
    this.raw.write(text, () => {
      this.writing = false;
      if (this.waiting.length > 0 && !this.closed) {
        const next = this.waiting.join('');
        this.waiting = [];
        this.waitingBytes = 0;
        this.flush(next);
      } else {
        this.wake?.();
      }
    });
  }

  private beat(): void {
    // A reader with events to read needs no sign of life.
    if (!this.writing) this.write(HEARTBEAT);
  }

  private stop(): void {
    clearInterval(this.heartbeat);
    this.wake?.();
  }
}
