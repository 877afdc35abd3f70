import type { SqlValue } from './sql.js';

/** Rows in one statement at most. */
const MAX_ROWS = 64;

/**
 * Cuts rows into pieces of 64, 32, 16 … 1, so that statements over many rows come in few different
 * texts (each is prepared once).
 */
export function* pieces<T>(rows: readonly T[]): Generator<readonly T[]> {
  let start = 0;
  let size = MAX_ROWS;
  while (start < rows.length) {
    while (size > rows.length - start) size /= 2;
    yield start === 0 && size === rows.length ? rows : rows.slice(start, start + size);
    start += size;
  }
}

const texts = new Map<string, string>();

/** `(?, ?), (?, ?)`: the placeholders of `rows` rows of `columns` values. */
export function rowsOf(rows: number, columns: number): string {
  const key = `${rows}x${columns}`;
  let text = texts.get(key);
  if (text === undefined) {
    const row = `(${Array(columns).fill('?').join(', ')})`;
    text = Array(rows).fill(row).join(', ');
    texts.set(key, text);
  }
  return text;
}

/** A statement for any number of rows, whose text is made once for each. */
export function byRows(make: (rows: number) => string): (rows: number) => string {
  const made = new Map<number, string>();
  return (rows) => {
    let text = made.get(rows);
    if (text === undefined) {
      text = make(rows);
      made.set(rows, text);
    }
    return text;
  };
}

/** `(?, ?, ?)`: the placeholders of an IN list. */
export function listOf(count: number): string {
  return rowsOf(1, count);
}

/** The `VALUES` of an update of many rows; the casts tell PostgreSQL the types of the columns. */
export function typedRows(rows: number, types: readonly string[]): string {
  const first = `(${types.map((type) => `CAST(? AS ${type})`).join(', ')})`;
  return rows === 1 ? first : `${first}, ${rowsOf(rows - 1, types.length)}`;
}

/** Calls `add` for each row with one flat list of parameters. */
export function flatten<T>(
  rows: readonly T[],
  add: (params: SqlValue[], row: T) => void,
): SqlValue[] {
  const params: SqlValue[] = [];
  for (const row of rows) add(params, row);
  return params;
}
