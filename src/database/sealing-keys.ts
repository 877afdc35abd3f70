import { existsSync, statSync } from 'node:fs';
import { BetterSqlite3, type SqliteConnection } from './better-sqlite3.js';
import type { Schema } from './schema.js';

/** A sealed value, alone or within a JSON text. */
const SEALED = /(?<=^|")v1:[^:"\s]+:[\w-]{16,}/g;
/** Rows of each column that are looked at: one that was damaged speaks for no key. */
const ROWS = 20;

/**
 * Sealed values of a SQLite file, the first ones of each column; none for a file that is not there yet. Looks only,
 * also while a hub has the file.
 */
export function sealedValuesIn(path: string, { sealedTables }: Schema): string[] {
  if (!existsSync(path) || statSync(path).size === 0) return [];
  const file = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
  try {
    const hasTable = file.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`);
    return sealedTables
      .filter(({ table }) => hasTable.get(table) !== undefined)
      .flatMap(({ table, columns }) => columns.flatMap(({ name }) => firstOf(file, table, name)))
      .flatMap((text) => text.match(SEALED) ?? []);
  } finally {
    file.close();
  }
}

function firstOf(file: SqliteConnection, table: string, column: string): string[] {
  const hasColumn = file.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?');
  if (hasColumn.get(table, column) === undefined) return [];
  const sql = `SELECT ${column} AS value FROM ${table} WHERE instr(${column}, 'v1:') > 0 LIMIT ${ROWS}`;
  return (file.prepare(sql).all() as { value: string }[]).map(({ value }) => String(value));
}
