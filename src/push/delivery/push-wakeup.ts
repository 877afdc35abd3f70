/**
 * Wakes the delivery worker of this process when streams have become due. A notification that is missed costs
 * at most a second, because the worker also looks by itself.
 */
export class PushWakeup {
  private readonly listeners = new Set<() => void>();

  notify(): void {
    for (const listener of this.listeners) listener();
  }

  /** Calls `listener` on every notification until the returned function is called. */
  onNotify(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
