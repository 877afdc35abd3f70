import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Log } from '../common/logger.js';
import { makePrivateDirectory } from '../common/private-directory.js';
import { realPathOf } from '../common/real-path.js';
import type { SecretKey } from '../common/secret-box.js';
import { ConfigError, readSecretKeys, secretKeyFaults } from '../config/index.js';

/** Group and others. */
const OTHERS = 0o077;

/** Where the key of a SQLite file is kept. It belongs to the file itself, also behind a symbolic link. */
export function keyFileOf(databasePath: string): string {
  return `${realPathOf(databasePath)}.key`;
}

/** A new key, under an id that no other key has. */
export function newKey(): SecretKey {
  return { id: `k-${randomBytes(4).toString('hex')}`, key: randomBytes(32).toString('base64') };
}

/**
 * The keys of a key file, the sealing one first; none when there is no file. Throws
 * {@link ConfigError} when it cannot be read or holds something else. That others may read it is a warning
 * only: where files are mounted, their rights are often not the hub's to choose.
 */
export function readKeyFile(file: string, log: Log): SecretKey[] {
  const text = contentOf(file);
  if (text === undefined) return [];
  const faults = secretKeyFaults(text);
  const keys = faults.length === 0 ? readSecretKeys(text) : [];
  if (faults.length === 0 && keys.length === 0) faults.push('has no key');
  if (faults.length > 0) {
    const advice =
      'bring it back from a backup, or remove it if this hub has never kept a secret: without its key they stay closed';
    throw unusable(file, ...faults.map((fault) => `${fault}; ${advice}`));
  }
  if ((statSync(file).mode & OTHERS) !== 0) {
    log.warn({ file }, 'other users can read the encryption key file: run chmod 600 on it');
  }
  return keys;
}

/**
 * Makes a key and keeps it in the file, readable by the hub alone and safe from a power cut before it
 * is used. When another process was first, its key counts.
 */
export function writeKeyFile(file: string, log: Log): SecretKey[] {
  const key = newKey();
  try {
    makePrivateDirectory(dirname(file));
    writeFileSync(file, textOf(file, key), { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return readKeyFile(file, log);
    throw unusable(
      file,
      `cannot be written (${codeOf(error)}); let this user write its directory, or set secrets.keys instead`,
    );
  }
  flushDirectory(dirname(file));
  log.warn(
    { file, keyId: key.id },
    'an encryption key for the secrets in the database was created: back up this file, and keep the copy away from the database',
  );
  return [key];
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unusable(file, `cannot be read (${codeOf(error)})`);
  }
}

function textOf(file: string, { id, key }: SecretKey): string {
  const database = basename(file).replace(/\.key$/, '');
  return [
    `# Encrypts the secrets in ${database}. Without it they cannot be read again: keep a copy,`,
    '# and keep it apart from copies of the database. docs/secrets.md describes how to change it.',
    `${id}:${key}`,
    '',
  ].join('\n');
}

function flushDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function unusable(file: string, ...texts: string[]): ConfigError {
  return new ConfigError(texts.map((text) => ({ key: file, source: 'file', text })));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
