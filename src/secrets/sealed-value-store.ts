import type { SealedTable } from '../database/sealed-columns.js';

/** Where a row stands in its table: the values of its primary key. */
export type RowKey = readonly (string | number)[];

/** The sealed columns of one row, in the order of {@link SealedTable.columns}. */
export interface SealedRow {
  readonly key: RowKey;
  readonly values: readonly (string | null)[];
}

/** Everything that is kept sealed, whatever it belongs to. */
export abstract class SealedValueStore {
  /** Rows of a table after that one, by their keys; fewer than `limit` only at the end. */
  abstract page(table: SealedTable, after: RowKey | null, limit: number): Promise<SealedRow[]>;

  /**
   * Puts `next` in the place of a row's values, unless one of them has changed since it was read; whether
   * it did. One row is one transaction, so that it can be part of no deadlock.
   */
  abstract replace(
    table: SealedTable,
    row: SealedRow,
    next: readonly (string | null)[],
  ): Promise<boolean>;
}
