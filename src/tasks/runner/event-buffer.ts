import { setImmediate as nextTurn } from 'node:timers/promises';
import { sizeOf } from '../../common/long-work.js';
import type { StreamResponse } from '../../protocol/a2a.js';

/** Events held at most before the agent has to wait. */
const MAX_BUFFERED = 256;
/** Characters and bytes held at most, give or take one event; from so many on they are stored before more is read. */
const MAX_BUFFERED_SIZE = 1024 * 1024;

/** How many turns of the event loop a stream has to close after its end before that is stored without. */
const CLOSING_TURNS = 2;

/** What has come since the last look, and how the stream ended if it has. */
export interface Taken {
  readonly events: readonly StreamResponse[];
  readonly end: { readonly error: unknown } | undefined;
}

/**
 * Reads an agent's stream ahead, so that what comes while the last events are being committed becomes
 * one commit. Holds a bounded number of events and bytes; a faster agent waits.
 */
export class EventBuffer {
  private buffer: StreamResponse[] = [];
  private size = 0;
  private end: Taken['end'];
  private wakeTaker: (() => void) | undefined;
  private wakeReader: (() => void) | undefined;
  private closed = false;
  private readonly reading: Promise<void>;

  constructor(source: AsyncIterable<StreamResponse>) {
    this.reading = this.read(source);
  }

  /** Resolves with at least one event, with the end, or with nothing after {@link nudge}. */
  async take(): Promise<Taken> {
    // Who takes again has stored what was taken last.
    if (this.buffer.length === 0) this.wakeReader?.();
    if (this.buffer.length === 0 && !this.end) {
      await new Promise<void>((resolve) => (this.wakeTaker = resolve));
    }
    // What arrived in the same piece of the socket is parsed in this turn: take it along.
    if (!this.end) await nextTurn();
    const { buffer: events, size } = this;
    this.buffer = [];
    this.size = 0;
    if (size < MAX_BUFFERED_SIZE) this.wakeReader?.();
    return { events, end: this.end };
  }

  /** What comes in the same moment as what was taken, if anything: most agents close right after the last event. */
  async takeAlong(): Promise<Taken> {
    for (let turn = 0; turn < CLOSING_TURNS && !this.end; turn++) await nextTurn();
    const { buffer: events } = this;
    this.buffer = [];
    this.size = 0;
    return { events, end: this.end };
  }

  /** Whoever takes goes on without an event. */
  nudge(): void {
    this.wakeTaker?.();
  }

  /** Resolves when the stream has ended by itself; what it still brings is dropped. */
  async drain(): Promise<void> {
    while (!this.end) await this.take();
    await this.reading;
  }

  /** Nobody takes any more: the source is told to end, also where it waits for the taker. */
  close(): void {
    this.closed = true;
    this.wakeReader?.();
  }

  private async read(source: AsyncIterable<StreamResponse>): Promise<void> {
    try {
      for await (const event of source) {
        if (this.closed) break;
        this.buffer.push(event);
        this.size += sizeOf(event);
        this.wakeTaker?.();
        if (this.buffer.length >= MAX_BUFFERED || this.size >= MAX_BUFFERED_SIZE) {
          await new Promise<void>((resolve) => (this.wakeReader = resolve));
        }
        if (this.closed) break;
      }
      this.end = { error: undefined };
    } catch (error) {
      this.end = { error };
    }
    this.wakeTaker?.();
  }
}
