import { Signal } from '../../common/signal.js';

/**
 * Wakes the delivery worker of this process when streams have become due. A notification that is missed costs
 * at most a second, because the worker also looks by itself.
 */
export class PushWakeup {
  private readonly due = new Signal();

  notify(): void {
    this.due.emit();
  }

  /** Calls `listener` on every notification until the returned function is called. */
  onNotify(listener: () => void): () => void {
    return this.due.listen(listener);
  }
}
