import { rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { sqlitePath } from './database/data-source.js';
import { makePrivateDirectory } from './common/private-directory.js';

/** Where the first admin key is written with PostgreSQL, below the working directory. */
const WITHOUT_FILE = 'data/admin-key';

/** Where the first admin key is written: beside the SQLite file. */
export function adminKeyFileOf(databaseUrl: string): string {
  const path = sqlitePath(databaseUrl);
  return path === null || path === ':memory:'
    ? resolve(WITHOUT_FILE)
    : `${resolve(path)}.admin-key`;
}

/** Writes the key for its owner alone to read, in the place of one that never counted. Throws a sentence for the operator. */
export function writeAdminKey(file: string, key: string): void {
  try {
    makePrivateDirectory(dirname(file));
    rmSync(file, { force: true });
    writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(
      `the first admin key cannot be written to ${file} (${code}): set one yourself by A2A_HUB__AUTH__ADMIN_KEY, or start once in a terminal, where it is shown.`,
      { cause },
    );
  }
}
