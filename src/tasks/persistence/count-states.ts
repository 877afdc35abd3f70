import { type Condition, paramsOf, where } from '../../database/conditions.js';
import type { Visibility } from '../../auth/index.js';
import type { Database } from '../../database/database.js';
import type { TaskState } from '../../protocol/a2a.js';
import { TASK_STATES } from '../../protocol/task-state.js';
import type { StateCount, TaskSearch } from '../store/task-store.js';
import { ofOwner, statusFrom, statusUntil } from './list-filter.js';
import { branchesOf, fewOf, type FewIds, narrowed, restOfFew } from './search.js';

/** Tasks of a state that are looked at: the newest. */
const MOST = 1000;

interface CountRow {
  /** Which of the statement's parts it is of. */
  readonly part: number;
  readonly state: TaskState;
  readonly fit: number | string | null;
  readonly looked: number | string;
}

/** How many tasks of each state fit a search, whatever states that names: one statement, which looks at a bounded number of rows. */
export async function countStates(
  database: Database,
  given: TaskSearch,
  visibility: Visibility,
): Promise<readonly StateCount[]> {
  const others = { ...given };
  delete (others as { states?: unknown }).states;
  const search = narrowed(others);
  const few = await fewOf(database, search, visibility);
  const rows = few
    ? await countFew(database, few, search, visibility)
    : await countNewest(database, search, visibility);
  const looked = new Map<number, number>();
  for (const row of rows) {
    looked.set(row.part, (looked.get(row.part) ?? 0) + Number(row.looked));
  }
  const cut = rows.filter(({ part }) => looked.get(part)! > MOST && few === undefined);
  // Of a part that mixes states nobody knows which of them the rest has.
  const isCut = (state: TaskState) =>
    cut.some((row) => row.state === state) || (isMixed(search) && cut.length > 0);
  return TASK_STATES.map((state) => {
    const count = rows
      .filter((row) => row.state === state)
      .reduce((sum, { fit }) => sum + Number(fit), 0);
    return { state, count: Math.min(count, MOST), isLeast: isCut(state) || count > MOST };
  });
}

/** Whether an index leads to tasks of all states together. */
function isMixed({ endCode, ruleIds }: TaskSearch): boolean {
  return endCode !== undefined || ruleIds !== undefined;
}

function countFew(
  database: Database,
  few: FewIds,
  search: TaskSearch,
  visibility: Visibility,
): Promise<CountRow[]> {
  const conditions = [...ofOwner(search, visibility), ...restOfFew(search)];
  return database.read<CountRow>(
    `SELECT 0 AS part, t.state AS state, COUNT(*) AS fit, COUNT(*) AS looked
     FROM (${few.sql}) AS few CROSS JOIN tasks t
     ${where([{ sql: 't.id = few.id', params: [] }, ...conditions])} GROUP BY t.state`,
    [...few.params, ...paramsOf(conditions)],
  );
}

async function countNewest(
  database: Database,
  search: TaskSearch,
  visibility: Visibility,
): Promise<CountRow[]> {
  const { branches, rest } = await branchesOf(database, search, visibility);
  if (branches.length === 0) return [];
  const times = [...statusFrom(sinceOf(search)), ...statusUntil(search)];
  const parts = branches.map((branch, part) => partOf(part, [...branch, ...times], rest));
  return database.read<CountRow>(
    parts.map(({ sql }) => sql).join(' UNION ALL '),
    parts.flatMap(({ params }) => params),
  );
}

/** The newest of a branch, and how many of them fit the rest. */
function partOf(part: number, led: readonly Condition[], rest: readonly Condition[]): Condition {
  const fit =
    rest.length === 0
      ? 'COUNT(*)'
      : `SUM(CASE WHEN ${rest.map(({ sql }) => sql).join(' AND ')} THEN 1 ELSE 0 END)`;
  return {
    sql: `SELECT ${part} AS part, t.state AS state, ${fit} AS fit, COUNT(*) AS looked FROM
       (SELECT t.id FROM tasks t${where(led)} ORDER BY t.status_at DESC, t.id DESC LIMIT ?) AS p${part}
     CROSS JOIN tasks t WHERE t.id = p${part}.id GROUP BY t.state`,
    params: [...paramsOf(rest), ...paramsOf(led), MOST + 1],
  };
}

/** A status is never older than its task: an index has what was begun since among what changed since. */
function sinceOf({ createdAfter, statusAfter }: TaskSearch): Pick<TaskSearch, 'statusAfter'> {
  if (createdAfter === undefined) return statusAfter === undefined ? {} : { statusAfter };
  if (statusAfter === undefined || createdAfter > statusAfter) return { statusAfter: createdAfter };
  return { statusAfter };
}
