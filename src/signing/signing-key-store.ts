import type { Tx, Work } from '../database/sql.js';
import type { SigningKey } from './signing-key.js';

/** The keys the hub signs with, shared by all processes of one database. */
export abstract class SigningKeyStore {
  /** Every key there ever was, by generation, ascending. */
  abstract all(): Promise<readonly SigningKey[]>;

  /**
   * Adds a key, and forgets the private parts of the keys before the generation `signing`. False, and
   * nothing changes, when its generation is taken: another process was first.
   */
  abstract add(key: SigningKey, signing: number): Promise<boolean>;

  /**
   * Revokes a key for ever and forgets its private part; false when there is none with this `kid`. The
   * first revocation's time and place in the order stay.
   */
  abstract revoke(kid: string, at: Date): Promise<boolean>;

  /** Whether there is this key and it is not revoked; then it is not until the transaction ends. */
  abstract hold(tx: Tx, kid: string): Work<boolean>;
}
