import { Clock } from '../../src/common/clock.js';

interface Sleeper {
  readonly dueAt: number;
  readonly wake: () => void;
}

/**
 * A clock that stands still until a test moves it. Sleepers wake in the order they are due, each with
 * the clock at its own time, as they would on a real one.
 */
export class FakeClock extends Clock {
  private time: number;
  private readonly startedAt: number;
  private readonly sleepers = new Set<Sleeper>();

  constructor(start: Date | string = '2026-01-01T00:00:00.000Z') {
    super();
    this.time = new Date(start).getTime();
    this.startedAt = this.time;
  }

  now(): Date {
    return new Date(this.time);
  }

  monotonicMs(): number {
    return this.time - this.startedAt;
  }

  /** How many sleeps are waiting. */
  get sleeping(): number {
    return this.sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const wake = (): void => {
        this.sleepers.delete(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      // Whole milliseconds, as timers have them.
      const sleeper: Sleeper = { dueAt: this.time + Math.ceil(ms), wake };
      this.sleepers.add(sleeper);
      signal?.addEventListener('abort', wake);
    });
  }

  /**
   * Moves the clock by `ms` and wakes whoever is due, earliest first. What they do at once (and the
   * sleeps they begin within this span) happens before it resolves.
   */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await settle();
    for (let next = this.earliest(end); next; next = this.earliest(end)) {
      this.time = Math.max(this.time, next.dueAt);
      next.wake();
      await settle();
    }
    this.time = end;
    await settle();
  }

  private earliest(end: number): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.sleepers) {
      if (sleeper.dueAt <= end && (!first || sleeper.dueAt < first.dueAt)) first = sleeper;
    }
    return first;
  }
}

/** Lets everything run that waits for nothing but promises and immediates. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
