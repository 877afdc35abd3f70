import type { DataOwner } from '../common/owned-data.js';
import type { Page } from '../common/page.js';
import type { Scope } from '../common/scope.js';
import type { Tx, Work } from '../database/sql.js';
import type { Authority } from './authority.js';
import type { PrincipalStatus } from './domain/hold.js';
import type { IdentityRecord } from './identity-store.js';
import type { Principal } from './principal.js';

/** A principal as operators see it. */
export interface PrincipalRecord {
  readonly id: string;
  readonly organization: string;
  /** What people call it; null where nobody has said. */
  readonly displayName: string | null;
  /** As `PrincipalNames` has it; null: it has none. */
  readonly name: string | null;
  /** The hub's own groups it is in. */
  readonly groups: readonly string[];
  readonly createdAt: Date;
  /** Null while it is enabled itself. */
  readonly disabledAt: Date | null;
  /** Only an operator of all organizations enables it again. */
  readonly disabledByOperator: boolean;
  /** Null while its organization is enabled. */
  readonly organizationDisabledAt: Date | null;
  /** Since when it has no valid key; null while it has one. */
  readonly keylessSince: Date | null;
  /** Keys that are not revoked. */
  readonly validKeys: number;
  /** A valid key or sign-in of it has the scope `a2a`, or the configuration lets it in. */
  readonly holdsA2a: boolean;
  /** Whom an issuer knows it as; null for a principal that came with a key. */
  readonly identity: IdentityRecord | null;
  /** The configuration lets it in, with a key or without: it never counts as one without a key. */
  readonly builtIn: boolean;
  readonly status: PrincipalStatus;
}

export const PRINCIPAL_STATES = ['active', 'keyless', 'disabled'] as const;
/** `keyless`: enabled, but without a valid key; `disabled`: it or its organization. */
export type PrincipalState = (typeof PRINCIPAL_STATES)[number];

export interface PrincipalFilter {
  readonly organization?: string | undefined;
  readonly state?: PrincipalState | undefined;
  /** The subject that an issuer knows it as. */
  readonly subject?: string | undefined;
  /** One of the hub's own groups. */
  readonly group?: string | undefined;
  /** A part of the id, of the name, of the subject or of the name of its oldest valid key, a to z in either case; a page may then be empty and not the last. */
  readonly text?: string | undefined;
}

/** A principal to be made, without a key. */
export interface NewPrincipal {
  readonly id: string;
  readonly organization: string;
  readonly displayName: string | null;
  readonly groups: readonly string[];
  readonly createdAt: Date;
}

/** What of a principal can be changed; what is absent stays. */
export type PrincipalEdits = Partial<Pick<NewPrincipal, 'displayName' | 'groups'>>;

/** A principal, and what it came with: neither where the configuration lets it in. */
export type Caller = Pick<Principal, 'id' | 'organization' | 'keyId' | 'identityId'>;

/** A principal whose belongings may not all be as its status says yet. */
export interface UnreconciledPrincipal {
  readonly id: string;
  /** The change they are to be brought in line with. */
  readonly revision: number;
}

/** Principals and how they stand. Their keys are in `ApiKeyStore`. */
export abstract class PrincipalStore {
  abstract get(id: string): Promise<PrincipalRecord | undefined>;

  /** By id, the newest first; `cursor` is the `nextCursor` of the page before. */
  abstract list(
    filter: PrincipalFilter,
    limit: number,
    cursor?: string,
  ): Promise<Page<PrincipalRecord>>;

  /**
   * Makes a principal; false when there is one of its id. Its organization is made when there is none, or (`isListed`)
   * refused with INVALID_PARAMS; CONFLICT when that is disabled, or the data of either is being deleted.
   */
  abstract create(principal: NewPrincipal, isListed: boolean): Promise<boolean>;

  /** False when there is none of an organization that `by` administers: whose id it is may have changed since it was read. */
  abstract change(id: string, edits: PrincipalEdits, by: Authority): Promise<boolean>;

  /**
   * Deletes a principal with its keys, sessions and sign-in, unless `left` finds what it still has, in the same transaction. False
   * as {@link change}; CONFLICT when it is not disabled. Rejects as {@link enable} does.
   */
  abstract delete(
    id: string,
    by: Authority,
    left: (tx: Tx, id: string) => Work<void>,
  ): Promise<boolean>;

  /**
   * Disables a principal: no key of it is valid from the commit on. The time of the first call stays.
   * False as {@link change}. Throws what `by` refuses.
   */
  abstract disable(id: string, at: Date, by: Authority): Promise<boolean>;

  /**
   * Its keys count again. False as {@link change}. Throws what `by` refuses, and PERMISSION_DENIED for one that was disabled
   * by an authority over all organizations, unless this is one.
   */
  abstract enable(id: string, by: Authority): Promise<boolean>;

  /** The scopes of the valid keys and sign-ins of a principal, or of all of an organization. */
  abstract scopesHeld(of: DataOwner): Promise<readonly Scope[]>;

  /**
   * A principal that the configuration lets in, if `isLetIn`: it is enabled, whatever its organization is. One that was
   * and is not any more is like all others.
   */
  abstract setBuiltIn(id: string, organization: string, isLetIn: boolean, at: Date): Promise<void>;

  /** Raised whenever a key or a principal ends, will end sooner or comes back, whichever process does it. */
  abstract revision(): Promise<number>;

  /**
   * Those of these keys and sign-ins that are valid (not revoked, their principal not disabled), with when a key
   * expires; null: not by itself.
   */
  abstract validCredentials(ids: readonly string[]): Promise<ReadonlyMap<string, Date | null>>;

  /** How these stand; those without a row lack nothing and are left out. */
  abstract statuses(ids: readonly string[]): Promise<ReadonlyMap<string, PrincipalStatus>>;

  /** The same in a transaction; they cannot change until it ends. */
  abstract statusesIn(tx: Tx, ids: readonly string[]): Work<ReadonlyMap<string, PrincipalStatus>>;

  /**
   * Whether a caller is there and enabled, of its organization, with the key or the sign-in that it came with; that stays so
   * until the transaction ends.
   */
  abstract isPresentIn(tx: Tx, caller: Caller): Work<boolean>;

  /** Those that lost their last valid key after `from` and not after `until`. */
  abstract keylessBetween(from: Date, until: Date): Promise<readonly string[]>;

  /** Those whose belongings have to be looked through. */
  abstract unreconciled(): Promise<readonly UnreconciledPrincipal[]>;

  /** Has the belongings of a principal looked through. */
  abstract markUnreconciled(id: string): Promise<void>;

  /** They have been, for this change. */
  abstract reconciled(which: UnreconciledPrincipal): Promise<void>;
}
