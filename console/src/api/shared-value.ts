import { useSyncExternalStore } from 'react';

/** A value that components share, outside of what any of them renders. Those that use it are rendered anew when it changes. */
export class SharedValue<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private current: T) {}

  readonly get = (): T => this.current;

  set(next: T): void {
    if (Object.is(this.current, next)) return;
    this.current = next;
    for (const listener of this.listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export function useShared<T>(value: SharedValue<T>): T {
  return useSyncExternalStore(value.subscribe, value.get);
}
