import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import pg from 'pg';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import type { Database } from '../../src/database/database.js';
import { openDatabase } from '../../src/database/open-database.js';
import { copyMigratedSqlite } from './sqlite-template.js';

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

/** Runs `body` once per database: SQLite in a file and databases of its own on a real PostgreSQL server. */
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
    openDatabase(
      { url: url ?? (await source.migratedUrl()), synchronous: 'normal' },
      HUB_SCHEMA,
      MIGRATE,
    );

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
  /** The URL of a new database with the hub's schema in it already. */
  migratedUrl(): Promise<string>;
  /** Stops what runs and removes every file. */
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const MIGRATE = { migrate: true };
/** One row each, which a migration makes. */
const COUNTERS = /_(revisions|counter)$/;
/** In one round trip, for it comes before each test. */
const EMPTY_POSTGRES = `DO $empty$
  DECLARE name text;
  BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations' LOOP
      EXECUTE format('DELETE FROM %I', name);
      IF name ~ '${COUNTERS.source}' THEN EXECUTE format('INSERT INTO %I VALUES (1, 0)', name); END IF;
    END LOOP;
  END $empty$`;

/** Takes out all rows; counters begin again. */
export async function empty(database: Database): Promise<void> {
  await database.write(function* (tx) {
    if (tx.dialect === 'postgres') {
      yield* tx.run(EMPTY_POSTGRES);
      return;
    }
    yield* tx.run('PRAGMA defer_foreign_keys = ON');
    const tables = `SELECT name FROM sqlite_schema WHERE type = 'table'`;
    for (const { name } of yield* tx.all<{ name: string }>(tables)) {
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
  const freshPath = (): string => join(folder, `hub-${++count}.db`);
  return {
    freshUrl: () => Promise.resolve(`sqlite:${freshPath()}`),
    async migratedUrl() {
      const path = freshPath();
      await copyMigratedSqlite(path);
      return `sqlite:${path}`;
    },
    stop: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  };
}

/**
 * New databases on the run's one PostgreSQL server, which Jest starts before the tests (postgres-server.mjs). They
 * are dropped at the end; nothing else is shared with other test files.
 */
export async function startPostgres(): Promise<DatabaseSource> {
  const server = process.env['TEST_POSTGRES_URL'];
  if (server === undefined) throw new Error('Jest has started no PostgreSQL for this test');
  const prefix = `hub_${randomBytes(6).toString('hex')}`;
  const names: string[] = [];
  const create = async (options: string): Promise<string> => {
    const name = `${prefix}_${names.length}`;
    names.push(name);
    await asSuperuser(server, (client) => client.query(`CREATE DATABASE ${name} ${options}`));
    return server + name;
  };
  return {
    freshUrl: () => create(''),
    async migratedUrl() {
      await ensureTemplate(server);
      return create(`TEMPLATE ${TEMPLATE}`);
    },
    stop: () =>
      asSuperuser(server, async (client) => {
        for (const name of names)
          await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}

/** A database with the hub's schema, made by the first test file of the run that wants it. */
const TEMPLATE = 'hub_template';
/** It orders text as most databases are made to, by language: to it `a-b` stands behind `ab`. */
const BY_LANGUAGE = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-u-ka-shifted'";

function ensureTemplate(server: string): Promise<void> {
  return asSuperuser(server, async (client) => {
    // Test files run in several processes; the lock ends with the connection.
    await client.query('SELECT pg_advisory_lock(1)');
    const known = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [TEMPLATE]);
    if (known.rowCount !== 0) return;
    const unfinished = `${TEMPLATE}_unfinished`;
    await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${unfinished} ${BY_LANGUAGE}`);
    const database = await openDatabase(
      { url: server + unfinished, synchronous: 'normal' },
      HUB_SCHEMA,
      MIGRATE,
    );
    await database.close();
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${TEMPLATE}`);
  });
}

async function asSuperuser(
  server: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}postgres` });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
