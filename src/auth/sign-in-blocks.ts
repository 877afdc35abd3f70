import type { Page } from '../common/page.js';
import type { Tx, Work } from '../database/sql.js';
import type { SignIn } from './identity-store.js';

/** Somebody whose data was deleted and who may not sign in again. */
export interface SignInBlock {
  /** A keyed digest of whom it is for: it names nobody. */
  readonly id: string;
  readonly createdAt: Date;
}

/** Whose sign-in is meant. */
export type BlockedCaller = Pick<SignIn, 'issuer' | 'subject' | 'organization'>;

/**
 * Those who may not sign in again after their data was deleted: the next sign-in would make a new principal of them. Nobody
 * can be found out from a block; whoever is refused by it is told its id.
 */
export abstract class SignInBlocks {
  /** The id of the block that would be for this caller. */
  abstract idFor(caller: BlockedCaller): Promise<string>;

  abstract isBlocked(tx: Tx, id: string): Work<boolean>;

  abstract addIn(tx: Tx, ids: readonly string[], at: Date): Work<void>;

  /** By id; `cursor` is the `nextCursor` of the page before. */
  abstract list(limit: number, cursor?: string): Promise<Page<SignInBlock>>;

  /** False when there is none. */
  abstract lift(id: string): Promise<boolean>;
}
