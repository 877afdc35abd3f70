import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Draining } from '../../common/draining.js';
import { hubErrorOf } from '../../common/http/problem.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';
import type { EventSource } from './event-source.js';
import { EventWriter } from './event-writer.js';

/** The open event streams of this process. A reader that leaves ends its stream, never its task. */
@Injectable()
export class EventStreams {
  private readonly open = new Map<EventWriter, AbortController>();

  constructor(
    private readonly config: AppConfig,
    private readonly draining: Draining,
    private readonly log: Log,
  ) {
    draining.signal.addEventListener('abort', () => {
      // Readers resume by Last-Event-ID, here or at another process.
      for (const [writer, gone] of this.open) {
        writer.end();
        gone.abort();
      }
    });
  }

  /**
   * Writes the stream until it ends, its reader leaves (the door aborts `gone`) or the process drains.
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
    this.open.set(writer, gone);
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
        if (writer.closed || this.draining.signal.aborted) return;
      }
    } catch (thrown) {
      if (hubErrorOf(thrown).reason === 'INTERNAL')
        this.log.error({ err: thrown }, 'stream failed');
      writer.failure(source.failureEvent, source.failure(thrown));
    }
  }
}
