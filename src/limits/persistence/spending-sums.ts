import { PieceSize } from '../../common/piece-size.js';
import { type Condition, condition, paramsOf, where } from '../../database/conditions.js';
import type { Database } from '../../database/database.js';
import { type IndexWalk, walk } from '../../database/walk.js';
import type { SpendingFilter } from '../spending.js';

/** Rows that are added up between two turns of the event loop. */
const LEAST = 250;
const MOST = 8000;
const KEY = ['organization', 'principal_id', 'agent_id', 'skill_id', 'unit'] as const;

/** A column that sums are grouped by. */
export type SpendingColumn = (typeof KEY)[number] | 'month';

type Columns = Partial<Record<Exclude<SpendingColumn, 'month'>, string>> & {
  readonly month?: number;
};

/** One sum: its groups, and what they come to. */
export type SumRow = Columns & {
  amount: number;
  tasks: number;
};

/** Where a sum is among others, by its columns. */
export type SumPlace = Readonly<Record<(typeof KEY)[number], string>> & { readonly month: number };

/** A statement up to its conditions. */
export function summed(groups: readonly SpendingColumn[]): string {
  return `SELECT ${groups.join(', ')}, SUM(amount) AS amount, SUM(tasks) AS tasks FROM spending`;
}

/** The first `most` sums by these groups, of those behind `after`, the newest month first: month by month in small pieces, as SQLite reads on the event loop. */
export async function sumInPieces(
  database: Database,
  filter: SpendingFilter,
  groups: readonly SpendingColumn[],
  most: number,
  after?: SumPlace,
): Promise<readonly SumRow[]> {
  const size = new PieceSize(LEAST, MOST);
  const first = new FirstSums(groups, most, after);
  const newest = after !== undefined && groups[0] === 'month' ? after.month : Infinity;
  const to = Math.min(newest, filter.toMonth ?? Number.MAX_SAFE_INTEGER);
  let month = await lastMonth(database, to);
  while (month !== null && month >= (filter.fromMonth ?? 0)) {
    for await (const { conditions, ms } of walk(database, walkOf(filter, month), size)) {
      const began = performance.now();
      const rows = await database.read<SumRow>(
        `${summed(groups)}${where(conditions)} GROUP BY ${groups.join(', ')}`,
        paramsOf(conditions),
      );
      for (const row of rows) first.add(row);
      size.took(ms + performance.now() - began);
    }
    // What is older comes behind all of these.
    if (first.isFull && groups.includes('month')) break;
    month = await lastMonth(database, month - 1);
  }
  return first.sums;
}

async function lastMonth(database: Database, to: number): Promise<number | null> {
  const [row] = await database.read<{ month: number | null }>(
    'SELECT MAX(month) AS month FROM spending WHERE month <= ?',
    [to],
  );
  return row?.month ?? null;
}

/** The rows of a month by the index that leads to the fewest; what has a plus before it is looked at in each of them. */
function walkOf(
  { organization, principal, agent, unit }: SpendingFilter,
  month: number,
): IndexWalk {
  const isOfAgent = principal === undefined;
  const given = [
    ['organization', '', organization],
    ['principal_id', '', principal],
    ['agent_id', isOfAgent ? '' : '+', agent],
    ['unit', '+', unit],
  ] as const;
  const fixed: Condition[] = [condition('month = ?', month)];
  const led = new Set<string>();
  for (const [column, sign, value] of given) {
    if (value === undefined) continue;
    fixed.push(condition(`${sign}${column} = ?`, value));
    if (sign === '') led.add(column);
  }
  const key = KEY.filter((column) => !led.has(column));
  return { from: 'spending', key, order: 'ASC', fixed, end: [] };
}

/** The first so many sums in their order; what turns out to be behind them is dropped. */
class FirstSums {
  readonly sums: SumRow[] = [];
  private readonly byKey = new Map<string, SumRow>();

  constructor(
    private readonly groups: readonly SpendingColumn[],
    private readonly most: number,
    private readonly after: SumPlace | undefined,
  ) {}

  get isFull(): boolean {
    return this.sums.length >= this.most;
  }

  add(row: SumRow): void {
    if (this.after !== undefined && this.compare(row, this.after) <= 0) return;
    const key = this.keyOf(row);
    const known = this.byKey.get(key);
    if (known !== undefined) {
      known.amount += row.amount;
      known.tasks += row.tasks;
      return;
    }
    const place = this.placeOf(row);
    if (place >= this.most) return;
    this.sums.splice(place, 0, row);
    this.byKey.set(key, row);
    if (this.sums.length > this.most) this.byKey.delete(this.keyOf(this.sums.pop()!));
  }

  private placeOf(row: SumRow): number {
    let [low, high] = [0, this.sums.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.compare(this.sums[middle]!, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private compare(a: Columns, b: Columns): number {
    for (const group of this.groups) {
      const [one, other] = [a[group]!, b[group]!];
      if (one !== other) return one < other === (group !== 'month') ? -1 : 1;
    }
    return 0;
  }

  private keyOf(row: SumRow): string {
    return JSON.stringify(this.groups.map((group) => row[group]));
  }
}
