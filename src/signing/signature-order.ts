import type { Tx, Work } from '../database/sql.js';

/**
 * The order of what is signed for as long as the database: clocks of processes differ and are set back, so whether something
 * was signed before a key was revoked is said by its number. `signing` knows only this port; `audit` binds it.
 */
export abstract class SignatureOrder {
  /** The number of the last that was signed; 0 when nothing was. Read behind a lock that keeps others from signing with the key in question. */
  abstract last(tx: Tx): Work<number>;
}
