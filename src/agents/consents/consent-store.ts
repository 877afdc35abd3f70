import type { Visibility } from '../../auth/index.js';
import type { Page } from '../../common/page.js';
import type { Tx, Work } from '../../database/sql.js';
import type { Consent, ConsentKey, ConsentRecord, ConsentTokens } from './consent.js';

export interface ConsentFilter {
  readonly principal?: string | undefined;
  readonly agent?: string | undefined;
}

/** One that counts no more, and why. */
export interface EndedConsent {
  readonly id: string;
  readonly cause: 'disabled-principal' | 'deleted-agent';
}

/** With its tokens, or null for those that cannot be opened now. */
export interface RemovedConsent extends ConsentRecord {
  readonly tokens: ConsentTokens | null;
}

/** Consents of users, each with its tokens, encrypted. */
export abstract class ConsentStore {
  /**
   * Undefined when there is none, or its principal is disabled or deleted. Rejects with `SecretLockedError` when the tokens cannot be
   * opened now.
   */
  abstract of(key: ConsentKey): Promise<Consent | undefined>;

  /**
   * Stores it in place of that of the same key; false when its principal, or that organization, is disabled, or it is deleted. Rejects
   * when it was not stored, and with `CommitUnknown` when that cannot be found out.
   */
  abstract put(consent: Consent): Promise<boolean>;

  /**
   * Reserves the renewal of the tokens that came at `tokenAt`, until `until`: false when they are not those in use any more, or
   * somebody else has reserved it.
   */
  abstract reserve(id: string, tokenAt: Date, until: Date, now: Date): Promise<boolean>;

  /** Ends a reservation without new tokens. */
  abstract release(id: string, tokenAt: Date): Promise<void>;

  /** Replaces the tokens that came at `tokenAt`; false when they are not those in use any more. Rejects as {@link put} does. */
  abstract renew(id: string, tokenAt: Date, tokens: ConsentTokens, now: Date): Promise<boolean>;

  /** Deletes it, when its tokens are still those that came at `tokenAt`; false when they are not. */
  abstract removeWith(tx: Tx, id: string, tokenAt: Date): Work<boolean>;

  /** Deletes one that is visible. Undefined when there is none. */
  abstract remove(id: string, visibility: Visibility): Promise<RemovedConsent | undefined>;

  /** The same in a transaction. */
  abstract removeIn(tx: Tx, id: string, visibility: Visibility): Work<RemovedConsent | undefined>;

  /** By id. */
  abstract list(
    visibility: Visibility,
    filter: ConsentFilter,
    limit: number,
    cursor?: string,
  ): Promise<Page<ConsentRecord>>;

  /** Those whose principal or its organization is disabled, or whose principal or agent was deleted. */
  abstract ended(limit: number): Promise<readonly EndedConsent[]>;
}
