import { byRows, listOf, pieces } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';

/** Bytes of what may be long in a row of `tasks`: clients and their agents decide how much. For it none of that is read. */
export const LONG_BYTES = `octet_length(route) + COALESCE(octet_length(request), 0)
  + COALESCE(octet_length(cancel_metadata), 0)`;

/** What {@link SIZES} gives of a task. */
export interface SizeRow {
  readonly id: string;
  readonly bytes: number;
}

/**
 * What is read of each of so many tasks without their contents, as it is stored: their rows, and their delegations, which hold what their
 * agents have made so far.
 */
export const SIZES = byRows(
  (count) => `SELECT id, ${LONG_BYTES}
    + COALESCE((SELECT SUM(octet_length(d.progress) + octet_length(d.fallbacks))
        FROM delegations d WHERE d.task_id = tasks.id), 0) AS bytes
  FROM tasks WHERE id IN ${listOf(count)}`,
);

/** The bytes of these tasks, in their order; 0 of one that is gone. */
export function sizesOf(ids: readonly string[], rows: readonly SizeRow[]): number[] {
  const byId = new Map(rows.map(({ id, bytes }) => [id, Number(bytes)]));
  return ids.map((id) => byId.get(id) ?? 0);
}

/** {@link SIZES} of any number of tasks, in the order of their ids here. */
export function* readSizes(tx: Tx, ids: readonly string[]): Work<number[]> {
  const found: SizeRow[] = [];
  for (const piece of pieces(ids)) {
    found.push(...(yield* tx.all<SizeRow>(SIZES(piece.length), piece)));
  }
  return sizesOf(ids, found);
}

/** How many of the first have no more than `most` bytes together, by their sizes; at least one, where there is any. */
export function fitting(sizes: readonly number[], most: number): number {
  let total = 0;
  const over = sizes.findIndex((bytes) => (total += bytes) > most);
  return over === -1 ? sizes.length : Math.max(1, over);
}
