import type { Clock } from '../../common/clock.js';
import type { DeliveryStreamStore } from './delivery-stream-store.js';

/** Enough that claiming the stream again costs little beside them. */
export const TURN_STEPS = 32;
export const TURN_MS = 2000;

/**
 * How long a stream that always has more to deliver keeps its permit while others wait: so many steps, or so
 * much time. When no stream waits, a new turn begins.
 */
export class StreamTurn {
  private steps = 0;
  private since: number;

  constructor(
    private readonly streams: DeliveryStreamStore,
    private readonly clock: Clock,
  ) {
    this.since = clock.now().getTime();
  }

  /** To be asked before each step. */
  async isOver(): Promise<boolean> {
    const now = this.clock.now();
    this.steps += 1;
    if (this.steps <= TURN_STEPS && now.getTime() - this.since < TURN_MS) return false;
    const due = await this.streams.nextDueAt(now);
    this.steps = 1;
    this.since = now.getTime();
    return due !== null && due <= now;
  }
}

/** How long a claim holds without news: twice an attempt's time. */
export function leaseMs(settings: { readonly timeoutMs: number }): number {
  return 2 * settings.timeoutMs;
}
