import { setMaxListeners } from 'node:events';
import { HubError } from './hub-error.js';

/**
 * Tells long-lived work that the process is going to stop: streams end (their readers resume
 * elsewhere), blocking waits answer with the task as it is, workers claim nothing more.
 */
export class Draining {
  private readonly controller = new AbortController();

  constructor() {
    // Every open stream and wait listens; Node takes more than ten for a leak.
    setMaxListeners(0, this.controller.signal);
  }

  /** Aborted once, when the process begins to stop. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  begin(): void {
    this.controller.abort();
  }
}

/** What ends a stream, and refuses a call, while the process drains. */
export function stopping(): HubError {
  const text = 'This process of the hub is going to stop; call or subscribe again.';
  return new HubError('UNAVAILABLE', text, { metadata: { retryAfterSeconds: '1' } });
}
