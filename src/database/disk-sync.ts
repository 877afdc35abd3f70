import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { SqliteConnection } from './better-sqlite3.js';
import { CheckpointThread, type Checkpoint } from './checkpoint-thread.js';

const toDisk = promisify(fdatasync);

/** Brings a SQLite database to the disk, beside the event loop. */
export interface DiskSync {
  /** Resolves when all that has been written to the write-ahead log is on the disk. */
  log(): Promise<void>;
  /**
   * Copies the write-ahead log, as it is when the copy begins, into the database file, while commits and reads
   * go on; one at a time. Rejects with SQLite's error and its `code`.
   */
  copy(): Promise<Checkpoint>;
  /** Ends what copies. While the connection is open. */
  endCopies(): Promise<void>;
  /** After the connection is closed. */
  close(): void;
}

/**
 * Of a database with a write-ahead log; null when it has none (in memory, or a file system that cannot
 * have one): then SQLite itself waits for the disk.
 */
export function diskSyncOf(connection: SqliteConnection): DiskSync | null {
  if (connection.memory || connection.pragma('journal_mode', { simple: true }) !== 'wal') {
    return null;
  }
  // SQLite makes the log when the database is first read.
  connection.pragma('user_version');
  // Never the database file or `-shm`: closing a file gives up all locks that the process has on it (POSIX).
  const log = openSync(`${connection.name}-wal`, 'r+');
  const checkpoints = new CheckpointThread(connection.name);
  return {
    log: () => toDisk(log),
    copy: () => checkpoints.copy(),
    endCopies: () => checkpoints.close(),
    close: () => closeSync(log),
  };
}
