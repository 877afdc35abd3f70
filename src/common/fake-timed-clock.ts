import { SettableClock } from './fake-settable-clock.js';

interface Timer {
  readonly at: number;
  readonly call: () => void;
}

/** A clock of unit tests whose timers are over when they move it on, also after it was set back. */
export class TimedClock extends SettableClock {
  private readonly timers = new Set<Timer>();

  override after(ms: number, call: () => void): () => void {
    const timer = { at: this.monotonicMs() + ms, call };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  /** Moves the clock by so many milliseconds; what is due then has settled when it resolves. */
  async elapse(ms: number): Promise<void> {
    const end = this.monotonicMs() + ms;
    for (let next = this.next(end); next !== undefined; next = this.next(end)) {
      this.timers.delete(next);
      this.ms += next.at - this.monotonicMs();
      next.call();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.ms += end - this.monotonicMs();
  }

  private next(end: number): Timer | undefined {
    return [...this.timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
