import { Clock } from './clock.js';

/** A clock of unit tests that stands where they set it. */
export class SettableClock extends Clock {
  constructor(public ms = 1_000_000) {
    super();
  }

  now(): Date {
    return new Date(this.ms);
  }

  sleep(): Promise<void> {
    return Promise.resolve();
  }
}
