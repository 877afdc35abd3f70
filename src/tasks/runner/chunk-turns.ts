import type { Clock } from '../../common/clock.js';

/** The time between two turns. */
const SHARE_MS = 10;

/**
 * Turns in which the chunks of all streams are stored, some milliseconds apart: those that come in between share
 * one commit, and each piece of work on them is done for many at once. Where none was for that long, the next
 * one is at once.
 */
export class ChunkTurns {
  private waiting: (() => void)[] = [];
  private lastAt = -Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly shareMs = SHARE_MS,
  ) {}

  /** Calls back in the next turn. */
  wait(call: () => void): void {
    this.waiting.push(call);
    if (this.waiting.length > 1) return;
    const ms = this.lastAt + this.shareMs - this.clock.monotonicMs();
    if (ms <= 0) setImmediate(() => this.take());
    else this.clock.after(ms, () => this.take());
  }

  private take(): void {
    this.lastAt = this.clock.monotonicMs();
    const { waiting } = this;
    this.waiting = [];
    for (const call of waiting) call();
  }
}
