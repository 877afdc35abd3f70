import type { Durability } from '../database/database.js';
import type { Tx, Work } from '../database/sql.js';
import type { AuditEntry } from './audit-entry.js';
import type { ChainPlace } from './domain/audit-event.js';

/** Where the chain of a process is. */
export interface ChainHead extends ChainPlace {
  readonly chain: string;
}

/**
 * The audit log: append-only, each entry with the hash of the one before it. A process writes one chain; what is
 * recorded in the same moment shares a commit.
 */
export abstract class AuditLog {
  /** The last entry this process has written; undefined before the first. */
  abstract readonly head: ChainHead | undefined;

  /** Resolves with the id of the entry when it is durable; rejects when it cannot be stored. */
  abstract record(entry: AuditEntry): Promise<string>;

  /**
   * Entries that follow from other rows: `work` reads them, and notes that it has, in the transaction of the entries,
   * so that a crash neither loses nor doubles one. Resolves with how many entries there were. `durability`: see
   * `Database.write`.
   */
  abstract recordFrom(
    work: (tx: Tx) => Work<readonly AuditEntry[]>,
    durability?: Durability,
  ): Promise<number>;
}
