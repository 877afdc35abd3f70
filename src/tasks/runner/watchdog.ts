import type { Clock } from '../../common/clock.js';
import { OVER } from '../over.js';

/**
 * Calls `onExpired` when it has not been armed again in time. Arming again costs nothing: however many
 * events come, there is one sleep at a time.
 */
export class Watchdog {
  private dueAt: number | null = null;
  private asleepUntil = 0;
  private sleep: AbortController | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onExpired: () => void,
  ) {}

  /** Expires `ms` from now unless armed again or disarmed before. */
  arm(ms: number): void {
    this.dueAt = this.clock.now().getTime() + ms;
    if (this.sleep && this.dueAt >= this.asleepUntil) return;
    this.sleep?.abort(OVER);
    void this.watch();
  }

  disarm(): void {
    this.dueAt = null;
    this.sleep?.abort(OVER);
    this.sleep = undefined;
  }

  private async watch(): Promise<void> {
    const sleep = new AbortController();
    this.sleep = sleep;
    while (this.dueAt !== null && this.sleep === sleep) {
      const left = this.dueAt - this.clock.now().getTime();
      if (left <= 0) {
        this.disarm();
        this.onExpired();
        return;
      }
      this.asleepUntil = this.dueAt;
      await this.clock.sleep(left, sleep.signal);
    }
  }
}
