import type { ServerResponse } from 'node:http';
import type { HubError } from '../hub-error.js';
import { onceClosed } from './once-closed.js';
import { problemOf } from './problem.js';

export interface EventFeedOptions {
  /** The pause after which a silent feed gets a comment; 0 for none. */
  readonly heartbeatMs: number;
  /** A reader that leaves more than this unread is dropped. */
  readonly bufferBytes: number;
}

/** A reader of large events that takes nothing for so long is gone. */
const STALLED_MS = 60_000;

/** The header fields of such a feed. */
export const FEED_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

/**
 * A feed of Server-Sent Events for programs of operators, on a raw HTTP answer: few readers, small
 * events, no end of its own.
 */
export class EventFeed {
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly raw: ServerResponse,
    private readonly options: EventFeedOptions,
  ) {}

  /** Begins the answer, and says how often a silent feed gets a comment, so that a reader knows when it is cut. */
  open(): void {
    const { heartbeatMs } = this.options;
    this.raw.writeHead(200, FEED_HEADERS);
    this.raw.flushHeaders();
    this.write(`: heartbeat every ${heartbeatMs} ms\n\n`);
    if (heartbeatMs === 0) return;
    this.heartbeat = setInterval(() => this.write(': heartbeat\n\n'), heartbeatMs).unref();
    onceClosed(this.raw, () => clearInterval(this.heartbeat));
  }

  /** Calls `act` once, when the reader has left or the feed has ended; at once when that was before. */
  onceClosed(act: () => void): void {
    onceClosed(this.raw, act);
  }

  send(event: { readonly id: string; readonly event: string; readonly data: unknown }): void {
    this.sendText({ ...event, data: JSON.stringify(event.data) });
  }

  /** The same, with data that is JSON in one line already. */
  sendText(event: { readonly id: string; readonly event: string; readonly data: string }): void {
    const { id, event: name, data } = event;
    this.write(`id: ${id}\nevent: ${name}\ndata: ${data}\n\n`);
    this.heartbeat?.refresh();
  }

  /**
   * Resolves when the reader has taken what was sent, or has gone: so that what is large does not wait in memory. One that takes
   * nothing for a minute is dropped.
   */
  async taken(): Promise<void> {
    const { raw } = this;
    if (!raw.writableNeedDrain) return;
    const stalled = setTimeout(() => raw.destroy(), STALLED_MS).unref();
    let forget: (() => void) | undefined;
    await new Promise<void>((resolve) => {
      raw.once('drain', resolve);
      forget = onceClosed(raw, resolve);
    });
    // A feed waits thousands of times.
    forget?.();
    clearTimeout(stalled);
  }

  end(): void {
    this.raw.end();
  }

  /** Ends the feed with an event `error` that tells why. */
  fail(error: HubError): void {
    this.write(`event: error\ndata: ${JSON.stringify(problemOf(error))}\n\n`);
    this.end();
  }

  private write(text: string): void {
    if (this.raw.destroyed || this.raw.writableEnded) return;
    this.raw.write(text);
    if (this.raw.writableLength > this.options.bufferBytes) this.raw.destroy();
  }
}
