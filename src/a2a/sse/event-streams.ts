import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Draining, stopping } from '../../common/draining.js';
import { HubError, hubErrorOf } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';
import type { EventSource } from './event-source.js';
import { EventWriter } from './event-writer.js';

interface OpenStream {
  readonly source: EventSource;
  readonly gone: AbortController;
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
      for (const [writer, { source, gone }] of this.open) {
        interrupt(writer, source, stopping());
        gone.abort();
      }
    });
  }

  /**
   * Writes the stream until it ends, its reader leaves (the door aborts `gone`) or the process drains;
   * then its last event is UNAVAILABLE, and the reader resumes by Last-Event-ID at another process. A
   * HubError that `gone` is aborted with is the last event, too.
   * Rejects, with nothing written, when the first item does: a stream that is refused is answered as
   * plain JSON. `headers` are asked for when the first item is there.
   */
  async serve(
    reply: FastifyReply,
    source: EventSource,
    gone: AbortController,
    headers: () => Readonly<Record<string, string>> = () => ({}),
  ): Promise<void> {
    const first = await source.items.next();
    reply.hijack();
    const { heartbeatMs, streamBufferBytes } = this.config.tasks;
    const writer = new EventWriter(reply.raw, { heartbeatMs, bufferBytes: streamBufferBytes });
    this.open.set(writer, { source, gone });
    gone.signal.addEventListener('abort', () => {
      const { reason } = gone.signal as { readonly reason: unknown };
      if (reason instanceof HubError) interrupt(writer, source, reason);
    });
    try {
      writer.open(headers());
      await this.pump(writer, source, first);
    } finally {
      writer.end();
      this.open.delete(writer);
      gone.abort();
      await source.items.return();
    }
  }

  private async pump(
    writer: EventWriter,
    source: EventSource,
    first: IteratorResult<unknown, void>,
  ): Promise<void> {
    try {
      for (let result = first; !result.done; result = await source.items.next()) {
        const { seq, text } = source.render(result.value);
        writer.event(seq, text);
        await writer.ready();
        if (this.draining.signal.aborted) interrupt(writer, source, stopping());
        if (writer.closed) return;
      }
    } catch (thrown) {
      if (hubErrorOf(thrown).reason === 'INTERNAL')
        this.log.error({ err: thrown }, 'stream failed');
      writer.failure(source.failureEvent, source.failure(thrown));
    }
  }
}

/** Ends a stream whose task goes on. */
function interrupt(writer: EventWriter, source: EventSource, why: HubError): void {
  writer.failure(source.failureEvent, source.failure(why));
  writer.end();
}
