/** The hub's only source of time, so that tests can move it. */
export abstract class Clock {
  /** The current time. */
  abstract now(): Date;

  /**
   * Resolves after `ms` milliseconds, or at once when `signal` aborts (it never rejects; look at
   * `signal.aborted` afterwards).
   */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done);
    });
  }
}
