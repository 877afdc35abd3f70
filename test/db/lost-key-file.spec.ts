import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { keyNamed } from '../../src/common/fake-secrets.js';
import type { Log } from '../../src/common/logger.js';
import type { SecretBox, SecretKey } from '../../src/common/secret-box.js';
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
  return openSecretBox({ database, secrets: { keys } }, log);
}

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
