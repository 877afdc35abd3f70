import type { Tx } from './sql.js';

/** Locks the rows of a query (of one `table` of it) until the transaction ends; SQLite has one writer anyway. */
export function forUpdate(tx: Tx, skipLocked = false, table?: string): string {
  if (tx.dialect === 'sqlite') return '';
  const of = table === undefined ? '' : ` OF ${table}`;
  return ` FOR UPDATE${of}${skipLocked ? ' SKIP LOCKED' : ''}`;
}

/** A time as the database has it: epoch milliseconds, or none. */
export function toDate(at: number | null): Date | null {
  return at === null ? null : new Date(at);
}
