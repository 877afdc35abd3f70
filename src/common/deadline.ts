/**
 * The end of the time that something may take, or of its caller's patience. Not by the clock, which may be set
 * meanwhile.
 */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly began = performance.now();
  private readonly cut = (): void => this.controller.abort(this.outer.reason);
  /** The time is up. */
  passed = false;

  // A signal made by AbortSignal.any would stay with `outer`, which lives as long as the process.
  constructor(
    private readonly outer: AbortSignal,
    timeoutMs: number,
  ) {
    this.timer = setTimeout(() => {
      this.passed = true;
      this.controller.abort();
    }, timeoutMs);
    outer.addEventListener('abort', this.cut);
    if (outer.aborted) this.cut();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Whole milliseconds since it was made. */
  get elapsedMs(): number {
    return Math.round(performance.now() - this.began);
  }

  /** What the promise gives, or a rejection as soon as it is over. */
  async unlessOver<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.controller;
    let stop = (): void => undefined;
    const over = new Promise<never>((_, reject) => {
      stop = () => reject(new Error('it is over'));
    });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await Promise.race([promise, over]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** To be called in any case; else it stays with the caller's signal. */
  end(): void {
    clearTimeout(this.timer);
    this.outer.removeEventListener('abort', this.cut);
  }
}
