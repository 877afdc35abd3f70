import type { Clock } from './clock.js';

/**
 * Calls `onExpired` when it has not been armed again in time, whatever the clock is set to meanwhile. Arming again costs nothing: however many
 * events come, there is one wait at a time.
 */
export class Watchdog {
  private dueAt: number | null = null;
  private waitsUntil = 0;
  private cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onExpired: () => void,
  ) {}

  /** Expires `ms` from now unless armed again or disarmed before. */
  arm(ms: number): void {
    this.dueAt = this.clock.monotonicMs() + ms;
    if (this.cancel !== undefined && this.dueAt >= this.waitsUntil) return;
    this.cancel?.();
    this.wait(this.dueAt, ms);
  }

  disarm(): void {
    this.dueAt = null;
    this.cancel?.();
    this.cancel = undefined;
  }

  private wait(until: number, ms: number): void {
    this.waitsUntil = until;
    this.cancel = this.clock.after(ms, () => this.look());
  }

  private look(): void {
    this.cancel = undefined;
    if (this.dueAt === null) return;
    const left = this.dueAt - this.clock.monotonicMs();
    if (left > 0) return this.wait(this.dueAt, left);
    this.dueAt = null;
    this.onExpired();
  }
}
