import { longTurn } from '../common/long-work.js';
import { PieceSize } from '../common/piece-size.js';
import { type Condition, condition, paramsOf, where } from './conditions.js';
import type { Database } from './database.js';

/** Rows that are looked at in one piece. */
const LEAST = 250;
const MOST = 4000;

/** Rows of a table in the order of their ids, newest first. */
export interface NewestFirst {
  /** What stands after `FROM`. */
  readonly table: string;
  /** The column of the id. */
  readonly id: string;
  /** What an index has before the id. */
  readonly walked: readonly Condition[];
  /** From this id on; null: from the first. */
  readonly from: string | null;
  /** Up to this id, without it; null: to the newest. */
  readonly before: string | null;
}

/**
 * The first `limit` that fit, of which `read` reads so many with ids within bounds, newest first. What fits may be few of what
 * the index has; SQLite's reads hold the event loop, so there they are looked for in pieces that take some milliseconds each.
 */
export async function newestFirst<Row>(
  database: Database,
  { table, id, walked, from, before }: NewestFirst,
  limit: number,
  read: (bounds: readonly Condition[], limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const lowest = from === null ? [] : [condition(`${id} >= ?`, from)];
  let below = before === null ? [] : [condition(`${id} < ?`, before)];
  if (database.dialect !== 'sqlite') return read([...below, ...lowest], limit);
  const size = new PieceSize(LEAST, MOST);
  const found: Row[] = [];
  for (; ; await longTurn()) {
    const conditions = [...walked, ...below, ...lowest];
    const [last] = await size.time(() =>
      database.read<{ id: string }>(
        `SELECT ${id} AS id FROM ${table}${where(conditions)} ORDER BY ${id} DESC LIMIT 1 OFFSET ?`,
        [...paramsOf(conditions), size.rows - 1],
      ),
    );
    // One bound on each side: of two SQLite would take any, and read on from there.
    const end = last === undefined ? lowest : [condition(`${id} >= ?`, last.id)];
    const left = limit - found.length;
    found.push(...(await size.time(() => read([...below, ...end], left))));
    if (last === undefined || found.length >= limit) return found;
    below = [condition(`${id} < ?`, last.id)];
  }
}
