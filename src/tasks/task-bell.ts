import type { Clock } from '../common/clock.js';
import type { Signals } from './signals.js';

/** How long a waiter sleeps at most before it looks by itself: a ring may be lost between processes. */
export interface PollPace {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Where every ring arrives (one process). */
export const IN_PROCESS_PACE: PollPace = { firstMs: 1000, maxMs: 1000 };
/** Where the task may be run by another process: soon at first, then once a second. */
export const SHARED_PACE: PollPace = { firstMs: 25, maxMs: 1000 };

/**
 * Hears the rings of one task for somebody who reads it in turns: a ring that comes while they read
 * makes the next {@link wait} return at once. Close it when done.
 */
export class TaskBell {
  private rung = false;
  private wake: (() => void) | undefined;
  private pauseMs: number;
  private readonly leave: () => void;
  private readonly onStop = (): void => this.ring();

  constructor(
    signals: Signals,
    taskId: string,
    private readonly clock: Clock,
    private readonly pace: PollPace,
    /** Aborted when nobody waits any more: the process is going to stop, or the reader is gone. */
    private readonly stops: readonly (AbortSignal | undefined)[] = [],
  ) {
    this.pauseMs = pace.firstMs;
    this.leave = signals.onTask(taskId, () => this.ring());
    for (const stop of stops) stop?.addEventListener('abort', this.onStop);
  }

  /** Whoever waits with this should stop doing so. */
  get stopped(): boolean {
    return this.stops.some((stop) => stop?.aborted);
  }

  /** Ends the present wait, or the next one. */
  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /** Resolves at the next ring, or after at most `maxMs` and a second. */
  async wait(maxMs = Infinity): Promise<void> {
    if (!this.rung) {
      const ms = Math.min(this.pauseMs, maxMs);
      const woken = new Promise<void>((resolve) => (this.wake = resolve));
      const cancel = this.clock.after(ms, () => this.wake?.());
      await woken;
      cancel();
      this.wake = undefined;
    }
    this.pauseMs = this.rung ? this.pace.firstMs : Math.min(this.pauseMs * 2, this.pace.maxMs);
    this.rung = false;
  }

  close(): void {
    this.leave();
    for (const stop of this.stops) stop?.removeEventListener('abort', this.onStop);
    this.ring();
  }
}
