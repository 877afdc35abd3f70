import { Signal } from '../common/signal.js';
import type { Scope } from '../common/scope.js';
import type { Keyless } from './api-key-store.js';

/** A caller whom an identity provider vouches for, as its token says at this moment. */
export interface SignIn {
  /** Who vouches: the issuer of the token. */
  readonly issuer: string;
  /** Whom the issuer names by that. */
  readonly subject: string;
  readonly organization: string;
  readonly scopes: readonly Scope[];
  readonly at: Date;
  /** Until then the principal counts as one with a valid credential. */
  readonly until: Date;
  /** Nobody of an organization that does not exist is taken. */
  readonly isListed?: boolean;
}

/** The principal of a caller who has signed in. */
export interface Identity {
  readonly id: string;
  readonly principalId: string;
  /** What is disabled: itself, or its organization. */
  readonly disabled: 'principal' | 'organization' | null;
  /** The hub's own groups it is in. */
  readonly groups: readonly string[];
}

/** Who has signed in, as operators see it. */
export interface IdentityRecord {
  readonly issuer: string;
  readonly subject: string;
  /** About a minute exact. */
  readonly lastSeenAt: Date;
}

/**
 * Callers who sign in without an API key. Each issuer, organization and subject has one principal, made at the first
 * sign-in: who changes the organization is another principal, and sees none of what the former one has.
 */
export abstract class IdentityStore {
  private readonly identityAdded = new Signal();

  /** Calls the listener after each principal that signs in here for the first time, until the function that is given back is called. */
  onAdded(listener: () => void): () => void {
    return this.identityAdded.listen(listener);
  }

  protected added(): void {
    this.identityAdded.emit();
  }

  /**
   * The principal of this caller, made when there is none. What is known of an earlier sign-in is written anew when it is
   * a minute old, counts as over, or lacks a scope of this one; nothing is written for a disabled principal.
   * Rejects with HubError UNAUTHENTICATED for a first sign-in of an organization that is disabled, or that has to be there
   * (`isListed`) and is not; else the organization is made when there is none.
   */
  abstract signIn(caller: SignIn): Promise<Identity>;

  /** Sign-ins that are over by then count for their principals as revoked keys do; see `ApiKeyStore.noteExpired`. */
  abstract noteExpired(at: Date, lost?: (keyless: Keyless) => void): Promise<void>;
}
