/** A value of a column. Times are epoch milliseconds, JSON is text, booleans are 0 and 1. */
export type SqlValue = string | number | null;

/** One statement with `?` placeholders (the PostgreSQL driver rewrites them to `$1…`). */
export interface SqlStatement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** What a statement gave: its rows (SELECT, RETURNING) and how many rows it changed. */
export interface SqlResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly changes: number;
}

/**
 * A piece of work inside one transaction, written as a generator that yields statements. The same
 * code runs without a single `await` on SQLite (one synchronous better-sqlite3 transaction, so
 * nothing else can slip in on the shared connection) and asynchronously on PostgreSQL. Use it as
 * `const rows = yield* tx.all<Row>('SELECT …', [id])`. A thrown error rolls the work back.
 */
export type Work<T> = Generator<SqlStatement, T, SqlResult>;

/** The statements a piece of work may make. Opaque to everything outside `persistence/`. */
export interface Tx {
  readonly dialect: 'sqlite' | 'postgres';

  /** All rows of a query (or of a statement with RETURNING). */
  all<R>(sql: string, params?: readonly SqlValue[]): Work<R[]>;

  /** How many rows a statement changed. */
  run(sql: string, params?: readonly SqlValue[]): Work<number>;
}

/** The {@link Tx} of this dialect: it only builds statements, so it has no state. */
export function txFor(dialect: Tx['dialect']): Tx {
  return {
    dialect,
    *all<R>(sql: string, params: readonly SqlValue[] = []): Work<R[]> {
      const result = yield { sql, params };
      return result.rows as R[];
    },
    *run(sql: string, params: readonly SqlValue[] = []): Work<number> {
      const result = yield { sql, params };
      return result.changes;
    },
  };
}
