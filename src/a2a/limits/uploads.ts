import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';

/** In each of these spans some of a body must come. */
const SPAN_MS = 10_000;
/** So much at least, or the rest. */
const MIN_BYTES = 64 * 1024;

/** How often small bodies are counted; those that are still coming then were counted once before. */
const COUNT_MS = 1000;
/** Small bodies that may still be coming, of one principal and of all. */
const MAX_UNCOUNTED_OF_ONE = 1000;
const MAX_UNCOUNTED = 5000;

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
  /** Whose it is, while it has no room of its own. */
  uncountedOf?(): Principal | undefined;
  /** Ends it: it makes no progress, or too many are coming. */
  stalled(error: HubError): void;
}

interface Progress {
  /** What had come when it was looked at. */
  before: number;
  wasComing: boolean;
}

/**
 * Ends bodies that make no progress: 64 KiB in ten seconds, or whole by then. Of small ones, which have no room
 * of their own, only so many may be coming for longer than a second; what comes at once is not counted.
 */
@Injectable()
export class Uploads implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly open = new Map<Upload, Progress>();
  private readonly jobs: readonly BackgroundJob[];

  constructor(clock: Clock, log: Log) {
    const failure = 'request bodies being received could not be checked';
    this.jobs = [
      { name: 'stalled bodies', failure, everyMs: SPAN_MS, run: () => this.look() },
      { name: 'small bodies', failure, everyMs: COUNT_MS, run: () => this.count() },
    ].map((rules) => new BackgroundJob(rules, clock, log));
  }

  onApplicationBootstrap(): void {
    for (const job of this.jobs) job.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.jobs.map((job) => job.stop()));
  }

  /** Looks after one until the function that is given back is called. */
  watch(upload: Upload): () => void {
    // Looked at for the first time after one span at least.
    this.open.set(upload, { before: -MIN_BYTES, wasComing: false });
    return () => this.open.delete(upload);
  }

  /** Looks at all of them once; by itself every ten seconds. */
  look(): void {
    for (const [upload, progress] of this.open) {
      const received = upload.received();
      if (received === undefined || received - progress.before >= MIN_BYTES) {
        progress.before = Math.max(received ?? progress.before, 0);
        continue;
      }
      this.end(upload, new StalledBody());
    }
  }

  /** Counts the small ones that are still coming and ends the latest that are too many; by itself every second. */
  count(): void {
    const ofOne = new Map<string, number>();
    let all = 0;
    for (const [upload, progress] of this.open) {
      const caller = upload.uncountedOf?.();
      if (caller === undefined) continue;
      if (!progress.wasComing) {
        progress.wasComing = true;
        continue;
      }
      const own = (ofOne.get(caller.id) ?? 0) + 1;
      if (own > MAX_UNCOUNTED_OF_ONE) {
        this.end(upload, tooMany('RATE_LIMITED', 'Too many of your requests come slowly'));
      } else if (all >= MAX_UNCOUNTED) {
        this.end(upload, tooMany('UNAVAILABLE', 'Too many requests to this process come slowly'));
      } else {
        ofOne.set(caller.id, own);
        all += 1;
      }
    }
  }

  private end(upload: Upload, error: HubError): void {
    this.open.delete(upload);
    upload.stalled(error);
  }
}

function tooMany(reason: 'RATE_LIMITED' | 'UNAVAILABLE', why: string): HubError {
  const text = `${why}; send each body at once, or fewer at a time.`;
  return new HubError(reason, text, {
    metadata: { retryAfterSeconds: '2' },
    ...(reason === 'RATE_LIMITED' && { refusal: { limit: { kind: 'slowRequests' } } }),
  });
}
