import { longTurn } from '../common/long-work.js';
import { PieceSize } from '../common/piece-size.js';
import { allOf, type Condition, condition, paramsOf, where } from './conditions.js';
import type { Database } from './database.js';

/** Rows that are looked at in one piece. */
const LEAST = 250;
const MOST = 2000;

/** Rows of a table in the order of their ids, newest first. */
export interface NewestFirst {
  /** What stands after `FROM`. */
  readonly table: string;
  /** The column of the id. */
  readonly id: string;
  /** What an index has before the id; or several such, for rows that one of them leads to, and no two. */
  readonly walked: readonly (readonly Condition[])[];
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
  { table, id, walked, rest, atLeast, below }: NewestFirst,
  limit: number,
  read: (conditions: readonly Condition[], limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const lowest = atLeast === null ? [] : [condition(`${id} >= ?`, atLeast)];
  let behind = below === null ? [] : [condition(`${id} < ?`, below)];
  const within = (bounds: readonly Condition[]): Condition[] => [
    ...(walked.length === 1 ? walked[0]! : [anyOf(walked)]),
    ...rest,
    ...bounds,
  ];
  if (database.dialect !== 'sqlite') return read(within([...behind, ...lowest]), limit);
  const size = new PieceSize(LEAST, MOST);
  const found: Row[] = [];
  for (; ; await longTurn()) {
    const began = performance.now();
    const bounds = [...behind, ...lowest];
    const looking = lastOf(database, { table, id, walked }, bounds, size.rows);
    const ms = performance.now() - began;
    const last = await looking;
    // One bound on each side: of two SQLite would take any, and read on from there.
    const end = last === undefined ? lowest : [condition(`${id} >= ?`, last)];
    const readingSince = performance.now();
    const reading = read(within([...behind, ...end]), limit - found.length);
    size.took(ms + performance.now() - readingSince);
    for (const row of await reading) found.push(row);
    if (last === undefined || found.length >= limit) return found;
    behind = [condition(`${id} < ?`, last)];
  }
}

/** The id of the last of the next so many rows; undefined when there are not so many. */
async function lastOf(
  database: Database,
  { table, id, walked }: Pick<NewestFirst, 'table' | 'id' | 'walked'>,
  bounds: readonly Condition[],
  rows: number,
): Promise<string | undefined> {
  const each = walked.map((conditions) => [...conditions, ...bounds]);
  // Several are merged, each in the order of its index: an OR of them would be sorted as a whole.
  const parts = each.map((conditions) => `SELECT ${id} AS id FROM ${table}${where(conditions)}`);
  const [last] = await database.read<{ id: string }>(
    `${parts.join(' UNION ALL ')} ORDER BY id DESC LIMIT 1 OFFSET ?`,
    [...each.flatMap(paramsOf), rows - 1],
  );
  return last?.id;
}

function anyOf(alternatives: readonly (readonly Condition[])[]): Condition {
  const each = alternatives.map((conditions) => allOf(conditions));
  return condition(
    `(${each.map(({ sql }) => sql).join(' OR ')})`,
    ...each.flatMap(({ params }) => params),
  );
}
