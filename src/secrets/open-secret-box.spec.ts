import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keyNamed } from '../common/fake-secrets.js';
import type { Log } from '../common/logger.js';
import type { SecretBox, SecretKey } from '../common/secret-box.js';
import { Schema } from '../database/schema.js';
import { openSecretBox } from './open-secret-box.js';

let folder: string;
let path: string;
let logged: { fields: Record<string, unknown>; text: string }[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hub-box-'));
  path = join(folder, 'deep', 'hub.db');
  logged = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The box of a process that starts now. */
function start(url = `sqlite:${path}`, keys: SecretKey[] = []): SecretBox {
  const note: Log['warn'] = (fields, text) => {
    logged.push({ fields: fields as Record<string, unknown>, text: String(text) });
  };
  const log: Log = { debug: note, info: note, warn: note, error: note };
  return openSecretBox(
    { database: { url, synchronous: 'full', minFree: 0 }, secrets: { keys } },
    new Schema([]),
    log,
  );
}

describe('a hub on a SQLite file without keys', () => {
  it('makes one at its first start, which only it can read, and says so once', () => {
    const sealed = start().seal('hunter2');
    const file = `${path}.key`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({ fields: { file }, text: expect.stringContaining('copy') });
    expect(start().open(sealed)).toBe('hunter2');
    expect(logged).toHaveLength(1);
    const [, key] = readFileSync(file, 'utf8').trim().split(':').slice(-2);
    expect(JSON.stringify(logged)).not.toContain(key);
  });

  it('makes another one for another database, under another id', () => {
    const [one, other] = [start(), start(`sqlite:${join(folder, 'other.db')}`)];
    expect(one.sealingKey).not.toBe(other.sealingKey);
    expect(() => other.open(one.seal('x'))).toThrow(one.sealingKey);
  });

  it('finds it behind a link to the database as well', () => {
    const sealed = start().seal('hunter2');
    writeFileSync(path, '');
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    expect(start(`sqlite:${link}`).open(sealed)).toBe('hunter2');
  });

  it('takes several keys from its file, the first to seal with', () => {
    const old = start();
    const sealed = old.seal('hunter2');
    const file = `${path}.key`;
    const { id, key } = keyNamed('newer');
    writeFileSync(file, `${id}:${key}\n${readFileSync(file, 'utf8')}`);
    const box = start();
    expect(box.keyIds).toEqual(['newer', old.sealingKey]);
    expect(box.open(sealed)).toBe('hunter2');
  });

  it('warns of a file that others can read, and uses it', () => {
    const { sealingKey } = start();
    chmodSync(`${path}.key`, 0o640);
    expect(start().sealingKey).toBe(sealingKey);
    expect(logged.at(-1)?.text).toContain('chmod 600');
  });

  it.each([
    ['', 'has no key'],
    ['# only a comment\n', 'has no key'],
    ['garbage', 'is not ID:KEY'],
    ['k1:AAAA', 'has 3 bytes, not 32'],
  ])('does not start with a broken file (%j) rather than make a new key', (content, text) => {
    start();
    writeFileSync(`${path}.key`, content);
    expect(() => start()).toThrow(text);
    expect(() => start()).toThrow(/bring it back from a backup/);
    expect(readFileSync(`${path}.key`, 'utf8')).toBe(content);
  });

  it('says so when the file cannot be read or made', () => {
    expect(() => start(`sqlite:${join('/dev/null', 'hub.db')}`)).toThrow(/hub\.db\.key/);
  });
});

describe('a hub with keys', () => {
  it('makes no file', () => {
    expect(start(`sqlite:${path}`, [keyNamed('k1')]).keyIds).toEqual(['k1']);
    expect(() => statSync(`${path}.key`)).toThrow('ENOENT');
  });

  it('still opens with the key of the file it had before', () => {
    const before = start();
    const sealed = before.seal('hunter2');
    const box = start(`sqlite:${path}`, [keyNamed('k1')]);
    expect(box.keyIds).toEqual(['k1', before.sealingKey]);
    expect(box.open(sealed)).toBe('hunter2');
  });
});

describe('a hub without a file for them', () => {
  it('has a key of the process for a database in memory', () => {
    const [one, other] = [start('sqlite::memory:'), start('sqlite::memory:')];
    expect(one.open(one.seal('x'))).toBe('x');
    expect(one.sealingKey).not.toBe(other.sealingKey);
  });

  it('does not start on PostgreSQL without keys, and says what to set', () => {
    expect(() => start('postgres://hub@db/hub')).toThrow(
      /secrets\.keys .*A2A_HUB__SECRETS__KEYS .*openssl rand -base64 32/,
    );
    expect(start('postgres://hub@db/hub', [keyNamed('k1')]).sealingKey).toBe('k1');
  });
});
