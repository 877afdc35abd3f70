import { SharedValue, useShared } from './shared-value';

/**
 * How the console calls the hub: with a key that was pasted, which is kept in this page's memory alone; with the
 * session of a sign-in, whose cookie scripts cannot read; or not at all.
 */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly key: string }
  /** `caller`: the id of whoever it is of. */
  | { readonly kind: 'session'; readonly caller: string };

const NONE: Credential = { kind: 'none' };

const current = new SharedValue<Credential>(NONE);

export function credential(): Credential {
  return current.get();
}

export function setCredential(next: Credential): void {
  current.set(next);
}

export function forgetCredential(): void {
  setCredential(NONE);
}

export function useCredential(): Credential {
  return useShared(current);
}

/** Beside the cookie of a session: no other site can make a browser send it. */
export const SESSION_HEADERS = { 'X-A2A-Hub-Console': '1' } as const;

/** What a request is authenticated with. The session of somebody else, who has signed in in another tab, does not count for it. */
export function authenticationHeaders(): Readonly<Record<string, string>> {
  const held = credential();
  switch (held.kind) {
    case 'key':
      return { Authorization: `Bearer ${held.key}` };
    case 'session':
      return { ...SESSION_HEADERS, 'X-A2A-Hub-Console-Caller': held.caller };
    case 'none':
      return {};
  }
}
