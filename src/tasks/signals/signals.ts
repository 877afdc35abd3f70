/**
 * How one part of the hub notifies another. A notification carries nothing that is not in the database: its
 * listener reads there, and one that misses it finds the same within a second by polling.
 */
export abstract class Signals {
  /** Events up to `seq` of this task are committed, by this process. */
  abstract taskChanged(taskId: string, seq: number): void;

  /** Some delegation waits for a runner. */
  abstract workWaiting(): void;

  /** Some delegation's client asked to cancel, or its follow-up waits; its owner should read it again. */
  abstract delegationChanged(delegationId: string): void;

  /** The agent of this delegation has called back; its runner should poll it. */
  abstract agentCalled(delegationId: string): void;

  /** Calls `listener` on every notification of this task until the returned function is called. */
  abstract onTask(taskId: string, listener: (seq: number) => void): () => void;

  abstract onWork(listener: () => void): () => void;

  abstract onDelegation(listener: (delegationId: string) => void): () => void;

  abstract onAgentCall(listener: (delegationId: string) => void): () => void;
}
