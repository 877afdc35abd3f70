import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { BetterSqlite3, type SqliteConnection } from '../../src/database/better-sqlite3.js';
import { keyNamed } from '../../src/common/fake-secrets.js';
import type { Log } from '../../src/common/logger.js';
import type { SecretBox, SecretKey } from '../../src/common/secret-box.js';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { openSecretBox } from '../../src/secrets/index.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hub-box-'));
  path = join(folder, 'hub.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

function start(keys: SecretKey[] = []): SecretBox {
  const quiet: Log['warn'] = () => undefined;
  const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const database = { url: `sqlite:${path}`, synchronous: 'full', minFree: 0 } as const;
  return openSecretBox({ database, secrets: { keys } }, HUB_SCHEMA, log);
}

/** The file of a database as it was made by a hub of some version, with one secret of an agent. */
function databaseWith(sealed: string): SqliteConnection {
  const database = new BetterSqlite3(path);
  database.exec('CREATE TABLE agents (id text, credentials text)');
  const credentials = JSON.stringify({ 'x-key': sealed });
  database.prepare('INSERT INTO agents VALUES (?, ?)').run('x', credentials);
  return database;
}

it.each([
  ['another id', 'other', 'the file has the key other'],
  ['the same id', 'k1', 'the file has another key under that id'],
])('a key file with %s is refused where secrets need the former one', (_, id, words) => {
  const file = `${path}.key`;
  const own = `k1:${keyNamed('k1').key}\n`;
  writeFileSync(file, own, { mode: 0o600 });
  const database = databaseWith(start().seal('hunter2'));
  const wrong = `${id}:${keyNamed('wrong').key}\n`;
  writeFileSync(file, wrong);
  expect(() => start()).toThrow(`${file} (file): is not the file that belongs to this database`);
  expect(() => start()).toThrow(
    /under k1, .*from a backup, .*database\.url .*secrets\.keys to a new/,
  );
  expect(() => start()).toThrow(words);
  // The way out for who has lost it, and the way back.
  expect(start([keyNamed('new')]).sealingKey).toBe('new');
  writeFileSync(file, own);
  expect(start().sealingKey).toBe('k1');
  writeFileSync(file, wrong);
  database.exec('DELETE FROM agents');
  expect(start().sealingKey).toBe(id);
  database.close();
});

it('one value that was damaged does not make the key file another one', () => {
  const box = start();
  const database = databaseWith(box.seal('hunter2'));
  const damaged = box.seal('another').replace(/.{8}$/, 'AAAAAAAA');
  database.prepare('INSERT INTO agents VALUES (?, ?)').run('y', JSON.stringify({ a: damaged }));
  expect(start().sealingKey).toBe(box.sealingKey);
  database.close();
});

it('a database that holds secrets is not started with a new key where its own has gone', () => {
  const box = start();
  const database = new BetterSqlite3(path);
  database.exec('CREATE TABLE hub_settings (key text, value text)');
  database.exec('CREATE TABLE agents (id text, credentials text)');
  const put = (table: string, value: string): unknown =>
    database.prepare(`INSERT INTO ${table} VALUES (?, ?)`).run('x', value);
  const file = `${path}.key`;
  const kept = readFileSync(file);
  const without = (): unknown => {
    rmSync(file);
    try {
      return start().sealingKey;
    } catch (error) {
      return (error as Error).message;
    }
  };
  put('hub_settings', 'an id that is not secret');
  expect(without()).toMatch(/^k-/);
  put('agents', JSON.stringify([{ name: 'x-key', value: box.seal('hunter2') }]));
  const words = without();
  expect(words).toContain(`${file} (file): is not there`);
  expect(words).toContain(box.sealingKey);
  expect(words).toContain('bring the file back');
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, kept);
  expect(start().sealingKey).toBe(box.sealingKey);
  rmSync(file);
  put('hub_settings', box.seal('secret'));
  const given = { id: 'new', key: keyNamed('new').key };
  expect(start([given]).sealingKey).toBe('new');
  database.close();
});
