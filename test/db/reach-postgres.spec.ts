import { type Server, type Socket, connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import type { Log } from '../../src/common/logger.js';
import { openDatabase } from '../../src/database/open-database.js';
import { startPostgres } from '../support/databases.js';
import { freePort } from '../support/free-port.js';

let postgres: Awaited<ReturnType<typeof startPostgres>>;
const lines: { fields: object; text: string }[] = [];
const note = (fields: object, text?: string): void =>
  void lines.push({ fields, text: String(text) });
const log = { debug: note, info: note, warn: note, error: note } as Log;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

const settings = (url: string) => ({ url, synchronous: 'normal' }) as const;

it('waits for a server that is not there yet, and says so', async () => {
  const real = new URL(await postgres.migratedUrl());
  const port = await freePort();
  const late = new URL(real);
  late.host = `127.0.0.1:${port}`;
  const open = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect(Number(real.port), '127.0.0.1');
    for (const one of [client, upstream]) open.add(one.on('error', () => one.destroy()));
    client.pipe(upstream).pipe(client);
  });
  lines.length = 0;
  const opening = openDatabase(settings(late.href), HUB_SCHEMA, { log, waitMs: 20_000 });
  setTimeout(() => server.listen(port, '127.0.0.1'), 600);
  const database = await opening;
  expect(await database.read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await database.close();
  for (const one of open) one.destroy();
  server.close();
  expect(lines).toEqual([
    {
      fields: {
        database: `127.0.0.1:${port}${real.pathname}`,
        reason: expect.stringContaining('ECONNREFUSED'),
        leftSeconds: 20,
      },
      text: 'the database cannot be reached yet; retrying',
    },
  ]);
});

it('names a server that stays away, without the password', async () => {
  const port = await freePort();
  const url = `postgres://hub:s3cret@127.0.0.1:${port}/hub`;
  const failure = await openDatabase(settings(url), HUB_SCHEMA, { waitMs: 600 }).catch(
    (error: Error) => error,
  );
  expect(failure).toBeInstanceOf(Error);
  expect((failure as Error).message).toMatch(
    `the database 127.0.0.1:${port}/hub could not be reached for 1 s (connect ECONNREFUSED`,
  );
  expect((failure as Error).message).toContain('database.url');
  expect((failure as Error).message).not.toContain('s3cret');
});

it('does not wait where the server refuses', async () => {
  const url = new URL(await postgres.freshUrl());
  url.pathname = '/no_such_database';
  const since = performance.now();
  await expect(openDatabase(settings(url.href), HUB_SCHEMA)).rejects.toThrow(
    /^the database \S+\/no_such_database \(database\.url\) cannot be opened: .*does not exist; make it \(createdb\)/,
  );
  expect(performance.now() - since).toBeLessThan(10_000);
});
