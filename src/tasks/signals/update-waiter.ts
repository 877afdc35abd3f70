import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Draining } from '../../common/draining.js';
import { Watchdog } from '../../common/watchdog.js';
import { Database } from '../../database/database.js';
import { Signals } from './signals.js';

/** How long a waiter sleeps at most before it looks by itself: a notification may be lost between processes. */
export interface PollPace {
  readonly firstMs: number;
  /** After a commit of this process, which the waiter's reader has from memory; `firstMs` without it. */
  readonly ownMs?: number;
  readonly maxMs: number;
}

/** Where every notification arrives (one process). */
const IN_PROCESS_PACE: PollPace = { firstMs: 1000, maxMs: 1000 };
/** Where the task may be run by another process: soon at first, then once a second. */
const SHARED_PACE: PollPace = { firstMs: 25, maxMs: 1000 };
const STREAM_PACE: PollPace = { ...SHARED_PACE, ownMs: 250 };

/** Makes the waiters of this process. All of them stop when the process begins to drain. */
@Injectable()
export class UpdateWaiters {
  constructor(
    private readonly signals: Signals,
    private readonly clock: Clock,
    private readonly draining: Draining,
    @Inject(Database) private readonly database: Pick<Database, 'soleProcess'>,
  ) {}

  /** For one reader of this task; `gone` is aborted when the reader has left. Close it when done. */
  of(taskId: string, gone?: AbortSignal): UpdateWaiter {
    return this.waiter(taskId, SHARED_PACE, gone);
  }

  /** The same for one that takes what this process commits from memory (ADR 0083). */
  ofStream(taskId: string, gone?: AbortSignal): UpdateWaiter {
    return this.waiter(taskId, STREAM_PACE, gone);
  }

  private waiter(taskId: string, shared: PollPace, gone: AbortSignal | undefined): UpdateWaiter {
    const pace = this.database.soleProcess ? IN_PROCESS_PACE : shared;
    const stops = [this.draining.signal, gone];
    return new UpdateWaiter(this.signals, taskId, this.clock, pace, stops);
  }
}

/**
 * Waits for updates of one task, for a reader that reads in turns: an update that comes while it reads
 * makes the next {@link wait} return at once. Close it when done.
 */
export class UpdateWaiter {
  private notified = false;
  /** A commit of this process has been announced since the last wait. */
  private updated = false;
  private wake: (() => void) | undefined;
  private pauseMs: number;
  /** Of the present wait; where it ends before, the next one takes it over. */
  private readonly limit: Watchdog;
  private readonly unsubscribe: () => void;
  private readonly onStop = (): void => this.notify();

  constructor(
    signals: Signals,
    taskId: string,
    clock: Clock,
    private readonly pace: PollPace,
    /** Aborted when the wait is of no use any more: the process is going to stop, or the reader is gone. */
    private readonly stops: readonly (AbortSignal | undefined)[] = [],
  ) {
    this.pauseMs = pace.firstMs;
    this.limit = new Watchdog(clock, () => this.wake?.());
    this.unsubscribe = signals.onTask(taskId, () => {
      this.updated = true;
      this.notify();
    });
    for (const stop of stops) stop?.addEventListener('abort', this.onStop);
  }

  /** The reader should stop waiting. */
  get stopped(): boolean {
    return this.stops.some((stop) => stop?.aborted);
  }

  /** Ends the present wait, or the next one. */
  notify(): void {
    this.notified = true;
    this.wake?.();
  }

  /**
   * Resolves at the next update, or after at most `maxMs` and a second; with true when this process has committed something of
   * the task since the last wait.
   */
  async wait(maxMs = Infinity): Promise<boolean> {
    if (!this.notified) {
      this.limit.arm(Math.min(this.pauseMs, maxMs));
      await new Promise<void>((resolve) => (this.wake = resolve));
      this.wake = undefined;
    }
    const { updated, notified, pace } = this;
    if (notified) this.pauseMs = (updated ? pace.ownMs : undefined) ?? pace.firstMs;
    else this.pauseMs = Math.min(this.pauseMs * 2, pace.maxMs);
    this.notified = false;
    this.updated = false;
    return updated;
  }

  close(): void {
    this.unsubscribe();
    this.limit.disarm();
    for (const stop of this.stops) stop?.removeEventListener('abort', this.onStop);
    this.notify();
  }
}
