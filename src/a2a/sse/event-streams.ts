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
  private readonly open = new Set<EventWriter>();

  constructor(
    private readonly config: AppConfig,
    private readonly draining: Draining,
    private readonly log: Log,
  ) {
    draining.signal.addEventListener('abort', () => {
      // Readers resume by Last-Event-ID, here or at another process.
      for (const writer of this.open) writer.end();
    });
  }

  /** How many readers there are. */
  get size(): number {
    return this.open.size;
  }

  /**
   * Writes the stream until it ends, its reader leaves or the process drains. Rejects, with nothing
   * written, when the first item does: a stream that is refused is answered as plain JSON.
   */
  async serve(
    reply: FastifyReply,
    source: EventSource,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const first = await source.items.next();
    reply.hijack();
    const writer = new EventWriter(
      reply.raw,
      {
        heartbeatMs: this.config.tasks.heartbeatMs,
        bufferBytes: this.config.tasks.streamBufferBytes,
      },
      () => void this.leave(source),
    );
    this.open.add(writer);
    try {
      writer.open(headers);
      await this.pump(writer, source, first);
    } finally {
      writer.end();
      this.open.delete(writer);
      await this.leave(source);
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
      if (hubErrorOf(thrown).reason === 'INTERNAL') this.log.error({ err: thrown }, 'stream failed');
      writer.event(undefined, source.failure(thrown));
    }
  }

  private async leave(source: EventSource): Promise<void> {
    try {
      await source.items.return();
    } catch {
      // Nobody is left to be told.
    }
  }
}
