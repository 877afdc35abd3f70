import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { refuseEnded } from '../../auth/index.js';
import { type CallNote, noteFailure } from '../../common/call-note.js';
import { Draining, stopping } from '../../common/draining.js';
import { faultOf, HubError, hubErrorOf } from '../../common/hub-error.js';
import { blocksOf, lengthOf } from '../../common/json-text.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';
import type { AnswerReservation, Reader } from '../limits/answer-budget.js';
import { largeFrom, passItem } from '../limits/large-items.js';
import type { EventSource, RenderedItem } from './event-source.js';
import { EventWriter } from './event-writer.js';

/** Milliseconds a stream may be without an item until it is opened. */
const QUIET_MS = 2000;

/** How a stream is served. */
export interface ServedStream {
  readonly gone: AbortController;
  /** What is large of it counts here. */
  readonly reservation: AnswerReservation;
  readonly reader: Reader;
  /** Asked for when the stream opens; default: none. */
  readonly headers: () => Readonly<Record<string, string>>;
}

interface OpenStream extends ServedStream {
  readonly source: EventSource;
  readonly note: CallNote | undefined;
}

/** The open event streams of this process. A reader that leaves ends its stream, never its task. */
@Injectable()
export class EventStreams {
  private readonly open = new Map<EventWriter, OpenStream>();

  constructor(
    private readonly config: AppConfig,
    private readonly draining: Draining,
    private readonly log: Log,
  ) {
    draining.signal.addEventListener('abort', () => {
      for (const [writer, stream] of this.open) {
        interrupt(writer, stream, stopping());
        stream.gone.abort();
      }
    });
  }

  /**
   * Writes the stream until it ends, its reader leaves (the binding aborts `gone`) or the process drains;
   * then its last event is UNAVAILABLE, and the reader resumes by Last-Event-ID at another process. A
   * HubError that `gone` is aborted with is the last event, too.
   * Rejects, with nothing written, when the first item does within {@link QUIET_MS}, or when `gone` is
   * aborted with a HubError in that time: a stream that is refused is answered as plain JSON. `headers` are asked for when the stream opens: with the first item,
   * or after that time, so that the reader of a task that is silent knows that it is connected. A reader that takes nothing of
   * what is under way to it in a minute is cut off.
   */
  async serve(reply: FastifyReply, source: EventSource, served: ServedStream): Promise<void> {
    const { gone, reservation, reader, headers } = served;
    const first = source.items.next();
    const isQuiet = await isPendingAfter(QUIET_MS, first);
    try {
      refuseEnded(gone.signal);
    } catch (ended) {
      void source.items.return();
      throw ended;
    }
    reply.hijack();
    const { heartbeatMs, streamBufferBytes } = this.config.tasks;
    const writer = new EventWriter(reply.raw, { heartbeatMs, bufferBytes: streamBufferBytes });
    const stream = { ...served, source, note: reply.request.note };
    this.open.set(writer, stream);
    const unwatch = reservation.watch(() => writer.underWay, reader);
    gone.signal.addEventListener('abort', () => {
      const { reason } = gone.signal as { readonly reason: unknown };
      if (reason instanceof HubError) interrupt(writer, stream, reason);
    });
    try {
      if (isQuiet) writer.openAlone(headers());
      else writer.open(headers());
      await this.pump(writer, stream, first);
    } finally {
      unwatch();
      writer.end();
      this.open.delete(writer);
      gone.abort();
      await source.items.return();
    }
  }

  private async pump(
    writer: EventWriter,
    stream: OpenStream,
    first: Promise<IteratorResult<unknown, void>>,
  ): Promise<void> {
    const { source } = stream;
    let isFirst = true;
    try {
      for (let result = await first; !result.done; result = await source.items.next()) {
        const rendered = source.render(result.value);
        const { seq } = rendered;
        if (isSmall(rendered, isFirst)) {
          writer.event(seq, rendered.text);
          const ready = writer.ready();
          if (ready !== undefined) await ready;
          if (this.draining.signal.aborted) interrupt(writer, stream, stopping());
        } else {
          await this.pass(writer, stream, rendered, isFirst);
        }
        if (writer.closed) return;
        isFirst = false;
      }
    } catch (thrown) {
      const err = faultOf(hubErrorOf(thrown));
      if (err !== undefined) this.log.error({ err }, 'stream failed');
      fail(writer, stream, thrown);
    }
  }

  /** Writes an item that may be large, which counts until its reader has taken it. */
  private async pass(
    writer: EventWriter,
    stream: OpenStream,
    rendered: RenderedItem,
    isFirst: boolean,
  ): Promise<void> {
    const { seq, text: pending } = rendered;
    rendered.text = '';
    const text = await pending;
    const blocks = typeof text === 'string' ? await blocksOf(text) : text;
    const size = { bytes: lengthOf(blocks), isFirst };
    await passItem(writer, stream.reservation, size, () => {
      writer.longEvent(seq, blocks);
      if (this.draining.signal.aborted) interrupt(writer, stream, stopping());
    });
  }
}

/** Whether it is handed over at once, and counts nowhere. */
function isSmall(rendered: RenderedItem, isFirst: boolean): rendered is SmallItem {
  const { text } = rendered;
  return typeof text === 'string' && text.length <= largeFrom(isFirst);
}

type SmallItem = RenderedItem & { readonly text: string };

/** Resolves as soon as it is known; rejects when the promise does within that time. */
async function isPendingAfter(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), ms);
  });
  try {
    return await Promise.race([promise.then(() => false), over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a stream whose task goes on. */
function interrupt(writer: EventWriter, stream: OpenStream, why: HubError): void {
  fail(writer, stream, why);
  writer.end();
}

/** The last event tells why; so does the log, where the status is still 200. */
function fail(writer: EventWriter, { source, note }: OpenStream, why: unknown): void {
  noteFailure(note, why);
  writer.failure(source.failureEvent, source.failure(why));
}
