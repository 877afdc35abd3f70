import { KeyedSignal, Signal } from '../../common/signal.js';
import { Signals } from './signals.js';

/** {@link Signals} within one process: a notification calls its listeners at once, in the order they came. */
export class InProcessSignals extends Signals {
  private readonly task = new KeyedSignal<number>();
  private readonly work = new Signal();
  private readonly delegation = new Signal<string>();
  private readonly agentCall = new Signal<string>();

  taskChanged(taskId: string, seq: number): void {
    this.task.emit(taskId, seq);
  }

  workWaiting(): void {
    this.work.emit();
  }

  delegationChanged(delegationId: string): void {
    this.delegation.emit(delegationId);
  }

  agentCalled(delegationId: string): void {
    this.agentCall.emit(delegationId);
  }

  onTask(taskId: string, listener: (seq: number) => void): () => void {
    return this.task.listen(taskId, listener);
  }

  onWork(listener: () => void): () => void {
    return this.work.listen(listener);
  }

  onDelegation(listener: (delegationId: string) => void): () => void {
    return this.delegation.listen(listener);
  }

  onAgentCall(listener: (delegationId: string) => void): () => void {
    return this.agentCall.listen(listener);
  }
}
