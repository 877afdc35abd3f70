import { PieceSize } from '../common/piece-size.js';
import { anyOf, type Condition } from './conditions.js';
import type { Database } from './database.js';
import { walk } from './walk.js';

/** Rows that are looked at in one piece. */
const LEAST = 250;
const MOST = 2000;

/** Rows of a table in the order of their ids. */
export interface InOrderOfIds {
  /** What stands after `FROM`. */
  readonly from: string;
  /** The column of the id. */
  readonly id: string;
  readonly order: 'ASC' | 'DESC';
  /** What an index has before the id. */
  readonly walked: readonly Condition[];
  /** Where several indexes lead to them; see `IndexWalk`. */
  readonly either?: readonly Condition[] | undefined;
  /** What else is asked of them, which no index has. */
  readonly rest: readonly Condition[];
  /** Where they begin, as a condition on the id; one at most. */
  readonly start: readonly Condition[];
  /** Where they end, as a condition on the id; one at most. */
  readonly end: readonly Condition[];
}

/**
 * What `read` gives of the rows that meet conditions, piece by piece in their order. What fits may be few of what the index has;
 * SQLite's reads hold the event loop, so there a piece takes some milliseconds. Elsewhere all of them are one piece.
 */
export async function* inOrderOfIds<T>(
  database: Database,
  { from, id, order, walked, either, rest, start, end }: InOrderOfIds,
  read: (conditions: readonly Condition[]) => Promise<T>,
): AsyncGenerator<T> {
  if (database.dialect !== 'sqlite') {
    const ofEither = either === undefined ? [] : [anyOf(either)];
    yield await read([...walked, ...ofEither, ...rest, ...start, ...end]);
    return;
  }
  const size = new PieceSize(LEAST, MOST);
  const course = { from, key: [id], order, fixed: walked, either, start, end };
  for await (const { conditions, ms } of walk(database, course, size)) {
    yield await size.time(() => read([...conditions, ...rest]), ms);
  }
}

/** The first `limit` rows that fit; `read` reads so many of those that meet conditions, in their order. */
export async function firstOf<Row>(
  database: Database,
  rows: InOrderOfIds,
  limit: number,
  read: (conditions: readonly Condition[], limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  const pieces = inOrderOfIds(database, rows, (conditions) =>
    read(conditions, limit - found.length),
  );
  for await (const piece of pieces) {
    for (const row of piece) found.push(row);
    if (found.length >= limit) break;
  }
  return found;
}
