import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';

/** In each of these spans some of a body must come. */
const SPAN_MS = 10_000;
/** So much at least, or the rest. */
const MIN_BYTES = 64 * 1024;

/** A body that makes no progress. */
export class StalledBody extends HubError {
  constructor() {
    const least = `${MIN_BYTES} bytes in ${SPAN_MS / 1000} s are the least`;
    super('INVALID_REQUEST', `The body came too slowly: ${least}.`);
  }
}

/** A body that is on its way. */
export interface Upload {
  /** Bytes that have come; undefined while the hub itself does not read on. */
  received(): number | undefined;
  /** Ends it: it makes no progress. */
  stalled(error: StalledBody): void;
}

/** Ends bodies that make no progress: 64 KiB in ten seconds, or whole by then. */
@Injectable()
export class Uploads implements OnModuleDestroy {
  private readonly open = new Map<Upload, number>();
  private timer: NodeJS.Timeout | undefined;

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Looks after one until the function that is given back is called. */
  watch(upload: Upload): () => void {
    // Looked at for the first time after one span at least.
    this.open.set(upload, -MIN_BYTES);
    this.timer ??= setInterval(() => this.look(), SPAN_MS).unref();
    return () => this.open.delete(upload);
  }

  /** Looks at all of them once; by itself every ten seconds. */
  look(): void {
    for (const [upload, before] of this.open) {
      const received = upload.received();
      if (received === undefined || received - before >= MIN_BYTES) {
        this.open.set(upload, Math.max(received ?? before, 0));
        continue;
      }
      this.open.delete(upload);
      upload.stalled(new StalledBody());
    }
    if (this.open.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
