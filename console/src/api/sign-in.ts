import { queries } from './client';
import { type Credential, forgetCredential, SESSION_HEADERS, setCredential } from './credential';
import { knownMe, type Me } from './me';
import { HUB_URL, hubUrl } from './place';
import { problemOf } from './problem';
import { sessionRenewed } from './session-end';
import { SharedValue, useShared } from './shared-value';

/** What `GET /console/session` answers. */
export interface Session {
  /** The providers at which one may sign in. */
  readonly signIn: readonly { readonly issuer: string; readonly name: string }[];
  readonly session: { readonly expiresAt: string; readonly caller: Me } | null;
  /** Why there is none although this browser had one. */
  readonly fault: { readonly session: string; readonly detail: string } | null;
}

/** Which sign-ins there are, and whether this browser has a session. */
export async function readSession(): Promise<Session> {
  const response = await fetch(hubUrl('console/session'), { headers: SESSION_HEADERS });
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as Session;
}

/** How many have signed in to this page, one after the other. */
const callers = new SharedValue(0);

/** Another value as soon as somebody else has signed in. */
export function callerNumber(): number {
  return callers.get();
}

/** The same as it changes: what was shown to the one before is not for them. */
export function useCallerNumber(): number {
  return useShared(callers);
}

/** Tries a key: it is taken when the hub knows it. */
export async function signInWithKey(key: string): Promise<void> {
  const response = await fetch(hubUrl('api/v1/me'), {
    headers: { Authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw await problemOf(response);
  signedIn((await response.json()) as Me, { kind: 'key', key });
}

/** Takes the session that this browser has. */
export function takeSession({ caller }: NonNullable<Session['session']>): void {
  signedIn(caller, { kind: 'session', caller: caller.id });
}

/** Of anybody else than before, nothing that was read is kept. */
function signedIn(caller: Me, by: Credential): void {
  const before = knownMe();
  const isSame = before?.id === caller.id && before.organization === caller.organization;
  if (!isSame) queries.clear();
  setCredential(by);
  if (!isSame) callers.set(callers.get() + 1);
  sessionRenewed();
}

/** Where a sign-in at a provider begins; it comes back to the page that is shown. */
export function signInUrl(issuer: string): string {
  const url = hubUrl('console/sign-in');
  url.searchParams.set('issuer', issuer);
  // Below the hub's address, which a proxy may serve below a path.
  const here = location.pathname.slice(HUB_URL.pathname.length - 1) + location.search;
  url.searchParams.set('returnTo', here);
  return url.href;
}

/**
 * Ends the session at the hub, and at the provider where that has an address for it. Until then the page keeps what it is
 * signed in with: to whoever is not, it looks for a session, and would take this one again.
 */
export async function signOut(isSession: boolean): Promise<void> {
  const signOutUrl = isSession ? await endSession() : null;
  // Which session there is as well: it is read anew.
  queries.clear();
  forgetCredential();
  sessionRenewed();
  if (signOutUrl !== null) location.assign(signOutUrl);
}

async function endSession(): Promise<string | null> {
  const response = await fetch(hubUrl('console/sign-out'), {
    method: 'POST',
    headers: SESSION_HEADERS,
  });
  if (!response.ok) throw await problemOf(response);
  const { signOutUrl } = (await response.json()) as { readonly signOutUrl: string | null };
  return signOutUrl;
}
