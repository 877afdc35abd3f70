import { HubError } from '../common/hub-error.js';
import type { Page } from '../common/page.js';
import { Signal } from '../common/signal.js';
import type { Scope } from '../common/scope.js';

/** One key of a principal. The key itself is known to its holder only. */
export interface ApiKey {
  readonly id: string;
  readonly principalId: string;
  /** The principal's. */
  readonly organization: string;
  /** What the key is for, in its maker's words. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the whole key, in hexadecimal. */
  readonly hash: string;
  readonly createdAt: Date;
  /** Set once; a revoked key stays listed. */
  readonly revokedAt: Date | null;
  /** From then on it is not valid; null: it is until it is revoked. */
  readonly expiresAt: Date | null;
  /** About a minute exact; null: not since uses are noted. */
  readonly lastUsedAt: Date | null;
  /** Addresses and CIDR blocks its calls may come from; none: from everywhere. */
  readonly allowedNetworks: readonly string[];
  /** Origins of web pages its calls may come from; none: from everywhere. */
  readonly allowedOrigins: readonly string[];
  /** The id of the key that was made in its place; null: it was not rotated. */
  readonly replacedBy: string | null;
  /** The hub's own groups that its principal is in. */
  readonly groups: readonly string[];
}

/** Why a key is refused whatever the time is. */
export type KeyFault = 'revoked-key' | 'disabled-principal' | 'disabled-organization';

/** A key that a caller names. */
export interface PresentedKey {
  readonly key: ApiKey;
  /** Null: it is neither revoked nor its principal or organization disabled. */
  readonly fault: KeyFault | null;
}

/** What a new key for use from everywhere says, of a principal in no group. */
export const UNBOUNDED: Pick<
  ApiKey,
  'allowedNetworks' | 'allowedOrigins' | 'replacedBy' | 'groups'
> = Object.freeze({ allowedNetworks: [], allowedOrigins: [], replacedBy: null, groups: [] });

/** What of a key can be changed; what is absent stays. */
export type KeyChanges = Partial<
  Pick<ApiKey, 'name' | 'expiresAt' | 'allowedNetworks' | 'allowedOrigins'>
>;

/** Which keys are listed. */
export interface KeyFilter {
  /** Null: of all organizations. */
  readonly organization: string | null;
  readonly principal?: string | undefined;
}

/** A principal without a valid key. */
export interface Keyless {
  readonly principal: string;
  /** When its last key expired. */
  readonly since: Date;
}

/**
 * What becomes of the principal of a new key. `open`: it is made when there is none, and so is its organization;
 * `listed`: that has to be there (INVALID_PARAMS). `known`: the principal has to be there, in the organization of the key
 * (INVALID_PARAMS). `own`: it is the hub's own, made and enabled whatever its organization is.
 */
export type KeyAdmission = 'open' | 'listed' | 'known' | 'own';

/** Principals and their keys. */
export abstract class ApiKeyStore {
  /**
   * Adds a key, and its principal as `admission` says (default `open`). The organization of a principal that exists is
   * left as it is, whatever `key.organization` says. Rejects when the key's id is taken, and with
   * HubError CONFLICT when the principal or its organization is disabled.
   */
  abstract add(key: ApiKey, admission?: KeyAdmission): Promise<void>;

  /**
   * Adds a key in the place of another one of its principal, which is valid until `until` then, or as long as before when
   * that is shorter. False when that one is not valid when the new
   * one is made. Rejects with HubError CONFLICT when the principal is disabled, or another valid key is in the place already.
   */
  abstract replace(oldId: string, key: ApiKey, until: Date): Promise<boolean>;

  /** The key, revoked or not. */
  abstract find(id: string): Promise<ApiKey | undefined>;

  /** The key, and what keeps it from being used. It may have expired. */
  abstract findPresented(id: string): Promise<PresentedKey | undefined>;

  private readonly keyAdded = new Signal();

  /** Calls the listener after each key that is added here, until the function that is given back is called. */
  onAdded(listener: () => void): () => void {
    return this.keyAdded.listen(listener);
  }

  protected added(): void {
    this.keyAdded.emit();
  }

  /** The organization of a principal, or undefined when there is no such principal. */
  abstract organizationOf(principalId: string): Promise<string | undefined>;

  /** Keys by id, newest first; `cursor` is the `nextCursor` of the page before. */
  abstract list(filter: KeyFilter, limit: number, cursor?: string): Promise<Page<ApiKey>>;

  /** Changes a key that is valid at that time; false when it is not. */
  abstract change(id: string, changes: KeyChanges, at: Date): Promise<boolean>;

  /** Revokes a key for ever; false when it does not exist. The first revocation's time stays. */
  abstract revoke(id: string, at: Date): Promise<boolean>;

  /**
   * When the oldest key with scope `admin` was made that is valid at that time, its principal and organization enabled;
   * undefined when there is none.
   */
  abstract adminKeySince(at: Date): Promise<Date | undefined>;

  /** Notes when keys were last used, by their ids; an older time than is known changes nothing. */
  abstract markUsed(uses: ReadonlyMap<string, Date>): Promise<void>;

  /**
   * Keys that have expired by then count for their principals as revoked ones from now on; those that have not, though that was
   * noted by a clock that was ahead, count again. Tells of each principal, disabled ones aside, that lost its last key by that.
   */
  abstract noteExpired(at: Date, lost?: (keyless: Keyless) => void): Promise<void>;

  /** The names of keys, by their ids; ids of none are left out. */
  abstract names(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** Whether more than one organization has a valid key or sign-in, operators' aside. */
  abstract hasSeveralOrganizations(): Promise<boolean>;
}

/** Why a key that has a valid one in its place already is not rotated. */
export function isReplaced(id: string, by: string): HubError {
  return new HubError(
    'CONFLICT',
    `The key ${id} was rotated already: ${by} is in its place. Rotate that one; or, where its value was lost, revoke it and rotate this one again.`,
  );
}

/** Why the end that its rotation has given to a key is not put off. */
export function endsAsReplaced(id: string, by: string): HubError {
  return new HubError(
    'CONFLICT',
    `The key ${id} was rotated, and ends as it was then said: ${by} is in its place. Change that one.`,
  );
}

/** Whether a key that ends at `before` would be valid for longer with the end `after`; null: it does not end. */
export function endsLater(after: Date | null, before: Date | null): boolean {
  return before !== null && (after === null || after > before);
}
