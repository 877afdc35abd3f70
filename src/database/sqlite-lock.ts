import { closeSync, openSync } from 'node:fs';
import { BetterSqlite3, type SqliteConnection } from './better-sqlite3.js';
import { isBusy, isNoDatabase } from './dialect.js';

/**
 * Proves that this process alone has the database file. It is an exclusive SQLite lock on the side
 * file `PATH.lock`, held until {@link release} or until the operating system ends the process, so a
 * killed hub leaves nothing behind that would have to be removed. The side file belongs to the file
 * itself: a symbolic link to it is the same database.
 */
export class SqliteLock {
  private constructor(private readonly side: SqliteConnection) {}

  /** `path` is no link. Throws a sentence for the operator when another process has the file. */
  static acquire(path: string): SqliteLock {
    const lock = `${path}.lock`;
    makePrivate(lock);
    const side = new BetterSqlite3(lock, { timeout: 0 });
    try {
      side.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      side.close();
      if (isNoDatabase(error)) {
        const text = `${lock}, by which a hub shows that it has the database, is damaged: remove it while no hub runs.`;
        throw new Error(text, { cause: error });
      }
      if (!isBusy(error)) throw error;
      throw new Error(
        `another process is using the database ${path} (it holds ${lock}). ` +
          'Stop it first; several hubs at once need PostgreSQL (database.url: postgres://…).',
        { cause: error },
      );
    }
    return new SqliteLock(side);
  }

  release(): void {
    if (this.side.open) this.side.close();
  }
}

/**
 * Makes the file, for the hub alone to read, when there is none. SQLite gives its side files (`-wal`, `-shm`)
 * the rights of the file.
 */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}
