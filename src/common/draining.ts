/**
 * Tells long-lived work that the process is going to stop: streams end (their readers resume
 * elsewhere), blocking waits answer with the task as it is, workers claim nothing more.
 */
export class Draining {
  private readonly controller = new AbortController();

  /** Aborted once, when the process begins to stop. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  begin(): void {
    this.controller.abort();
  }
}
