import { setMaxListeners } from 'node:events';
import { HubError } from './hub-error.js';

/**
 * Tells long-lived work that the process is going to stop: streams end (their readers resume
 * elsewhere), blocking waits answer with the task as it is, workers claim nothing more.
 */
export class Draining {
  private readonly controller = new AbortController();
  private readonly announcement = new AbortController();
  private pause: Promise<void> | undefined;
  private endPause: () => void = () => undefined;

  constructor() {
    // Every open stream and wait listens; Node takes more than ten for a leak.
    setMaxListeners(0, this.controller.signal);
  }

  /**
   * Aborted once, when it is known that the process will stop: probes say that it is not ready, so that balancers
   * look elsewhere. All else goes on until {@link signal} is aborted.
   */
  get announced(): AbortSignal {
    return this.announcement.signal;
  }

  /** Says that the process stops after a pause of `pauseMs`. Called again, it ends the pause. */
  announce(pauseMs: number): void {
    if (this.announced.aborted) return this.endPause();
    this.pause = new Promise((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.announcement.abort();
  }

  /** Resolves when the pause is over; at once where none was announced. */
  async untilPaused(): Promise<void> {
    await this.pause;
  }

  /** Aborted once, when the process begins to stop. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  begin(): void {
    this.announcement.abort();
    this.controller.abort();
  }
}

/** What ends a stream, and refuses a call, while the process drains. */
export function stopping(): HubError {
  const text = 'This process of the hub is going to stop; call or subscribe again.';
  return new HubError('UNAVAILABLE', text, { metadata: { retryAfterSeconds: '1' } });
}
