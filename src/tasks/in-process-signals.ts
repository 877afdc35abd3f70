import { Signals } from './signals.js';

/**
 * {@link Signals} within one process: a ring calls its listeners at once, in the order they came. A
 * listener that throws does not keep the ring from the others; its error surfaces on its own.
 */
export class InProcessSignals extends Signals {
  private readonly byTask = new Map<string, Set<(seq: number) => void>>();
  private readonly work = new Set<() => void>();
  private readonly delegation = new Set<(delegationId: string) => void>();
  private readonly calls = new Set<(delegationId: string) => void>();

  taskChanged(taskId: string, seq: number): void {
    const listeners = this.byTask.get(taskId);
    if (listeners) for (const listener of [...listeners]) ring(() => listener(seq));
  }

  workWaiting(): void {
    for (const listener of this.work) ring(listener);
  }

  delegationChanged(delegationId: string): void {
    for (const listener of this.delegation) ring(() => listener(delegationId));
  }

  agentCalled(delegationId: string): void {
    for (const listener of this.calls) ring(() => listener(delegationId));
  }

  onTask(taskId: string, listener: (seq: number) => void): () => void {
    const listeners = this.byTask.get(taskId) ?? new Set();
    this.byTask.set(taskId, listeners);
    // One registration, one entry: the same function may be registered twice.
    const entry = (seq: number): void => listener(seq);
    listeners.add(entry);
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.byTask.get(taskId) === listeners) this.byTask.delete(taskId);
    };
  }

  onWork(listener: () => void): () => void {
    return register(this.work, () => listener());
  }

  onDelegation(listener: (delegationId: string) => void): () => void {
    return register(this.delegation, (id) => listener(id));
  }

  onAgentCall(listener: (delegationId: string) => void): () => void {
    return register(this.calls, (id) => listener(id));
  }
}

function register<T>(listeners: Set<T>, entry: T): () => void {
  listeners.add(entry);
  return () => void listeners.delete(entry);
}

function ring(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
