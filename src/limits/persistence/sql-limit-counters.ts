import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { pieces, typedRows } from '../../database/multi-row.js';
import { forUpdate } from '../../database/rows.js';
import type { Tx, Work } from '../../database/sql.js';
import { LimitCounters } from '../limit-counters.js';
import { added, plus } from './sums.js';

const READ = 'SELECT used FROM limit_counters WHERE counter = ? AND period = ?';

/** {@link LimitCounters} on the hub's database. */
@Injectable()
export class SqlLimitCounters extends LimitCounters {
  constructor(private readonly database: Database) {
    super();
  }

  *lock(
    tx: Tx,
    counter: string,
    period: number,
    now: Date,
    begin?: (tx: Tx) => Work<number>,
  ): Work<number> {
    const lock = `${READ}${forUpdate(tx)}`;
    const [there] = yield* tx.all<{ used: number }>(lock, [counter, period]);
    if (there !== undefined) return there.used;
    const used = begin === undefined ? 0 : yield* begin(tx);
    // Of two that begin it at once the second one waits here for the first.
    yield* tx.run(
      `INSERT INTO limit_counters (counter, period, used, updated_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (counter, period) DO NOTHING`,
      [counter, period, used, now.getTime()],
    );
    const [begun] = yield* tx.all<{ used: number }>(lock, [counter, period]);
    return begun!.used;
  }

  *add(tx: Tx, counter: string, period: number, amount: number, now: Date): Work<void> {
    yield* tx.run(
      `UPDATE limit_counters SET used = ${plus('used')}, updated_at = ? WHERE counter = ? AND period = ?`,
      [...added(amount), now.getTime(), counter, period],
    );
  }

  async read(counter: string, period: number): Promise<number | undefined> {
    const [row] = await this.database.read<{ used: number }>(READ, [counter, period]);
    return row?.used;
  }

  async readAll(
    counters: readonly (readonly [counter: string, period: number])[],
  ): Promise<readonly (number | undefined)[]> {
    const keyOf = (counter: string, period: number): string => `${period} ${counter}`;
    const found = new Map<string, number>();
    for (const piece of pieces(counters)) {
      const rows = await this.database.read<{ counter: string; period: number; used: number }>(
        `SELECT counter, period, used FROM limit_counters
         WHERE (counter, period) IN (VALUES ${typedRows(piece.length, ['text', 'integer'])})`,
        piece.flat(),
      );
      for (const { counter, period, used } of rows) found.set(keyOf(counter, period), used);
    }
    return counters.map(([counter, period]) => found.get(keyOf(counter, period)));
  }

  forget(before: Date, limit: number): Promise<number> {
    const old = `SELECT counter, period FROM limit_counters WHERE period > 0 AND updated_at < ? LIMIT ?`;
    return this.database.write(
      (tx) =>
        tx.run(`DELETE FROM limit_counters WHERE (counter, period) IN (${old})`, [
          before.getTime(),
          limit,
        ]),
      'may-be-lost',
    );
  }
}
