import { forgetCredential, setCredential } from './credential';
import { hubUrl } from './place';
import { problemOf } from './problem';
import { sessionRenewed } from './session-end';

export interface Session {
  readonly signedIn: boolean;
  readonly issuers: readonly { readonly id: string; readonly name: string }[];
}

/** Which sign-ins there are, and whether this browser has a session. */
export async function readSession(): Promise<Session> {
  const response = await fetch(hubUrl('console/session'));
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as Session;
}

/** Tries a key: it is taken when the hub knows it. */
export async function signInWithKey(key: string): Promise<void> {
  const response = await fetch(hubUrl('api/v1/me'), {
    headers: { Authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw await problemOf(response);
  setCredential({ kind: 'key', key });
  sessionRenewed();
}

/** Where a sign-in at a provider begins; it comes back to the page that is shown. */
export function signInUrl(issuer: string): string {
  const url = hubUrl('console/sign-in');
  url.searchParams.set('issuer', issuer);
  url.searchParams.set('returnTo', location.pathname + location.search);
  return url.href;
}

export function takeSession(): void {
  setCredential({ kind: 'session' });
  sessionRenewed();
}

/** Ends the session at the hub, and at the provider where that has an address for it. */
export async function signOut(isSession: boolean): Promise<void> {
  forgetCredential();
  sessionRenewed();
  if (!isSession) return;
  const response = await fetch(hubUrl('console/sign-out'), {
    method: 'POST',
    headers: { 'X-A2A-Hub-Console': '1' },
  });
  if (!response.ok) throw await problemOf(response);
  const { logoutUrl } = (await response.json()) as { readonly logoutUrl: string | null };
  if (logoutUrl !== null) location.assign(logoutUrl);
}
