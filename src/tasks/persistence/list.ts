import { paramsOf, where } from '../../database/conditions.js';
import type { Visibility } from '../../auth/index.js';
import { LONG } from '../../common/long-work.js';
import type { Database } from '../../database/database.js';
import { listOf } from '../../database/multi-row.js';
import type { DatabaseRow } from '../../database/table.js';
import type { SqlValue } from '../../database/sql.js';
import { TASK_STATES } from '../../protocol/task-state.js';
import type {
  ReserveBytes,
  SearchPage,
  TaskCursor,
  TaskFilter,
  TaskPage,
  TaskSearch,
} from '../store/task-store.js';
import { visibleTasks } from '../store/visibility.js';
import type { TaskRecord } from '../task.js';
import { countTasks } from './count-tasks.js';
import { below, inState, ofAgent, ofContext, statusFrom } from './list-filter.js';
import { buildTasks, readDelegations } from './load.js';
import {
  SIZED_COLUMNS,
  type SizedRow,
  TASK_COLUMNS,
  type TaskRow,
  toSizedRow,
  toTaskRow,
} from './task-rows.js';
import { fitting, SIZES, sizesOf, type SizeRow } from './task-sizes.js';
import { findPlaces, narrowed } from './search.js';
import { findInWalks, inContext, inOrder, type Walk } from './walk-tasks.js';

/** A page of larger tasks has fewer of them, so that lists cannot fill the memory. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** See `TaskStore.list`. */
export async function listTasks(
  database: Database,
  filter: TaskFilter,
  visibility: Visibility,
  limit: number,
  after: TaskCursor | null,
  reserve?: ReserveBytes,
): Promise<TaskPage> {
  const { total, ...found } = await find(database, filter, visibility, limit, after);
  return { ...(await pageOfRows(database, found, filter, reserve)), totalSize: total };
}

/** See `TaskStore.search`. What the tasks have to say, their events, is not read. */
export async function searchTasks(
  database: Database,
  wanted: TaskSearch,
  visibility: Visibility,
  limit: number,
  after: TaskCursor | null,
  reserve?: ReserveBytes,
): Promise<SearchPage> {
  const search = narrowed(wanted);
  const found = await findPlaces(database, search, visibility, limit, after);
  const sizes = await sizesAt(database, found.places);
  const count = fitting(sizes, MAX_PAGE_BYTES);
  const places = found.places.slice(0, count);
  const next = count < found.places.length ? places.at(-1)! : found.next;
  const bytes = sizes.slice(0, count).reduce((sum, each) => sum + each, 0);
  if (reserve !== undefined && bytes > LONG) await reserve(bytes);
  const rows = await wholeAt(database, places, search);
  const delegations = await readDelegations(database, rows);
  const tasks = rows.map(({ record }) => ({
    record,
    delegations: delegations.get(record.id) ?? [],
  }));
  return { tasks, next };
}

async function sizesAt(database: Database, places: readonly TaskCursor[]): Promise<number[]> {
  if (places.length === 0) return [];
  const ids = places.map(({ id }) => id);
  return sizesOf(ids, await database.read<SizeRow>(SIZES(ids.length), ids));
}

/** As many of the first as fit into one page, by what is stored of them: it is in their rows, while to add up the log SQLite reads all of its bodies. */
async function pageOfRows(
  database: Database,
  { rows, last }: Pick<FoundRows, 'rows' | 'last'>,
  filter: RowFilter,
  reserve: ReserveBytes | undefined,
): Promise<Pick<TaskPage, 'tasks' | 'next'>> {
  const sizes = rows.map(({ bytes }) => bytes);
  const page = rows.slice(0, fitting(sizes, MAX_PAGE_BYTES));
  const bytes = sizes.slice(0, page.length).reduce((sum, each) => sum + each, 0);
  if (reserve !== undefined && bytes > LONG) await reserve(bytes);
  const long = page.filter(({ row }) => row === undefined);
  const others = await wholeAt(database, long, filter);
  const longById = new Map(others.map((row) => [row.record.id, row]));
  const whole = page.flatMap(({ id, row }) => row ?? longById.get(id) ?? []);
  const tasks = await buildTasks(database, whole);
  const cut = rows.length > page.length ? page.at(-1) : undefined;
  return {
    tasks: tasks.map(({ aggregate }) => aggregate),
    next: cut === undefined ? last : cursorAt(cut),
  };
}

function cursorAt({ statusAt, id }: SizedRow): TaskCursor {
  return { statusAt, id };
}

interface FoundRows {
  readonly total: number;
  readonly rows: readonly SizedRow[];
  /** Where the next page begins; null when this is the last one. */
  readonly last: TaskCursor | null;
}

/** How many tasks the filter leaves, and the rows of one page. */
async function find(
  database: Database,
  filter: TaskFilter,
  visibility: Visibility,
  limit: number,
  after: TaskCursor | null,
): Promise<FoundRows> {
  const walks = database.dialect === 'sqlite' ? walksOf(filter, visibility) : undefined;
  if (walks !== undefined) {
    const { total, first } = await findInWalks(database, walks, limit + 1, after);
    const places = first.slice(0, limit);
    const last = first.length > limit ? places.at(-1)! : null;
    return { total, rows: await sizedAt(database, places, filter), last };
  }
  // One row more than requested shows whether there is a next page.
  const [total, all] = await Promise.all([
    countTasks(database, filter, visibility),
    pageOf(database, filter, visibility, limit + 1, after),
  ]);
  const rows = all.slice(0, limit);
  return { total, rows, last: all.length > limit ? cursorAt(rows.at(-1)!) : null };
}

type RowFilter = Pick<TaskFilter, 'state'> &
  Pick<TaskSearch, 'states' | 'statusAfter' | 'statusBefore'>;

/**
 * The rows that were found, without those that have been deleted since, or changed so that they do not fit any more. What they have to
 * fit is looked at here: SQLite, which has no statistics, would go through an index of states instead of the ids.
 */
async function sizedAt(
  database: Database,
  places: readonly Pick<TaskCursor, 'id'>[],
  filter: RowFilter,
): Promise<SizedRow[]> {
  const ids = places.map(({ id }) => id);
  const rows = await readRows(database, SIZED_COLUMNS, `id IN ${listOf(ids.length)}`, ids);
  return rows.map(toSizedRow).filter((row) => fits(row, filter));
}

/** The same, read whole. */
async function wholeAt(
  database: Database,
  places: readonly Pick<TaskCursor, 'id'>[],
  filter: RowFilter,
): Promise<TaskRow[]> {
  const ids = places.map(({ id }) => id);
  const rows = await readRows(database, TASK_COLUMNS, `id IN ${listOf(ids.length)}`, ids);
  return rows.map(toTaskRow).filter(({ record }) => fits(record, filter));
}

function fits(
  { state: ofTask, statusAt }: Pick<TaskRecord, 'state' | 'statusAt'>,
  { state, states = state === undefined ? undefined : [state], ...filter }: RowFilter,
): boolean {
  const { statusAfter, statusBefore } = filter;
  return (
    (states === undefined || states.includes(ofTask)) &&
    (statusAfter === undefined || statusAt >= statusAfter) &&
    (statusBefore === undefined || statusAt < statusBefore)
  );
}

/**
 * What SQLite has to look at to find what no index has in the order of the list: the tasks of a context, or those of the owner for
 * one agent. Undefined: an index has them in that order.
 */
function walksOf(filter: TaskFilter, visibility: Visibility): Walk[] | undefined {
  const { contextId, agentId, state } = filter;
  if (contextId !== undefined) return [inContext(contextId, visibility, filter)];
  if (agentId === undefined) return undefined;
  const owner = visibleTasks(visibility);
  const states = state === undefined ? TASK_STATES : [state];
  return states.map((each) => inOrder(owner, each, filter));
}

/**
 * The rows of one page. The newest of each state come in order from an index, and are merged: so a page costs the same
 * however many tasks there are. On PostgreSQL, which knows how many tasks a context has, it may sort them instead.
 */
async function pageOf(
  database: Database,
  filter: TaskFilter,
  visibility: Visibility,
  limit: number,
  after: TaskCursor | null,
): Promise<SizedRow[]> {
  const { contextId, agentId, state } = filter;
  const rest = [
    ...(contextId === undefined ? [] : [ofContext(contextId)]),
    ...statusFrom(filter),
    ...(after === null ? [] : [below(after)]),
    ...(agentId === undefined ? [] : [ofAgent(agentId)]),
  ];
  const states = state === undefined ? TASK_STATES : [state];
  const owner = visibleTasks(visibility);
  const branches =
    contextId !== undefined && state === undefined
      ? [[...owner, ...rest]]
      : states.map((each) => [...owner, inState(each), ...rest]);
  const newest = branches.map(
    (branch, index) =>
      `SELECT * FROM (SELECT t.id, t.status_at FROM tasks t${where(branch)}
       ORDER BY t.status_at DESC, t.id DESC LIMIT ?) AS b${index}`,
  );
  const rows = await readRows(
    database,
    SIZED_COLUMNS,
    `id IN (SELECT id FROM (${newest.join(' UNION ALL ')}) AS newest
      ORDER BY status_at DESC, id DESC LIMIT ?)`,
    [...branches.flatMap((branch) => [...paramsOf(branch), limit]), limit],
  );
  return rows.map(toSizedRow);
}

async function readRows(
  database: Database,
  columns: string,
  condition: string,
  params: readonly SqlValue[],
): Promise<readonly DatabaseRow[]> {
  if (params.length === 0) return [];
  return database.read<DatabaseRow>(
    `SELECT ${columns} FROM tasks WHERE ${condition} ORDER BY status_at DESC, id DESC`,
    params,
  );
}
