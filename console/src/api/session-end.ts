import { useSyncExternalStore } from 'react';

/**
 * Whether the hub has refused what this page calls it with: a key that was revoked, a session that is over. The page
 * stays as it is and asks for another sign-in above it, so that nothing typed is lost.
 */
let ended = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  if (ended === next) return;
  ended = next;
  for (const listener of listeners) listener();
}

export function sessionEnded(): void {
  set(true);
}

export function sessionRenewed(): void {
  set(false);
}

export function useSessionEnded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => ended,
  );
}
