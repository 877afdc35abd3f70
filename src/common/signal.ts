import { Subject } from 'rxjs';

/**
 * Tells whoever listens at once and in the order they came. A listener that throws does not keep it from
 * the others, nor its error from the process; one that comes during a call is called from the next signal on.
 */
export class Signal<T = void> {
  private readonly subject = new Subject<T>();

  /** Somebody listens. */
  get hasListeners(): boolean {
    return this.subject.observed;
  }

  emit(value: T): void {
    this.subject.next(value);
  }

  /** Calls `listener` each time until the returned function is called; registered twice, it is called twice. */
  listen(listener: (value: T) => void): () => void {
    const subscription = this.subject.subscribe((value) => listener(value));
    return () => subscription.unsubscribe();
  }
}

/** A {@link Signal} for each key, as long as somebody listens for that key. */
export class KeyedSignal<T = void> {
  private readonly signals = new Map<string, Signal<T>>();

  /** The keys that somebody listens for. */
  get keys(): readonly string[] {
    return [...this.signals.keys()];
  }

  /** Somebody listens, for any key. */
  get hasListeners(): boolean {
    return this.signals.size > 0;
  }

  hasListenersFor(key: string): boolean {
    return this.signals.has(key);
  }

  emit(key: string, value: T): void {
    this.signals.get(key)?.emit(value);
  }

  listen(key: string, listener: (value: T) => void): () => void {
    const signal = this.signals.get(key) ?? new Signal<T>();
    this.signals.set(key, signal);
    const leave = signal.listen(listener);
    return () => {
      leave();
      if (!signal.hasListeners && this.signals.get(key) === signal) this.signals.delete(key);
    };
  }
}
