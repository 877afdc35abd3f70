/** Milliseconds of a day. */
export const DAY_MS = 24 * 60 * 60 * 1000;

/** The hub's only source of time, so that tests can move it. */
export abstract class Clock {
  /** The current time. */
  abstract now(): Date;

  /**
   * Milliseconds since a moment that is the same as long as the process lives. They run on evenly whatever the
   * time of {@link now} is set to: for waits, and for what is remembered for a while in memory alone.
   */
  abstract monotonicMs(): number;

  /**
   * Resolves after `ms` milliseconds, or at once when `signal` aborts (it never rejects; look at
   * `signal.aborted` afterwards).
   */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;

  /** Calls once, after `ms` milliseconds, unless what it returns is called before. */
  after(ms: number, call: () => void): () => void {
    const canceled = new AbortController();
    void this.sleep(ms, canceled.signal).then(() => {
      if (!canceled.signal.aborted) call();
    });
    return () => canceled.abort();
  }
}

/** The longest time a timer of Node takes; a longer one would be over at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** The machine's clock. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }

  monotonicMs(): number {
    return performance.now();
  }

  /** Without an AbortController: it is the dearest part of a short wait. */
  override after(ms: number, call: () => void): () => void {
    let timer = setTimeout(next, Math.min(ms, LONGEST_MS));
    let left = ms - LONGEST_MS;
    function next(): void {
      if (left <= 0) return call();
      timer = setTimeout(next, Math.min(left, LONGEST_MS));
      left -= LONGEST_MS;
    }
    return () => clearTimeout(timer);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        cancel();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.after(ms, done);
      signal?.addEventListener('abort', done);
    });
  }
}
