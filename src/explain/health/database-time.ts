/** The clock of the database, by which processes that share it agree. */
export abstract class DatabaseTime {
  /** Epoch milliseconds; null where it is the clock of this process (SQLite). */
  abstract now(): Promise<number | null>;
}
