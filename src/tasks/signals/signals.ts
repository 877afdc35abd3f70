/**
 * How one part of the hub wakes another. A ring carries nothing that is not in the database: whoever
 * hears it reads there, and whoever misses it finds the same within a second by looking.
 */
export abstract class Signals {
  /** Events up to `seq` of this task are committed. */
  abstract taskChanged(taskId: string, seq: number): void;

  /** Some delegation waits for a runner. */
  abstract workWaiting(): void;

  /** Some delegation's client asked to cancel, or its follow-up waits; its owner should look. */
  abstract delegationChanged(delegationId: string): void;

  /** The agent of this delegation has called back; its runner should ask it for its task. */
  abstract agentCalled(delegationId: string): void;

  /** Calls `listener` on every ring for this task until the returned function is called. */
  abstract onTask(taskId: string, listener: (seq: number) => void): () => void;

  abstract onWork(listener: () => void): () => void;

  abstract onDelegation(listener: (delegationId: string) => void): () => void;

  abstract onAgentCall(listener: (delegationId: string) => void): () => void;
}
