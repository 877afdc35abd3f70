import type { ServerWritableStream, StatusObject } from '@grpc/grpc-js';
import { Injectable } from '@nestjs/common';
import { Draining, stopping } from '../../common/draining.js';
import { HubError } from '../../common/hub-error.js';
import { AppConfig } from '../../config/index.js';
import type { Emit } from './grpc-service.js';
import { StreamWriter } from './stream-writer.js';

/** One stream to serve. */
export interface StreamTask {
  /**
   * Aborted when the reader is gone; by {@link GrpcStreams.serve} when it gives up on it. A HubError for
   * its reason is the status the stream ends with.
   */
  readonly gone: AbortController;
  readonly run: (emit: Emit) => Promise<void>;
  /** The status of a stream that failed. */
  readonly statusOf: (thrown: unknown) => StatusObject;
}

/** The gRPC streams of this process. A reader that leaves ends its stream, never its task. */
@Injectable()
export class GrpcStreams {
  /** Those that have shown something. */
  private readonly open = new Map<StreamWriter, StreamTask>();

  constructor(
    private readonly config: AppConfig,
    private readonly draining: Draining,
  ) {
    draining.signal.addEventListener('abort', () => {
      for (const [writer, { gone, statusOf }] of this.open) {
        writer.drop(statusOf(stopping()));
        gone.abort();
      }
    });
  }

  /**
   * Serves a stream until it ends, its reader leaves or the process drains; then, and when the reader
   * is too slow, it ends as UNAVAILABLE, which tells the reader to subscribe again. A stream that has
   * begun shows its first message even then: it names the task. Never rejects.
   */
  async serve(call: ServerWritableStream<Buffer, Buffer>, task: StreamTask): Promise<void> {
    const { gone, run, statusOf } = task;
    const writer = new StreamWriter(call, this.config.tasks.streamBufferBytes, () =>
      statusOf(new HubError('UNAVAILABLE', 'The reader is too slow; subscribe again.')),
    );
    const emit: Emit = async (message) => {
      this.open.set(writer, task);
      writer.write(message);
      if (this.draining.signal.aborted) writer.end(statusOf(stopping()));
      await writer.ready();
      return !writer.closed;
    };
    gone.signal.addEventListener('abort', () => {
      const { reason } = gone.signal as { readonly reason: unknown };
      if (reason instanceof HubError) writer.drop(statusOf(reason));
    });
    try {
      await run(emit);
      writer.end();
    } catch (thrown) {
      writer.end(statusOf(thrown));
    } finally {
      this.open.delete(writer);
      gone.abort();
    }
  }
}
