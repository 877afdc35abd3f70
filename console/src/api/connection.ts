import { useSyncExternalStore } from 'react';

/** Whether the last call of the hub was answered, with an error or without. */
let lost = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  if (lost === next) return;
  lost = next;
  for (const listener of listeners) listener();
}

export function connectionLost(): void {
  set(true);
}

export function connectionFound(): void {
  set(false);
}

export function useConnectionLost(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => lost,
  );
}
