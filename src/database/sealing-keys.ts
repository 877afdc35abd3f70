import { existsSync, statSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { sealedTables } from './sealed-columns.js';

/** A sealed value, alone or within a JSON text; the id of its key is caught. */
const SEALED = /(?:^|")v1:([^:"\s]+):[\w-]{16,}/;

/**
 * The ids of keys that the secrets in a SQLite file need, as far as the first of each column tells; none for a file
 * that is not there yet. Looks only, also while a hub has the file.
 */
export function sealingKeysIn(path: string): string[] {
  if (!existsSync(path) || statSync(path).size === 0) return [];
  const file = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
  try {
    const hasTable = file.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`);
    const found = sealedTables()
      .filter(({ table }) => hasTable.get(table) !== undefined)
      .flatMap(({ table, columns }) => columns.map(({ name }) => firstSealed(file, table, name)));
    return [...new Set(found.flatMap((value) => SEALED.exec(value)?.[1] ?? []))];
  } finally {
    file.close();
  }
}

function firstSealed(file: BetterSqlite3.Database, table: string, column: string): string {
  const hasColumn = file.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?');
  if (hasColumn.get(table, column) === undefined) return '';
  const sql = `SELECT ${column} AS value FROM ${table} WHERE instr(${column}, 'v1:') > 0 LIMIT 1`;
  const row = file.prepare(sql).get() as { value: string } | undefined;
  return row?.value ?? '';
}
