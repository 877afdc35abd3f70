import { mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { BetterSqlite3 } from '../../src/database/better-sqlite3.js';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { SystemIdSource } from '../../src/common/ids.js';
import type { Database } from '../../src/database/database.js';
import { HubSettings } from '../../src/database/hub-settings.js';
import { openDatabase } from '../../src/database/open-database.js';
import { databaseContract } from '../contract/database.contract.js';
import { describeDatabases } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { LogLines } from '../support/log-lines.js';
import { testSecrets } from '../support/secret-box.js';

describeDatabases('database', databaseContract);

describeDatabases('hub settings', (databases) => {
  it('are made once and the same for every process', async () => {
    const database = await databases.open();
    const settings = [1, 2, 3].map(() => settingsOf(database));
    const secrets = await Promise.all(settings.map((each) => each.pageTokenSecret()));
    expect(new Set(secrets).size).toBe(1);
    const restarted = settingsOf(database);
    expect(await restarted.pageTokenSecret()).toBe(secrets[0]);
    expect(await restarted.instanceId()).not.toBe(secrets[0]);
  });

  it('are encrypted where they are secret', async () => {
    const database = await databases.open();
    const secret = await settingsOf(database).callbackSecret();
    const [row] = await database.read<{ value: string }>(
      "SELECT value FROM hub_settings WHERE key = 'agent-callback-secret'",
    );
    expect(row!.value).toMatch(/^v1:test:/);
    expect(testSecrets().open(row!.value)).toBe(secret);
  });

  it('tell values apart by fingerprints that are the same in every process', async () => {
    const database = await databases.open();
    const [one, other] = [settingsOf(database), settingsOf(database)];
    const print = await one.fingerprint(['https://hooks.example', 'hunter2']);
    expect(print).toMatch(/^[0-9a-f]{32}$/);
    expect(await other.fingerprint(['https://hooks.example', 'hunter2'])).toBe(print);
    expect(await other.fingerprint(['https://hooks.example', 'hunter3'])).not.toBe(print);
    const elsewhere = settingsOf(await databases.open());
    expect(await elsewhere.fingerprint(['https://hooks.example', 'hunter2'])).not.toBe(print);
  });
});

/** As one process has them. */
function settingsOf(database: Database): HubSettings {
  return new HubSettings(database, new SystemIdSource(), testSecrets());
}

describe('a SQLite file', () => {
  const settings = (path: string) => ({ url: `sqlite:${path}`, synchronous: 'full' }) as const;

  it('is said to be new once, by its whole path', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hub-new-'));
    const path = join(folder, 'hub.db');
    const log = new LogLines();
    for (let start = 0; start < 2; start++) {
      await (await openDatabase(settings(path), HUB_SCHEMA, { log })).close();
    }
    expect(log.entries).toEqual([
      { level: 'info', message: `made a new database at ${path} (database.url)`, fields: { path } },
    ]);
    await (await openDatabase(settings(':memory:'), HUB_SCHEMA, { log })).close();
    expect(log.entries).toHaveLength(1);
    rmSync(folder, { recursive: true });
  });

  it('belongs to one process, and to the next one when that has closed it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hub-lock-'));
    const path = join(folder, 'deep', 'er', 'hub.db');
    const first = await openDatabase(settings(path), HUB_SCHEMA);
    await expect(openDatabase(settings(path), HUB_SCHEMA)).rejects.toThrow(
      /another process is using/,
    );
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    await expect(openDatabase(settings(link), HUB_SCHEMA)).rejects.toThrow(
      /another process is using/,
    );
    await first.close();
    const second = await openDatabase(settings(link), HUB_SCHEMA);
    await second.write((tx) => tx.run("INSERT INTO hub_settings (key, value) VALUES ('k', 'v')"));
    await second.close();
    rmSync(folder, { recursive: true });
  });

  it('is written with the durability that was asked for', async () => {
    const database = await openDatabase(settings(':memory:'), HUB_SCHEMA);
    expect(await database.read('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
    expect(await database.read('PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    await expect(database.read('DELETE FROM hub_settings')).rejects.toThrow(/not a query/);
    await database.close();
  });

  it('reads no row behind one that is enough', async () => {
    const database = await openDatabase(settings(':memory:'), HUB_SCHEMA);
    const numbers =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n';
    const seen: number[] = [];
    const rows = await database.read<{ i: number }>(numbers, [], ({ i }) => {
      seen.push(i);
      return i === 3;
    });
    expect(rows).toEqual([{ i: 1 }, { i: 2 }, { i: 3 }]);
    expect(seen).toEqual([1, 2, 3]);
    expect(await database.read(numbers)).toHaveLength(10);
    await database.close();
  });

  it('of another version is refused with a sentence, and nothing of it is changed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hub-older-'));
    const path = join(folder, 'hub.db');
    const older = new BetterSqlite3(path);
    older.exec(`CREATE TABLE migrations (id INTEGER PRIMARY KEY, timestamp BIGINT, name TEXT);
      INSERT INTO migrations (timestamp, name) VALUES (1, 'Older1');
      CREATE TABLE push_delivery_streams (x TEXT)`);
    older.close();
    await expect(openDatabase(settings(path), HUB_SCHEMA)).rejects.toThrow(
      'made by another version of the hub: it has the migration Older1',
    );
    const after = new BetterSqlite3(path);
    const tables = after.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck();
    expect(tables.all()).toEqual(['migrations', 'push_delivery_streams']);
    after.close();
    rmSync(folder, { recursive: true });
  });

  it('copies what was large from the write-ahead log soon', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hub-log-'));
    const path = join(folder, 'hub.db');
    const database = await openDatabase(settings(path), HUB_SCHEMA);
    const size = 9 * 1024 * 1024;
    const before = statSync(path).size;
    const write = (text: string): Promise<number> =>
      database.write((tx) =>
        tx.run("INSERT INTO hub_settings (key, value) VALUES ('big' || random(), ?)", [text]),
      );
    await write('x'.repeat(size));
    // It is copied beside what is written meanwhile.
    await write('small');
    await eventually(() => expect(statSync(path).size).toBeGreaterThan(before + size));
    const closing = write('y'.repeat(size)).then(() => 'written');
    await database.close();
    expect(await closing).toBe('written');
    rmSync(folder, { recursive: true });
  });

  it('answers in the order of the commits, also behind a large one', async () => {
    const database = await openDatabase(settings(':memory:'), HUB_SCHEMA);
    const order: string[] = [];
    const write = (name: string, text: string): Promise<void> =>
      database
        .write((tx) => tx.run('INSERT INTO hub_settings (key, value) VALUES (?, ?)', [name, text]))
        .then(() => void order.push(name));
    const large = write('large', 'x'.repeat(2 * 1024 * 1024));
    // The large one is committed and its caller not told yet.
    await new Promise<void>((resolve) => setImmediate(resolve));
    await Promise.all([write('small', 'y'), large]);
    expect(order).toEqual(['large', 'small']);
    await database.close();
  });
});
