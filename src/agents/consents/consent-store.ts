import type { Visibility } from '../../auth/index.js';
import type { Page } from '../../common/page.js';
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

/** Consents of users, each with its tokens, encrypted. */
export abstract class ConsentStore {
  /**
   * Undefined when there is none, or its principal is disabled. Rejects with `SecretLockedError` when the tokens cannot be
   * opened now.
   */
  abstract of(key: ConsentKey): Promise<Consent | undefined>;

  /** Stores it in place of that of the same key. */
  abstract put(consent: Consent): Promise<void>;

  /**
   * Reserves the renewal of the tokens that came at `tokenAt`, until `until`: false when they are not those in use any more, or
   * somebody else has reserved it.
   */
  abstract reserve(id: string, tokenAt: Date, until: Date, now: Date): Promise<boolean>;

  /** Ends a reservation without new tokens. */
  abstract release(id: string, tokenAt: Date): Promise<void>;

  /** Replaces the tokens that came at `tokenAt`; false when they are not those in use any more. */
  abstract renew(id: string, tokenAt: Date, tokens: ConsentTokens, now: Date): Promise<boolean>;

  /** Deletes it, when its tokens are still those that came at `tokenAt`; false when they are not. */
  abstract removeWith(id: string, tokenAt: Date): Promise<boolean>;

  /** Deletes one that is visible; with its tokens, or null for those that cannot be opened now. Undefined when there is none. */
  abstract remove(
    id: string,
    visibility: Visibility,
  ): Promise<(ConsentRecord & { readonly tokens: ConsentTokens | null }) | undefined>;

  /** By id. */
  abstract list(
    visibility: Visibility,
    filter: ConsentFilter,
    limit: number,
    cursor?: string,
  ): Promise<Page<ConsentRecord>>;

  /** Those whose principal or its organization is disabled, or whose agent was deleted. */
  abstract ended(limit: number): Promise<readonly EndedConsent[]>;
}
