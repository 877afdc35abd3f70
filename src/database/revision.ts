import type { Database } from './database.js';
import { forUpdate } from './rows.js';
import type { Tx, Work } from './sql.js';

/**
 * The revision of what a table holds: one row of a table of its own, raised in the transaction of every change, so
 * that each process sees when what it has in memory is old.
 */
export class Revision {
  private readonly select: string;

  constructor(private readonly table: string) {
    this.select = `SELECT revision FROM ${table} WHERE id = 1`;
  }

  async read(database: Database): Promise<number> {
    const [row] = await database.read<{ revision: number }>(this.select);
    return row?.revision ?? 0;
  }

  /** As the transaction sees it. */
  *readIn(tx: Tx): Work<number> {
    const [row] = yield* tx.all<{ revision: number }>(this.select);
    return row?.revision ?? 0;
  }

  /** Lets one change in after another, until the transaction ends. SQLite runs one work at a time anyway. */
  *lock(tx: Tx): Work<void> {
    if (tx.dialect === 'postgres') yield* tx.all(`${this.select}${forUpdate(tx)}`);
  }

  /** The revision after this change. */
  *raise(tx: Tx): Work<number> {
    const [row] = yield* tx.all<{ revision: number }>(
      `UPDATE ${this.table} SET revision = revision + 1 WHERE id = 1 RETURNING revision`,
    );
    return row!.revision;
  }
}
