import { setImmediate as nextTurn } from 'node:timers/promises';
import { sizeOf } from '../../common/long-work.js';
import type { StreamResponse } from '../../protocol/a2a.js';
import type { ChunkTurns } from './chunk-turns.js';

/** Events buffered at most before the agent has to wait. */
const MAX_BUFFERED = 256;
/**
 * Characters and bytes buffered at most, give or take one event; from so many on they are stored before more is read.
 * What many streams have here at once is what each collection of garbage copies.
 */
const MAX_BUFFERED_SIZE = 256 * 1024;

/** For so many turns of the event loop the closing of a stream is awaited before its end is stored without it. */
const CLOSING_TURNS = 2;

/** The events since the last read, and how the stream ended if it has. */
export interface EventBatch {
  readonly events: readonly StreamResponse[];
  readonly end: { readonly error: unknown } | undefined;
}

/**
 * Reads an agent's stream ahead, so that what comes while the last events are being committed becomes
 * one commit. It is bounded in events and bytes; a faster agent waits. Chunks wait for their turn; the first event
 * of a stream, what is no chunk, and the end do not.
 */
export class EventBuffer {
  private buffer: StreamResponse[] = [];
  private size = 0;
  private end: EventBatch['end'];
  private wakeConsumer: (() => void) | undefined;
  private wakeReader: (() => void) | undefined;
  /** Ends the wait of chunks for their turn. */
  private hurry: (() => void) | undefined;
  /** Among what has come is something that waits for no turn. */
  private isPressing = true;
  private closed = false;
  private readonly reading: Promise<void>;

  constructor(
    source: AsyncIterable<StreamResponse>,
    private readonly turns: Pick<ChunkTurns, 'wait'>,
  ) {
    this.reading = this.read(source);
  }

  /** Resolves with at least one event, with the end, or with nothing after {@link wake}. */
  async next(): Promise<EventBatch> {
    // The consumer that reads again has stored the batch before.
    if (this.buffer.length === 0) this.wakeReader?.();
    if (this.buffer.length === 0 && !this.end) {
      await new Promise<void>((resolve) => (this.wakeConsumer = resolve));
    }
    if (!this.end && !this.isPressing) await this.turn();
    // What arrived in the same chunk of the socket is parsed in this turn of the event loop: it joins the batch.
    if (!this.end && this.isPressing) await nextTurn();
    this.isPressing = false;
    const { buffer: events, size } = this;
    this.buffer = [];
    this.size = 0;
    if (size < MAX_BUFFERED_SIZE) this.wakeReader?.();
    return { events, end: this.end };
  }

  /** What comes right after the last batch, if anything: most agents close right after the last event. */
  async drainReady(): Promise<EventBatch> {
    for (let turn = 0; turn < CLOSING_TURNS && !this.end; turn++) await nextTurn();
    const { buffer: events } = this;
    this.buffer = [];
    this.size = 0;
    return { events, end: this.end };
  }

  /** The present read returns, without an event where there is none. */
  wake(): void {
    this.isPressing = true;
    this.wakeConsumer?.();
    this.hurry?.();
  }

  /** Resolves when the stream has ended by itself; what it still brings is dropped. */
  async untilEnd(): Promise<void> {
    while (!this.end) await this.next();
    await this.reading;
  }

  /** Nothing is read any more: the source ends, also where it waits for the consumer. */
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
        if (event.payload?.$case === 'artifactUpdate') this.wakeConsumer?.();
        else this.wake();
        if (this.buffer.length >= MAX_BUFFERED || this.size >= MAX_BUFFERED_SIZE) {
          await new Promise<void>((resolve) => (this.wakeReader = resolve));
        }
        if (this.closed) break;
      }
      this.end = { error: undefined };
    } catch (error) {
      this.end = { error };
    }
    this.wake();
  }

  private turn(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.hurry = resolve;
      this.turns.wait(resolve);
    });
  }
}
