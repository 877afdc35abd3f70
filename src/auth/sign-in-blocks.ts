import type { Page } from '../common/page.js';
import type { Tx, Work } from '../database/sql.js';
import type { SignIn } from './identity-store.js';

/** Somebody whose data was deleted and who may not sign in again. */
export interface SignInBlock {
  /** A keyed digest of whom it is for: it names nobody. */
  readonly id: string;
  readonly createdAt: Date;
}

/** Whose sign-in is meant: that of one caller, or all of an organization. */
export type BlockedCaller = Pick<SignIn, 'issuer' | 'subject' | 'organization'>;

/**
 * Those who may not sign in again after their data was deleted: the next sign-in would make a new principal of them. Nobody
 * can be found out from a block; whoever is refused by it is told its id.
 */
export abstract class SignInBlocks {
  /** The ids of the blocks that would be for this caller: of itself, and of its organization. */
  abstract idsFor(caller: BlockedCaller): Promise<readonly string[]>;

  abstract idForOrganization(organization: string): Promise<string>;

  /** The first of these ids that is blocked. */
  abstract blockedIn(tx: Tx, ids: readonly string[]): Work<string | undefined>;

  abstract addIn(tx: Tx, ids: readonly string[], at: Date): Work<void>;

  /** By id; `cursor` is the `nextCursor` of the page before. */
  abstract list(limit: number, cursor?: string): Promise<Page<SignInBlock>>;

  /** False when there is none. */
  abstract lift(id: string): Promise<boolean>;
}
