import type { Tx, Work } from '../../database/sql.js';
import type { Session, SessionBounds, SessionRecord, SessionTokens } from './session.js';

/** When a session is over. */
export interface SessionEnd {
  readonly now: Date;
  /** One that was not used since then is over. */
  readonly idleSince: Date;
}

/** Sessions of the console, by the secret of their cookie, of which a digest alone is kept; with their tokens, encrypted. */
export abstract class SessionStore {
  /**
   * Keeps a new one. Beyond the bound of its principal, those that were not used the longest go; `too-many`: there are as many
   * as there may be in all. `disabled`: its principal or that organization is, or it is deleted.
   */
  abstract begin(
    tx: Tx,
    session: Session,
    secret: string,
    bounds: SessionBounds,
  ): Work<'begun' | 'disabled' | 'too-many'>;

  /** Undefined when there is none, or it is over. Rejects with `SecretLockedError` when its tokens cannot be opened now. */
  abstract of(secret: string, end: SessionEnd): Promise<Session | undefined>;

  /** Notes that its page has called. */
  abstract used(id: string, at: Date): Promise<void>;

  /**
   * Reserves the renewal of the tokens that came at `tokenAt`, until `until`: false when they are not those in use any more, or
   * somebody else has reserved it.
   */
  abstract reserve(id: string, tokenAt: Date, until: Date, now: Date): Promise<boolean>;

  /** Ends a reservation without new tokens. */
  abstract release(id: string, tokenAt: Date): Promise<void>;

  /**
   * Replaces the tokens that came at `tokenAt`; false when they are not those in use any more. Rejects with `CommitUnknown` when it
   * could not be found out whether it did.
   */
  abstract renew(id: string, tokenAt: Date, tokens: SessionTokens, now: Date): Promise<boolean>;

  /** Deletes the one of a cookie. Undefined when there is none; without tokens where they cannot be opened. */
  abstract end(tx: Tx, secret: string): Work<(SessionRecord & Partial<SessionTokens>) | undefined>;

  /** Deletes one whose tokens are still those that came at `tokenAt`; false when there is none. */
  abstract remove(tx: Tx, id: string, tokenAt: Date): Work<boolean>;

  /** Deletes some that are over, or whose principal is disabled or deleted; how many that were. */
  abstract sweep(end: SessionEnd, limit: number): Promise<number>;
}
