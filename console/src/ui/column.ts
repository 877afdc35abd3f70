import type { ReactNode } from 'react';

/** A column of a table. */
export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** What the rows that are loaded are sorted by; absent, they cannot be by this column. */
  readonly sortBy?: (row: Row) => string | number | null;
  /** A share of the width, 1 by default. */
  readonly share?: number;
  readonly align?: 'end';
  /** Left out on narrow screens. */
  readonly minor?: boolean;
}
