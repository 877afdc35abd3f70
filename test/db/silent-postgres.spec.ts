import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CommitUnknown } from '../../src/database/commit-unknown.js';
import type { Database } from '../../src/database/database.js';
import { DatabaseTrouble } from '../../src/database/database-trouble.js';
import { openDatabase } from '../../src/database/open-database.js';
import type { PostgresBounds } from '../../src/database/postgres-bounds.js';
import { UnavailableError } from '../../src/common/hub-error.js';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { startPostgres } from '../support/databases.js';
import { PostgresRelay } from '../support/postgres-relay.js';

/** All connections of a pool. */
const ALL = Array.from({ length: 10 }, (_, i) => i);
const BOUNDS: PostgresBounds = {
  connectMs: 2000,
  statementMs: 1000,
  answerMs: 2000,
  checkMs: 500,
};
const INSERT = 'INSERT INTO workers (id, seen_at) VALUES (?, 1)';

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let relay: PostgresRelay;
let database: Database;
const settings = (url: string) => ({ url, synchronous: 'normal' }) as const;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  relay = await PostgresRelay.start(await postgres.migratedUrl());
  database = await openDatabase(settings(relay.url), HUB_SCHEMA, { bounds: BOUNDS });
});
afterEach(async () => {
  await database.close();
  await relay.close();
});

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'none',
    (error: unknown) => error,
  );
const workers = async (): Promise<string[]> =>
  (await database.read<{ id: string }>('SELECT id FROM workers ORDER BY id')).map(({ id }) => id);
const write = (id: string): Promise<number> => database.write((tx) => tx.run(INSERT, [id]));

describe('a PostgreSQL server that falls silent', () => {
  it('ends a read, and others go on once it answers again', async () => {
    relay.isSilent = true;
    expect(await failureOf(database.read('SELECT 1'))).toMatchObject({
      constructor: DatabaseTrouble,
      code: 'ETIMEDOUT',
      message: 'PostgreSQL has not answered for 2 s',
    });
    expect(database.times.failures.read).toBe(1);
    relay.isSilent = false;
    expect(await database.read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('ends a work between two statements; it has changed nothing', async () => {
    const work = database.write(function* (tx) {
      yield* tx.run(INSERT, ['a']);
      relay.isSilent = true;
      yield* tx.run(INSERT, ['b']);
    });
    expect(await failureOf(work)).toBeInstanceOf(DatabaseTrouble);
    relay.isSilent = false;
    await write('c');
    expect(await workers()).toEqual(['c']);
  });

  it('leaves a commit unknown whose answer has not come', async () => {
    relay.silentAfterCommit = true;
    const failure = await failureOf(write('a'));
    expect(failure).toBeInstanceOf(CommitUnknown);
    expect((failure as CommitUnknown).code).toBe('ETIMEDOUT');
    Object.assign(relay, { isSilent: false, silentAfterCommit: false });
    expect(await workers()).toEqual(['a']);
  });

  it('is not ready soon, however many wait for it, and takes no connection for good', async () => {
    await database.check();
    relay.isSilent = true;
    const waiting = ALL.map((i) => failureOf(write(String(i))));
    const began = performance.now();
    for (let i = 0; i < 3; i++)
      await expect(database.check()).rejects.toBeInstanceOf(UnavailableError);
    expect(performance.now() - began).toBeLessThan(4000);
    for (const failure of await Promise.all(waiting)) {
      expect(failure).toBeInstanceOf(DatabaseTrouble);
    }
    relay.isSilent = false;
    await database.check();
    await Promise.all(ALL.map((i) => write(String(i))));
    expect(await workers()).toHaveLength(ALL.length);
  });
});

describe('a PostgreSQL server that is slow', () => {
  it('ends what takes too long itself, and keeps the connection', async () => {
    const work = database.write((tx) => tx.all('SELECT pg_sleep(30)'));
    expect(await failureOf(work)).toMatchObject({ constructor: DatabaseTrouble, code: '57014' });
    expect(database.pool).toMatchObject({ busy: 0, idle: 1 });
  });

  it('a work that waits too long for a connection may be tried again', async () => {
    const busy = ALL.map(() =>
      failureOf(
        database.write(function* (tx) {
          for (let i = 0; i < 4; i++) yield* tx.all('SELECT pg_sleep(0.8)');
        }),
      ),
    );
    expect(await failureOf(write('a'))).toBeInstanceOf(DatabaseTrouble);
    expect(await Promise.all(busy)).toEqual(ALL.map(() => 'none'));
    expect(await workers()).toEqual([]);
  });
});

it('a server that takes connections and never answers is waited for no longer than was promised', async () => {
  const sockets: { destroy(): void }[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `postgres://hub@127.0.0.1:${(server.address() as AddressInfo).port}/hub`;
  const began = performance.now();
  await expect(openDatabase(settings(url), HUB_SCHEMA, { waitMs: 1000 })).rejects.toThrow(
    /could not be reached for 1 s \(PostgreSQL has not answered for 1 s\)/,
  );
  expect(performance.now() - began).toBeLessThan(5000);
  for (const socket of sockets) socket.destroy();
  server.close();
});
