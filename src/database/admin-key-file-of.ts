import { resolve } from 'node:path';
import { sqlitePath } from './data-source.js';

/** Where the first admin key is written with PostgreSQL, below the working directory. */
const WITHOUT_FILE = 'data/admin-key';

/** Where the first admin key is written: beside the SQLite file. */
export function adminKeyFileOf(databaseUrl: string): string {
  const path = sqlitePath(databaseUrl);
  return path === null || path === ':memory:'
    ? resolve(WITHOUT_FILE)
    : `${resolve(path)}.admin-key`;
}
