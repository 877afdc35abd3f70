/** The hub's only source of time, so that tests can move it. */
export abstract class Clock {
  /** The current time. */
  abstract now(): Date;

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

/** The machine's clock. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }

  /** Without an AbortController: it is the dearest part of a short wait. */
  override after(ms: number, call: () => void): () => void {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
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
