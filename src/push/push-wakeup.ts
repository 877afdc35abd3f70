/**
 * Wakes the delivery worker of this process when lanes have become due. A ring that nobody hears costs
 * at most a second, because the worker also looks by itself.
 */
export class PushWakeup {
  private readonly listeners = new Set<() => void>();
  /** Tasks with lanes that are due once their transaction is committed. */
  private readonly expected = new Set<string>();

  ring(): void {
    for (const listener of this.listeners) listener();
  }

  /** A transaction under way makes lanes of this task due. */
  expect(taskId: string): void {
    this.expected.add(taskId);
  }

  /** A transaction with events of these tasks is committed: rings when lanes are due by it. */
  committed(taskIds: Iterable<string>): void {
    let due = false;
    for (const taskId of taskIds) due = this.expected.delete(taskId) || due;
    if (due) this.ring();
  }

  /** Calls `listener` on every ring until the returned function is called. */
  onRing(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
