import { holds, type Scope } from '../common/scope.js';
import type { CallerChain } from './domain/actors.js';
import type { KeyBounds } from './key-bounds.js';
import type { SubjectToken } from './subject-token.js';

/** The organization of callers that were given none. */
export const DEFAULT_ORGANIZATION = 'default';
/** The principal of the configured admin key and of the one made at the first start. */
export const ADMIN_PRINCIPAL = 'admin';
/** Whoever comes without a key, with `auth.mode: none`. */
export const ANONYMOUS_PRINCIPAL = 'anonymous';

/** Who vouches for a caller that came without an API key. */
export interface Voucher {
  /** Of the credential: calls with the same one have the same voucher. */
  readonly id: string;
  /** Who is asked about it: while one cannot be asked, others are. */
  readonly source: string;
  /** Throws or rejects with UNAUTHENTICATED when the credential is not valid any more, with another error when that cannot be told. */
  readonly check: () => unknown;
}

/** Who is calling: a person or a program. Tasks belong to the principal, not to its key. */
export interface Principal {
  readonly id: string;
  readonly organization: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The key it came with; absent for the configured admin key, and without a key. */
  readonly keyId?: string;
  /** What that key is called. */
  readonly keyName?: string;
  /** The sign-in it came with, in place of a key. */
  readonly identityId?: string;
  /** It signed in with a client certificate. */
  readonly isCertified?: boolean;
  /** Who vouches for that sign-in: the issuer of the token, or the entry that the certificate fits. */
  readonly issuer?: string;
  /** The groups it is in: the hub's own, and those its issuer says. */
  readonly groups?: readonly string[];
  /** Through whom the call comes; absent when it makes it itself. */
  readonly chain?: CallerChain;
  /** An operator acts for it: with what groups and scopes it would call, and how it would sign in, is not known. */
  readonly isStandIn?: boolean;
  /** Where calls with its key may come from; absent: from everywhere. */
  readonly bounds?: KeyBounds;
  /** The access token it came with, for agents that are called with it. */
  readonly token?: SubjectToken;
  /** The session that holds this token: a sign-in at the console. */
  readonly session?: { readonly id: string; readonly expiresAt: Date };
  /** Asked again while a call of it is open. */
  readonly voucher?: Voucher;
  /** When that key, or the token or certificate it signed in with, expires. */
  readonly expiresAt?: Date;
}

/** A principal, of what is known of it. */
export function principalOf({
  scopes,
  expiresAt,
  ...known
}: Omit<Principal, 'scopes' | 'expiresAt'> & {
  readonly scopes: readonly Scope[];
  readonly expiresAt?: Date | null;
}): Principal {
  return Object.freeze({
    ...known,
    scopes: new Set(scopes),
    ...(expiresAt != null && { expiresAt }),
  });
}

/**
 * Whose rows a store call may see. Every store call that serves a caller takes one; a row outside
 * it does not exist for that call.
 */
export type Visibility =
  | { readonly kind: 'principal'; readonly principalId: string; readonly organization: string }
  | { readonly kind: 'organization'; readonly organization: string }
  /** The hub itself (runner, recovery, push worker) and operators. */
  | { readonly kind: 'everything' };

export const EVERYTHING: Visibility = { kind: 'everything' };

/** True when the principal holds the scope, or one that holds it. */
export function hasScope({ scopes }: Principal, scope: Scope): boolean {
  return holds(scopes, scope);
}

/**
 * What this principal sees in the A2A API: its own rows, or its organization's with scope
 * `tasks:organization`. Being an operator (`admin`, `tasks:all`) widens nothing there; the admin API uses
 * {@link EVERYTHING} after checking the scope.
 */
export function visibilityOf(principal: Principal): Visibility {
  return principal.scopes.has('tasks:organization')
    ? { kind: 'organization', organization: principal.organization }
    : {
        kind: 'principal',
        principalId: principal.id,
        organization: principal.organization,
      };
}
