import { credential } from './credential';
import { SharedValue, useShared } from './shared-value';

/**
 * Whether the hub has refused what this page calls it with: a key that was revoked, a session that is over. The page
 * stays as it is and asks for another sign-in above it, so that nothing typed is lost.
 */
const ended = new SharedValue(false);

/** Looks whether an answer tells of that. Of whoever has not signed in yet nothing can end. */
export function noteSessionEnd({ status }: Pick<Response, 'status'>): void {
  if (status === 401 && credential().kind !== 'none') ended.set(true);
}

export function sessionRenewed(): void {
  ended.set(false);
}

export function useSessionEnded(): boolean {
  return useShared(ended);
}
