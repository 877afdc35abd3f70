import type { Database } from '../../database/database.js';
import { TIME } from '../../database/dialect.js';
import { byRows, flatten, listOf, pieces, rowsOf } from '../../database/multi-row.js';
import { forUpdate } from '../../database/rows.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { type RateAsk, type RateLease, type RateState, takeOf } from '../domain/rate.js';
import { RateStore } from '../rate-store.js';

const BEGIN = byRows(
  (rows) =>
    `INSERT INTO request_rates (key, second, taken, ahead) VALUES ${rowsOf(rows, 4)}
     ON CONFLICT (key) DO NOTHING`,
);
const WRITE = byRows(
  (rows) =>
    `INSERT INTO request_rates (key, second, taken, ahead) VALUES ${rowsOf(rows, 4)}
     ON CONFLICT (key) DO UPDATE SET
       second = excluded.second, taken = excluded.taken, ahead = excluded.ahead`,
);

interface Row extends RateState {
  readonly key: string;
  readonly now: number;
}

/** {@link RateStore} on the hub's database. */
export class SqlRateStore extends RateStore {
  /** `time`: an expression of the present time, instead of that of the database. */
  constructor(
    private readonly database: Database,
    private readonly time: () => string = () => TIME[database.dialect],
  ) {
    super();
  }

  take(
    asks: readonly RateAsk[],
  ): Promise<{ readonly leases: readonly RateLease[]; readonly now: Date }> {
    const time = this.time();
    const keys = [...new Set(asks.map(({ key }) => key))].sort();
    return this.database.write(function* (tx) {
      const rows = yield* locked(tx, keys, time);
      let now = 0;
      const leases = asks.map((ask) => {
        const row = rows.get(ask.key)!;
        now = Math.max(now, row.now);
        const { state, lease } = takeOf(row, Math.floor(row.now / 1000), ask);
        rows.set(ask.key, { ...row, ...state });
        return lease;
      });
      for (const piece of pieces([...rows.values()])) {
        yield* tx.run(WRITE(piece.length), flatten(piece, addRow));
      }
      return { leases, now: new Date(now) };
    }, 'may-be-lost');
  }

  forget(before: Date, limit: number): Promise<number> {
    return this.database.write(
      (tx) =>
        tx.run(
          `DELETE FROM request_rates WHERE key IN
             (SELECT key FROM request_rates WHERE second < ? LIMIT ?${forUpdate(tx, true)})`,
          [Math.floor(before.getTime() / 1000), limit],
        ),
      'may-be-lost',
    );
  }
}

/** The rows of these, in one order for all processes; those that are not there begin. */
function* locked(tx: Tx, keys: readonly string[], time: string): Work<Map<string, Row>> {
  const rows = yield* lockThere(tx, keys, time);
  const missing = keys.filter((key) => !rows.has(key));
  if (missing.length === 0) return rows;
  for (const piece of pieces(missing)) {
    const none = piece.map((key) => ({ key, second: 0, taken: 0, ahead: 0 }));
    // Of two that begin one at once the second one waits here for the first.
    yield* tx.run(BEGIN(piece.length), flatten(none, addRow));
  }
  for (const [key, row] of yield* lockThere(tx, missing, time)) rows.set(key, row);
  return rows;
}

function* lockThere(tx: Tx, keys: readonly string[], time: string): Work<Map<string, Row>> {
  const rows = new Map<string, Row>();
  for (const piece of pieces(keys)) {
    const found = yield* tx.all<Row>(
      `SELECT key, second, taken, ahead, ${time} AS now FROM request_rates
       WHERE key IN ${listOf(piece.length)} ORDER BY key${forUpdate(tx)}`,
      piece,
    );
    for (const row of found) rows.set(row.key, row);
  }
  return rows;
}

function addRow(
  params: SqlValue[],
  { key, second, taken, ahead }: RateState & { readonly key: string },
): void {
  params.push(key, second, taken, ahead);
}
