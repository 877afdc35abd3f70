import type { Clock } from './clock.js';

/**
 * Calls `onExpired` when it has not been armed again in time. Arming again costs nothing: however many
 * events come, there is one wait at a time.
 */
export class Watchdog {
  private dueAt: number | null = null;
  private waitsUntil = 0;
  private armedMs = 0;
  private cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onExpired: () => void,
  ) {}

  /** Expires `ms` from now unless armed again or disarmed before. */
  arm(ms: number): void {
    this.armedMs = ms;
    this.dueAt = this.clock.now().getTime() + ms;
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
    const left = this.dueAt - this.clock.now().getTime();
    if (left > 0) {
      // Longer than it was armed for: the clock was set back meanwhile.
      if (left > this.armedMs) this.dueAt -= left - this.armedMs;
      return this.wait(this.dueAt, Math.min(left, this.armedMs));
    }
    this.dueAt = null;
    this.onExpired();
  }
}
