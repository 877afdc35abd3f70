import { HubError } from '../common/hub-error.js';
import { DatabaseTimes, type PoolUse } from './database-times.js';
import type { SqlValue, Tx, Work } from './sql.js';

/** Whether a write has to be on the disk before it is answered. */
export type Durability = 'durable' | 'may-be-lost';

/** The room of a database, in bytes. */
export interface DiskSpace {
  /** Free on the disk, for this process. */
  readonly free: number;
  /** Free in the file: what was deleted. */
  readonly reusable: number;
  /** All that the data takes. */
  readonly used: number;
}

/**
 * The hub's database: SQLite in a file (one process) or PostgreSQL. Every write of the hub goes
 * through {@link write}; there is no other way in.
 */
export abstract class Database {
  abstract readonly dialect: Tx['dialect'];

  /** What its works took, for metrics. */
  readonly times = new DatabaseTimes();

  /** The connections of this process; null where it has one only. */
  get pool(): PoolUse | null {
    return null;
  }

  /** No other process works on it while this one has it open: the file of SQLite is locked. */
  get soleProcess(): boolean {
    return this.dialect === 'sqlite';
  }

  /**
   * Runs `work` in one transaction and resolves after it is durable. On SQLite works run one at a
   * time, each without interruption; on PostgreSQL each has a connection of its own (READ COMMITTED).
   * Rejects with what `work` threw, after rolling back, and with `CommitUnknown` when nobody can tell whether its commit was made; it
   * changes nothing when it rejects with anything else. A failed statement ends the work: it cannot
   * catch the error and go on. One that stood in another's way (a deadlock) is begun again from its
   * start, a few times, so it changes nothing but rows.
   *
   * What `may-be-lost` survives the end of the process, but a power failure may take it back, from the
   * end, as if it had not been: for leases and their like. It need not wait for the disk.
   */
  abstract write<T>(work: (tx: Tx) => Work<T>, durability?: Durability): Promise<T>;

  /**
   * Rows of one query, of committed data only. On SQLite no row is read behind one of which `isEnough` says
   * so; PostgreSQL gives them all.
   */
  abstract read<R>(
    sql: string,
    params?: readonly SqlValue[],
    isEnough?: (row: R) => boolean,
  ): Promise<R[]>;

  /** Rejects when the database does not answer or migrations are pending (readiness). */
  abstract check(): Promise<void>;

  /** What room it has; null where that cannot be known (PostgreSQL, memory). */
  abstract diskSpace(): Promise<DiskSpace | null>;

  /** Lets the works under way finish, then closes. The module calls it last of all at shutdown. */
  abstract close(): Promise<void>;
}

/** What writes and reads are refused with after {@link Database.close}. */
export function databaseClosed(): HubError {
  return new HubError('UNAVAILABLE', 'the database is closed');
}
