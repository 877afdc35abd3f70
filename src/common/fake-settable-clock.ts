import { Clock } from './clock.js';

/** A clock of unit tests that stands where they set it. Set back, it adds nothing to its monotonic time. */
export class SettableClock extends Clock {
  private time: number;
  private elapsed = 0;

  constructor(ms = 1_000_000) {
    super();
    this.time = ms;
  }

  get ms(): number {
    return this.time;
  }

  set ms(ms: number) {
    this.elapsed += Math.max(0, ms - this.time);
    this.time = ms;
  }

  now(): Date {
    return new Date(this.time);
  }

  monotonicMs(): number {
    return this.elapsed;
  }

  sleep(_ms?: number, _signal?: AbortSignal): Promise<void> {
    return Promise.resolve();
  }
}
