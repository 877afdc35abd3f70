import type { PieceSize } from '../common/piece-size.js';
import type { Database } from './database.js';
import type { Tx, Work } from './sql.js';

/** How many rows, `limit` at most, the next piece may have: PostgreSQL does not hold the event loop. */
export function pieceOf(database: Database, size: PieceSize, limit: number): number {
  return database.dialect === 'sqlite' ? Math.min(limit, size.rows) : limit;
}

/** The work, timed on SQLite: it holds the event loop from its first statement to its last. */
export function* timed<T>(tx: Tx, size: PieceSize, work: Work<T>): Work<T> {
  if (tx.dialect !== 'sqlite') return yield* work;
  const began = performance.now();
  const result = yield* work;
  size.took(performance.now() - began);
  return result;
}
