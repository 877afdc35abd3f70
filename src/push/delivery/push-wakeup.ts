/**
 * Wakes the delivery worker of this process when lanes have become due. A ring that nobody hears costs
 * at most a second, because the worker also looks by itself.
 */
export class PushWakeup {
  private readonly listeners = new Set<() => void>();

  ring(): void {
    for (const listener of this.listeners) listener();
  }

  /** Calls `listener` on every ring until the returned function is called. */
  onRing(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
