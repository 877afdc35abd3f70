import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type BetterSqlite3 from 'better-sqlite3';

const toDisk = promisify(fdatasync);

/** Brings the files of a SQLite database to the disk, beside the event loop. */
export interface DiskSync {
  /** Resolves when all that has been written to the write-ahead log is on the disk. */
  log(): Promise<void>;
  /** Resolves when all that has been copied into the database file is on the disk. */
  file(): Promise<void>;
  /** Only after the connection is closed: closing a file gives up all locks of the process on it (POSIX). */
  close(): void;
}

/**
 * Of a database with a write-ahead log; null when it has none (in memory, or a file system that cannot
 * have one): then SQLite itself waits for the disk.
 */
export function diskSyncOf(connection: BetterSqlite3.Database): DiskSync | null {
  if (connection.memory || connection.pragma('journal_mode', { simple: true }) !== 'wal') {
    return null;
  }
  // SQLite makes the log when the database is first read.
  connection.pragma('user_version');
  const path = connection.name;
  const file = openSync(path, 'r+');
  let log: number;
  try {
    log = openSync(`${path}-wal`, 'r+');
  } catch (error) {
    // The lock of this process is on another file; SQLite takes its own anew for each transaction.
    closeSync(file);
    throw error;
  }
  return {
    log: () => toDisk(log),
    file: () => toDisk(file),
    close: () => {
      closeSync(log);
      closeSync(file);
    },
  };
}
