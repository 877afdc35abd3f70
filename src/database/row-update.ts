import { byRows, flatten, pieces, typedRows } from './multi-row.js';
import type { SqlValue, Tx, Work } from './sql.js';

/** One column that an update writes. */
export interface UpdatedColumn {
  readonly name: string;
  /** Its SQL type, which PostgreSQL cannot guess for a parameter. */
  readonly type: string;
  /** What it becomes, with `NEW` for the value given; the value itself when absent. */
  readonly set?: string;
}

/** A condition beside the id, `guard = ?` on the row as it is, and what is returned of the rows that meet it. */
export interface Guard {
  readonly column: UpdatedColumn;
  readonly returning: string;
}

/**
 * Updates many rows of one table by id (the column `id`), each with values of its own: on PostgreSQL with few
 * statements (a round trip each), on SQLite with one per row (which is faster there).
 */
export class RowUpdate {
  private readonly one: string;
  private readonly many = byRows((rows) => this.forMany(rows));

  constructor(
    private readonly table: string,
    private readonly columns: readonly UpdatedColumn[],
    private readonly id = 'id',
    private readonly guard?: Guard,
  ) {
    const condition = guard === undefined ? '' : ` AND ${guard.column.name} = ?`;
    this.one = `UPDATE ${table} SET ${this.assignments(() => '?')} WHERE ${id} = ?${condition}${this.returning()}`;
  }

  /**
   * `add` gives the values of a row in the order of the columns, then its id, then what its guard must be.
   * What a guarded update returns.
   */
  *apply<T, R = never>(
    tx: Tx,
    rows: readonly T[],
    add: (params: SqlValue[], row: T) => void,
  ): Work<R[]> {
    const returned: R[] = [];
    const inPieces = tx.dialect === 'sqlite' ? rows.map((row) => [row]) : pieces(rows);
    for (const piece of inPieces) {
      const sql = piece.length === 1 ? this.one : this.many(piece.length);
      const params = flatten(piece, add);
      if (this.guard === undefined) yield* tx.run(sql, params);
      else for (const row of yield* tx.all<R>(sql, params)) returned.push(row);
    }
    return returned;
  }

  private forMany(rows: number): string {
    const { table, id, guard } = this;
    const given = [...this.columns, { name: id, type: 'text' }];
    if (guard !== undefined) given.push({ name: 'guard', type: guard.column.type });
    const names = given.map(({ name }) => name);
    const types = given.map(({ type }) => type);
    const condition =
      guard === undefined ? '' : ` AND ${table}.${guard.column.name} = change.guard`;
    return `WITH change (${names.join(', ')}) AS (VALUES ${typedRows(rows, types)})
      UPDATE ${table} SET ${this.assignments((name) => `change.${name}`)}
      FROM change WHERE ${table}.${id} = change.${id}${condition}${this.returning()}`;
  }

  private returning(): string {
    const { table, guard } = this;
    if (guard === undefined) return '';
    return ` RETURNING ${guard.returning
      .split(', ')
      .map((name) => `${table}.${name}`)
      .join(', ')}`;
  }

  private assignments(value: (name: string) => string): string {
    return this.columns
      .map(({ name, set = 'NEW' }) => `${name} = ${set.replace('NEW', value(name))}`)
      .join(', ');
  }
}
