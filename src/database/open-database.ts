import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DataSource } from 'typeorm';
import type { Log } from '../common/logger.js';
import { makePrivateDirectory } from '../common/private-directory.js';
import { realPathOf } from '../common/real-path.js';
import { createDataSource, sqlitePath, type DatabaseSettings } from './data-source.js';
import type { Database } from './database.js';
import { isDatabaseTrouble } from './dialect.js';
import { POSTGRES_BOUNDS, type PostgresBounds } from './postgres-bounds.js';
import { PostgresDatabase } from './postgres.database.js';
import { MIGRATIONS_TABLE, missingOf, type Ran, unknownMigration } from './pending-migrations.js';
import { reachPostgres } from './reach-postgres.js';
import type { Schema } from './schema.js';
import { SqliteDatabase } from './sqlite.database.js';
import { SqliteLock, makePrivate } from './sqlite-lock.js';

export interface OpenOptions {
  /**
   * Bring the schema up to date first. SQLite always does; on PostgreSQL the hub refuses to start
   * without it while migrations are pending, so that several processes never race.
   */
  readonly migrate?: boolean;
  readonly log?: Log;
  /** How long a PostgreSQL server is waited for that cannot be reached yet. Default a minute. */
  readonly waitMs?: number;
  /** Default {@link POSTGRES_BOUNDS}. */
  readonly bounds?: PostgresBounds;
}

/** A server that starts together with the hub has made its files and recovered by then. */
const WAIT_MS = 60_000;

/** Rights of the group and of others. */
const OTHERS = 0o077;

/** Serialises `migrate` runs on one PostgreSQL. */
const MIGRATION_LOCK = 4_282_024_001;

/**
 * Opens the hub's database, which has the tables of `schema`. Throws a sentence for the operator when another process has the SQLite
 * file, or when PostgreSQL cannot be reached for `waitMs`, refuses or waits for `migrate`.
 */
export async function openDatabase(
  settings: DatabaseSettings,
  schema: Schema,
  options: OpenOptions = {},
): Promise<Database> {
  const path = sqlitePath(settings.url);
  // The lock and the write-ahead log are beside the file itself, not beside a link to it.
  return path === null
    ? openPostgres(settings, schema, options)
    : openSqlite(settings, path === ':memory:' ? path : realPathOf(path), schema, options);
}

/** Makes the file, if need be, and takes its lock; throws a sentence for the operator when its directory cannot be written. */
function lockFile(path: string): SqliteLock {
  let lock: SqliteLock | null = null;
  try {
    makePrivateDirectory(dirname(path));
    lock = SqliteLock.acquire(path);
    makePrivate(path);
    return lock;
  } catch (error) {
    lock?.release();
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !UNWRITABLE.has(code)) throw error;
    throw new Error(
      `the directory of the database, ${dirname(path)}, cannot be written by this user (${code}): ` +
        'give it the right to, or choose another by database.url (A2A_HUB__DATABASE__URL).',
      { cause: error },
    );
  }
}

/** What the system says of a directory that cannot be made, or written. */
const UNWRITABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR']);

async function openSqlite(
  settings: DatabaseSettings,
  path: string,
  schema: Schema,
  { log }: OpenOptions,
): Promise<Database> {
  let lock: SqliteLock | null = null;
  const isNew = path !== ':memory:' && !isThere(path);
  if (path !== ':memory:') {
    lock = lockFile(path);
    if ((statSync(path).mode & OTHERS) !== 0) {
      log?.warn({ path }, 'others can read the database: chmod 600 keeps it to the hub');
    }
  }
  try {
    const source = await createDataSource(
      { ...settings, url: `sqlite:${path}` },
      schema,
      log,
    ).initialize();
    return await ready(source, async () => {
      refuseOtherVersion(source, await ranMigrations(source));
      await source.runMigrations();
      await checkColumns(source);
      // Said, since a path that is mistyped makes a hub without agents, keys and tasks.
      if (isNew) log?.info({ path }, `made a new database at ${path} (database.url)`);
      return new SqliteDatabase(source, lock, undefined, log);
    });
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function isThere(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0;
}

async function openPostgres(
  settings: DatabaseSettings,
  schema: Schema,
  { migrate = false, log, waitMs = WAIT_MS, bounds = POSTGRES_BOUNDS }: OpenOptions,
): Promise<Database> {
  const connections = { bounds, unlimited: migrate };
  const open = (): Promise<DataSource> =>
    createDataSource(settings, schema, log, connections).initialize();
  const source = await reachPostgres(open, settings.url, waitMs, bounds.connectMs, log);
  return ready(source, async () => {
    const done = await ranMigrations(source);
    refuseOtherVersion(source, done);
    if (migrate) {
      await migratePostgres(source);
    } else if (missingOf(source, done).length > 0) {
      throw new Error(
        'the database schema is not up to date: run the command `migrate` once ' +
          '(node dist/main.js migrate), then start the hub again.',
      );
    }
    await checkColumns(source);
    return new PostgresDatabase(source, bounds);
  });
}

async function ready(source: DataSource, finish: () => Promise<Database>): Promise<Database> {
  try {
    return await finish();
  } catch (error) {
    await source.destroy();
    throw error;
  }
}

/**
 * Throws a sentence when the database has a migration that this version does not know: another version made it.
 * Nothing of it is changed.
 */
function refuseOtherVersion(source: DataSource, done: readonly Ran[]): void {
  const unknown = unknownMigration(source, done);
  if (unknown === undefined) return;
  throw new Error(
    `the database was made by another version of the hub: it has the migration ${unknown}, which this version does not know. ` +
      'Start that version, or make the database anew (remove it, or name another by database.url). Nothing in it was changed.',
  );
}

/** The migrations that a database has run; none without their table, which is not made: `migrate` makes it, perhaps at this moment. */
async function ranMigrations(source: DataSource): Promise<readonly Ran[]> {
  const runner = source.createQueryRunner();
  try {
    if (!(await runner.hasTable(MIGRATIONS_TABLE))) return [];
  } finally {
    await runner.release();
  }
  return source.query<Ran[]>(`SELECT name FROM ${MIGRATIONS_TABLE}`);
}

/** Throws a sentence when a migration has been changed since this database ran it, which no release does. */
async function checkColumns(source: DataSource): Promise<void> {
  for (const { tableName, columns } of source.entityMetadatas) {
    const names = columns.map(({ databaseName }) => `${tableName}.${databaseName}`).join(', ');
    try {
      await source.query(`SELECT ${names} FROM ${tableName} WHERE 1 = 0`);
    } catch (cause) {
      if (isDatabaseTrouble(cause)) throw cause;
      throw new Error(
        `the table ${tableName} of this database was made by an older development version and cannot be brought up to date: make the database anew (remove it, or name another by database.url).`,
        { cause },
      );
    }
  }
}

async function migratePostgres(source: DataSource): Promise<void> {
  const holder = source.createQueryRunner();
  try {
    await holder.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await source.runMigrations();
  } finally {
    await holder.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await holder.release();
  }
}
