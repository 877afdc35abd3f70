import type { PoolClient } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { BetterSqlite3, type SqliteConnection } from './better-sqlite3.js';
import type { Log } from '../common/logger.js';
import { MIGRATIONS_TABLE } from './pending-migrations.js';
import {
  KEEP_ALIVE_MS,
  limitStatements,
  POSTGRES_BOUNDS,
  type PostgresBounds,
} from './postgres-bounds.js';
import type { Schema } from './schema.js';

/** Where and how the hub's data is kept (`database.*` of the configuration). */
export interface DatabaseSettings {
  /** `sqlite:PATH`, `sqlite::memory:`, `postgres://…` or `postgresql://…`. */
  readonly url: string;
  /** SQLite: `full` survives a power cut, `normal` may lose the last moments then (never a kill). */
  readonly synchronous: 'full' | 'normal';
}

/** How long a SQLite statement waits for another program's lock (a backup, the sqlite3 shell). */
const BUSY_TIMEOUT_MS = 5000;
/** More made no send and no list cheaper, also with 100,000 tasks: what is not in it is in the cache of the system. */
const PAGE_CACHE_KIB = 16_384;
/** Pages of the write-ahead log (32 MiB) before SQLite itself copies them into the file: during migrations only. */
const CHECKPOINT_PAGES = 8_000;
/** Bytes of the write-ahead log that stay on the disk once what is in it has been copied. */
const MAX_LOG_SIZE = 64 * 1024 * 1024;

/** The SQLite file of the URL, `:memory:`, or null when it is a PostgreSQL URL. */
export function sqlitePath(url: string): string | null {
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length);
    if (path === '') throw new Error('database.url: "sqlite:" needs a path (sqlite:data/hub.db)');
    return path;
  }
  if (/^postgres(ql)?:\/\//.test(url)) return null;
  throw new Error('database.url must begin with sqlite: or postgres://');
}

/** How the connections to PostgreSQL are. */
export interface ConnectionOptions {
  readonly bounds?: PostgresBounds;
  /** Statements take as long as they take: those of migrations. */
  readonly unlimited?: boolean;
}

/** A TypeORM DataSource that is not connected yet. Only `database/` and tests use it directly. */
export function createDataSource(
  settings: DatabaseSettings,
  schema: Schema,
  log?: Log,
  { bounds = POSTGRES_BOUNDS, unlimited = false }: ConnectionOptions = {},
): DataSource {
  const common = {
    entities: [...schema.entities],
    migrations: [...schema.migrations],
    migrationsTableName: MIGRATIONS_TABLE,
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
  } as const satisfies Partial<DataSourceOptions>;
  const path = sqlitePath(settings.url);
  if (path === null) {
    return new DataSource({
      ...common,
      type: 'postgres',
      url: settings.url,
      applicationName: 'a2a-hub',
      installExtensions: false,
      connectTimeoutMS: bounds.connectMs,
      extra: {
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        ...(!unlimited && { onConnect: (client: PoolClient) => limitStatements(client, bounds) }),
      },
      poolErrorHandler: (error: Error) =>
        log?.warn({ error: error.message }, 'a database connection broke'),
    });
  }
  return new DataSource({
    ...common,
    type: 'better-sqlite3',
    driver: BetterSqlite3,
    database: path,
    timeout: BUSY_TIMEOUT_MS,
    prepareDatabase: (connection: SqliteConnection) => {
      connection.pragma('journal_mode = WAL');
      connection.pragma(`synchronous = ${settings.synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
      connection.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
      connection.pragma('temp_store = MEMORY');
      connection.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      connection.pragma(`journal_size_limit = ${MAX_LOG_SIZE}`);
    },
  });
}
