import { Injectable } from '@nestjs/common';
import { PieceSize } from '../../common/piece-size.js';
import { condition, paramsOf, where } from '../../database/conditions.js';
import { Database } from '../../database/database.js';
import { pieces, typedRows } from '../../database/multi-row.js';
import { forUpdate } from '../../database/rows.js';
import type { Tx, Work } from '../../database/sql.js';
import { timed } from '../../database/timed.js';
import { type IndexWalk, walk } from '../../database/walk.js';
import { isPerDay } from '../domain/applied-limit.js';
import { LIMIT_KINDS } from '../domain/limit.js';
import { type LeastCount, LimitCounters } from '../limit-counters.js';
import { added, plus } from './sums.js';

/** Rows that are looked at between two turns of the event loop. */
const LEAST = 250;
const MOST = 2000;
const ALL: IndexWalk = {
  ...{ from: 'limit_counters', key: ['counter', 'period'], order: 'ASC' },
  ...{ fixed: [], end: [] },
};
const IS_OF_DAYS = LIMIT_KINDS.filter(isPerDay).map((kind) => `counter LIKE '${kind} %'`);
const IS_OLD = `period > 0 AND (updated_at < ? OR (updated_at < ? AND (${IS_OF_DAYS.join(' OR ')})))`;
const READ = 'SELECT used FROM limit_counters WHERE counter = ? AND period = ?';
const RAISE = 'UPDATE limit_counters SET used = ?, updated_at = ? WHERE counter = ? AND period = ?';

/** {@link LimitCounters} on the hub's database. */
@Injectable()
export class SqlLimitCounters extends LimitCounters {
  constructor(private readonly database: Database) {
    super();
  }

  *lock(tx: Tx, counter: string, period: number, now: Date, least?: LeastCount): Work<number> {
    const lock = `${READ}${forUpdate(tx)}`;
    const [there] = yield* tx.all<{ used: number }>(lock, [counter, period]);
    if (there !== undefined) {
      if (least === undefined || least.isKnown) return there.used;
      const used = yield* least.of(tx);
      if (used <= there.used) return there.used;
      yield* tx.run(RAISE, [used, now.getTime(), counter, period]);
      return used;
    }
    const used = least === undefined ? 0 : yield* least.of(tx);
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

  async forget(
    { ofDays, ofMonths }: { readonly ofDays: Date; readonly ofMonths: Date },
    signal: AbortSignal,
  ): Promise<void> {
    const { database } = this;
    const isOld = condition(IS_OLD, ofMonths.getTime(), ofDays.getTime());
    const size = new PieceSize(LEAST, MOST);
    for await (const { conditions, ms } of walk(database, ALL, size)) {
      if (signal.aborted) return;
      const old = [...conditions, isOld];
      const [rows, params] = [`FROM limit_counters${where(old)}`, paramsOf(old)];
      const found = size.time(() => database.read(`SELECT 1 ${rows} LIMIT 1`, params), ms);
      if ((await found).length === 0) continue;
      await database.write(
        (tx) => timed(tx, size, tx.run(`DELETE ${rows}`, params)),
        'may-be-lost',
      );
    }
  }
}
