import { flatten, pieces, typedRows } from './multi-row.js';
import type { SqlValue, Tx, Work } from './sql.js';

/** One column that an update writes. */
export interface UpdatedColumn {
  readonly name: string;
  /** Its SQL type, which PostgreSQL cannot guess for a parameter. */
  readonly type: string;
  /** What it becomes, with `NEW` for the value given; the value itself when absent. */
  readonly set?: string;
}

/**
 * Updates many rows of one table by id (the column `id`), each with values of its own: on PostgreSQL with few
 * statements (a round trip each), on SQLite with one per row (which is faster there).
 */
export class RowUpdate {
  private readonly one: string;
  private readonly many = new Map<number, string>();

  constructor(
    private readonly table: string,
    private readonly columns: readonly UpdatedColumn[],
    private readonly id = 'id',
  ) {
    this.one = `UPDATE ${table} SET ${this.assignments(() => '?')} WHERE ${id} = ?`;
  }

  /** `add` gives the values of a row in the order of the columns, then its id. */
  *apply<T>(tx: Tx, rows: readonly T[], add: (params: SqlValue[], row: T) => void): Work<void> {
    if (tx.dialect === 'sqlite') {
      for (const row of rows) yield* tx.run(this.one, flatten([row], add));
      return;
    }
    for (const piece of pieces(rows)) {
      const sql = piece.length === 1 ? this.one : this.forMany(piece.length);
      yield* tx.run(sql, flatten(piece, add));
    }
  }

  private forMany(rows: number): string {
    let sql = this.many.get(rows);
    if (sql === undefined) {
      const names = [...this.columns.map(({ name }) => name), this.id].join(', ');
      const types = [...this.columns.map(({ type }) => type), 'text'];
      sql = `WITH change (${names}) AS (VALUES ${typedRows(rows, types)})
        UPDATE ${this.table} SET ${this.assignments((name) => `change.${name}`)}
        FROM change WHERE ${this.table}.${this.id} = change.${this.id}`;
      this.many.set(rows, sql);
    }
    return sql;
  }

  private assignments(value: (name: string) => string): string {
    return this.columns
      .map(({ name, set = 'NEW' }) => `${name} = ${set.replace('NEW', value(name))}`)
      .join(', ');
  }
}
