import { createRequire } from 'node:module';
import type Driver from 'better-sqlite3';

export type SqliteConnection = Driver.Database;
export type SqliteStatement<
  Parameters extends unknown[] | object = unknown[],
  Result = unknown,
> = Driver.Statement<Parameters, Result>;

/** The version of Node-API that better-sqlite3 13 is compiled for: Node 22.14 and later have it, no Node 20 has. */
const NODE_API = 10;

const load = createRequire(import.meta.url);

/**
 * The package of the SQLite driver. better-sqlite3 12, which is compiled for one version of Node, ends the process from Node 24.19
 * on when its statements are collected; 13 needs {@link NODE_API} (ADR 0070).
 */
export const SQLITE_PACKAGE = packageFor(Number(process.versions['napi']));

/** The SQLite driver that this Node runs. Where it is not installed, opening a database throws a sentence for the operator. */
export const BetterSqlite3 = driverFrom(() => load(SQLITE_PACKAGE) as typeof Driver);

/** Where other threads load it from. */
export function sqlitePackageFile(): string {
  return load.resolve(SQLITE_PACKAGE);
}

export function packageFor(nodeApi: number): 'better-sqlite3' | 'better-sqlite3-napi' {
  return nodeApi >= NODE_API ? 'better-sqlite3-napi' : 'better-sqlite3';
}

export function driverFrom(read: () => typeof Driver): typeof Driver {
  try {
    return read();
  } catch (cause) {
    const missing = function (): never {
      const advice =
        'install the packages again where python3, make and a C++ compiler are, or use Node 22.14 or later, or PostgreSQL (database.url)';
      const text = `the SQLite driver is not installed for Node ${process.versions.node}: ${advice}.`;
      throw new Error(text, { cause });
    };
    return missing as unknown as typeof Driver;
  }
}
