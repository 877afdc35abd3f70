import type { QueryRunner } from 'typeorm';
import type { Tx } from './sql.js';

/**
 * The end of `CREATE TABLE` for a table that lives in its primary key: on SQLite one B-tree instead
 * of two (the entity then says `withoutRowid`); PostgreSQL has no such thing.
 */
export function withoutRowid(runner: QueryRunner): string {
  return runner.dataSource.options.type === 'postgres' ? '' : ' WITHOUT ROWID';
}

/**
 * A column of ids to compare and order by, character by character: SQLite does so anyway, PostgreSQL by
 * the language of its database, for which `a-b` may stand behind `ab`.
 */
export function byCharacters(column: string, dialect: Tx['dialect']): string {
  return dialect === 'postgres' ? `${column} COLLATE "C"` : column;
}

/** The time of the database, in epoch milliseconds. */
export const TIME: Readonly<Record<Tx['dialect'], string>> = {
  postgres: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)',
  sqlite: `CAST((julianday('now') - 2440587.5) * 86400000 AS integer)`,
};

/** The error code of better-sqlite3 (`SQLITE_…`), PostgreSQL (SQLSTATE) or a socket (`ECONN…`). */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** A row with this key exists already. */
export function isUniqueViolation(error: unknown): boolean {
  const code = codeOf(error);
  return (
    code === 'SQLITE_CONSTRAINT_PRIMARYKEY' ||
    code === 'SQLITE_CONSTRAINT_UNIQUE' ||
    code === '23505'
  );
}

/** Another connection holds the lock (SQLite). */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED');
}

/** A file holds something else than a SQLite database. */
export function isNoDatabase(error: unknown): boolean {
  return /^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error));
}

/** The transaction lost against another one and may simply be run again (PostgreSQL). */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40P01' || code === '40001';
}

const SQLITE_TROUBLE =
  /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|CORRUPT|NOTADB|PROTOCOL|NOMEM|INTERRUPT)/;
/** Connection, resources, operator intervention, system, internal. */
const POSTGRES_TROUBLE = /^(08|53|57|58|XX|25)[0-9A-Z]{3}$/;
const SOCKET_TROUBLE = /^(E[A-Z]+)$/;
/** `pg` has no code for these. */
const LOST_CONNECTION =
  /connection (terminated|ended|timeout)|timeout exceeded when trying to connect|timeout expired|not queryable|pool after calling end/i;

/** The database itself is in trouble (gone, full, locked): no statement is to blame. */
export function isDatabaseTrouble(error: unknown): boolean {
  if ((error as { reason?: unknown } | null)?.reason === 'UNAVAILABLE') return true;
  const code = codeOf(error);
  if (code !== '') {
    return SQLITE_TROUBLE.test(code) || POSTGRES_TROUBLE.test(code) || SOCKET_TROUBLE.test(code);
  }
  const message = (error as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' && LOST_CONNECTION.test(message);
}
