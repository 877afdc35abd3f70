import type { ServerWritableStream, StatusObject } from '@grpc/grpc-js';
import { Injectable } from '@nestjs/common';
import type { ServerHttp2Stream } from 'node:http2';
import { Draining, stopping } from '../../common/draining.js';
import { HubError } from '../../common/hub-error.js';
import { AppConfig } from '../../config/index.js';
import type { AnswerReservation } from '../limits/answer-budget.js';
import { largeFrom, passItem } from '../limits/large-items.js';
import type { Emit } from './grpc-service.js';
import { readerOf } from './large-answer.js';
import { StreamWriter } from './stream-writer.js';

/** One stream to serve. */
export interface StreamTask {
  /**
   * Aborted when the reader is gone; by {@link GrpcStreams.serve} when it gives up on it. A HubError for
   * its reason is the status the stream ends with.
   */
  readonly gone: AbortController;
  /** What is large of it counts here. */
  readonly reservation: AnswerReservation;
  /** The stream beneath the call, where the library shows it. */
  readonly stream: ServerHttp2Stream | undefined;
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
   * is too slow, it ends as UNAVAILABLE, which tells the reader to subscribe again; that of a reader that takes nothing of what is
   * under way to it in a minute is cut. A stream that has
   * begun shows its first message even then: it names the task. Never rejects.
   */
  async serve(call: ServerWritableStream<Buffer, Buffer>, task: StreamTask): Promise<void> {
    const { gone, run, statusOf, reservation, stream } = task;
    const bufferBytes = this.config.tasks.streamBufferBytes;
    const writer = new StreamWriter({ call, stream }, bufferBytes, () =>
      statusOf(new HubError('UNAVAILABLE', 'The reader is too slow; subscribe again.')),
    );
    const unwatch = stream && reservation.watch(() => writer.underWay, readerOf(stream));
    let isFirst = true;
    const emit: Emit = async (message) => {
      const size = { bytes: message.length, isFirst };
      isFirst = false;
      const write = (): void => {
        this.open.set(writer, task);
        writer.write(message);
        if (this.draining.signal.aborted) writer.end(statusOf(stopping()));
      };
      if (size.bytes <= largeFrom(size.isFirst)) write();
      else await passItem(writer, reservation, size, write);
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
      unwatch?.();
      this.open.delete(writer);
      gone.abort();
    }
  }
}
