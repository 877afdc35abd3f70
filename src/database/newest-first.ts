import { PieceSize } from '../common/piece-size.js';
import { anyOf, type Condition, condition } from './conditions.js';
import type { Database } from './database.js';
import { walk } from './walk.js';

/** Rows that are looked at in one piece. */
const LEAST = 250;
const MOST = 2000;

/** Rows of a table in the order of their ids, newest first. */
export interface NewestFirst {
  /** What stands after `FROM`. */
  readonly table: string;
  /** The column of the id. */
  readonly id: string;
  /** What an index has before the id. */
  readonly walked: readonly Condition[];
  /** Where several indexes lead to them; see `IndexWalk`. */
  readonly either?: readonly Condition[] | undefined;
  /** What else is asked of them, which no index has. */
  readonly rest: readonly Condition[];
  /** The lowest id, and the one behind the highest; null where there is none. */
  readonly atLeast: string | null;
  readonly below: string | null;
}

/**
 * The first `limit` that fit, of which `read` reads those that meet conditions, newest first. What fits may be few of what
 * the index has; SQLite's reads hold the event loop, so there they are looked for in pieces that take some milliseconds each.
 */
export async function newestFirst<Row>(
  database: Database,
  { table, id, walked, either, rest, atLeast, below }: NewestFirst,
  limit: number,
  read: (conditions: readonly Condition[], limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const start = below === null ? [] : [condition(`${id} < ?`, below)];
  const end = atLeast === null ? [] : [condition(`${id} >= ?`, atLeast)];
  if (database.dialect !== 'sqlite') {
    const ofEither = either === undefined ? [] : [anyOf(either)];
    return read([...walked, ...ofEither, ...rest, ...start, ...end], limit);
  }
  const size = new PieceSize(LEAST, MOST);
  const found: Row[] = [];
  const course = {
    from: table,
    key: [id],
    order: 'DESC',
    fixed: walked,
    either,
    start,
    end,
  } as const;
  for await (const { conditions, ms } of walk(database, course, size)) {
    const left = limit - found.length;
    const rows = await size.time(() => read([...conditions, ...rest], left), ms);
    for (const row of rows) found.push(row);
    if (found.length >= limit) break;
  }
  return found;
}
