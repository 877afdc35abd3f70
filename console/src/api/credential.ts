import { useSyncExternalStore } from 'react';

/**
 * How the console calls the hub: with a key that was pasted, which is kept in this page's memory alone; with the
 * session of a sign-in, whose cookie scripts cannot read; or not at all.
 */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'session' };

const NONE: Credential = { kind: 'none' };

let current: Credential = NONE;
const listeners = new Set<() => void>();

export function credential(): Credential {
  return current;
}

export function setCredential(next: Credential): void {
  current = next;
  for (const listener of listeners) listener();
}

export function forgetCredential(): void {
  setCredential(NONE);
}

export function useCredential(): Credential {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, credential);
}

/** Beside the cookie of a session: no other site can make a browser send it. */
export const SESSION_HEADERS = { 'X-A2A-Hub-Console': '1' } as const;

/** What a request is authenticated with. */
export function authenticationHeaders(): Readonly<Record<string, string>> {
  switch (current.kind) {
    case 'key':
      return { Authorization: `Bearer ${current.key}` };
    case 'session':
      return SESSION_HEADERS;
    case 'none':
      return {};
  }
}
