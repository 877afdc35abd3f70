import { longTurn } from '../common/long-work.js';
import type { PieceSize } from '../common/piece-size.js';
import { anyOf, type Condition, paramsOf, where } from './conditions.js';
import type { Database } from './database.js';
import type { SqlValue } from './sql.js';

/** Rows of one index, in its order. */
export interface IndexWalk {
  /** What stands after `FROM`. */
  readonly from: string;
  readonly key: readonly string[];
  readonly order: 'ASC' | 'DESC';
  /** What all of them have in common: the beginning of the index. */
  readonly fixed: readonly Condition[];
  /** Several beginnings of indexes, where no row has two of them: their rows are merged, as an OR of them would be sorted as a whole. */
  readonly either?: readonly Condition[] | undefined;
  /** Where it begins, as a condition on the first of the key. */
  readonly start?: readonly Condition[];
  /** Where it ends, as a condition on the first of the key. */
  readonly end: readonly Condition[];
}

/** One piece of a walk: the conditions that leave its rows, and how many there are where that is known. */
export interface WalkPiece {
  readonly conditions: readonly Condition[];
  readonly rows: number | null;
  /** How long finding it has held the event loop; who reads it says how long both took. */
  readonly ms: number;
}

/**
 * The pieces of a walk, each in a turn of the event loop, which SQLite holds meanwhile. Each has one bound on each side:
 * of several SQLite would take any, and read from there.
 */
export async function* walk(
  database: Database,
  { from, key, order, fixed, either, start: first = [], end }: IndexWalk,
  size: Pick<PieceSize, 'rows'>,
): AsyncGenerator<WalkPiece> {
  const names = key.map((_, index) => `k${index}`);
  const columns = key.map((name, index) => `${name} AS ${names[index]}`).join(', ');
  const [behind, upTo] = order === 'ASC' ? ['>', '<='] : ['<', '>='];
  const bound = (sign: string | undefined, values: readonly SqlValue[]): Condition => ({
    sql: `(${key.join(', ')}) ${sign} (${values.map(() => '?').join(', ')})`,
    params: values,
  });
  const ways = either === undefined ? [fixed] : either.map((each) => [...fixed, each]);
  const all = either === undefined ? fixed : [...fixed, anyOf(either)];
  for (let start = first; ; await longTurn()) {
    const { rows } = size;
    const each = ways.map((way) => [...way, ...start, ...end]);
    const parts = each.map((conditions) => `SELECT ${columns} FROM ${from}${where(conditions)}`);
    const began = performance.now();
    const read = database.read<Record<string, SqlValue>>(
      `${parts.join(' UNION ALL ')}
       ORDER BY ${names.map((name) => `${name} ${order}`).join(', ')} LIMIT 1 OFFSET ?`,
      [...each.flatMap(paramsOf), rows - 1],
    );
    const ms = performance.now() - began;
    const [last] = await read;
    if (last === undefined) {
      yield { conditions: [...all, ...start, ...end], rows: null, ms };
      return;
    }
    const values = names.map((name) => last[name] ?? null);
    yield { conditions: [...all, ...start, bound(upTo, values)], rows, ms };
    start = [bound(behind, values)];
  }
}
