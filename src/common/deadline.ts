/**
 * The end of the time that something may take, or of its caller's patience. Not by the clock, which may be set
 * meanwhile. The signal's reason is a `TimeoutError`, or that of the caller's signal.
 */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly began = performance.now();
  private readonly cut = (): void => this.abort(this.outer.reason);
  private stop = (): void => undefined;
  /** The time is up. */
  passed = false;

  // A signal of AbortSignal.any would stay with `outer`, which lives as long as the process, and might be collected before it fires.
  constructor(
    private readonly outer: AbortSignal,
    timeoutMs: number,
  ) {
    this.timer = setTimeout(() => {
      this.passed = true;
      this.abort(new DOMException('it took too long', 'TimeoutError'));
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

  /** What the promise gives, or a rejection as soon as it is over. For one at a time. */
  unlessOver<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.stop = () => reject(new Error('it is over'));
      if (this.controller.signal.aborted) this.stop();
      promise.then(resolve, reject);
    });
  }

  /** To be called in any case; else it stays with the caller's signal. */
  end(): void {
    clearTimeout(this.timer);
    this.outer.removeEventListener('abort', this.cut);
  }

  private abort(reason?: unknown): void {
    this.controller.abort(reason);
    this.stop();
  }
}
