import { type Condition, paramsOf, where } from '../../database/conditions.js';
import type { Visibility } from '../../auth/index.js';
import { PieceSize } from '../../common/piece-size.js';
import type { Database } from '../../database/database.js';
import { type IndexWalk, walk } from '../../database/walk.js';
import type { TaskState } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';
import type { TaskCursor, TaskFilter } from '../store/task-store.js';
import { visibleTasks } from '../store/visibility.js';
import { inState, ofAgent, ofContext, statusFrom } from './list-filter.js';

/** Rows of one index of `tasks` (as `t`), in its order. */
export interface Walk extends IndexWalk {
  /** What else is asked of them, which no index has. */
  readonly rest: readonly Condition[];
  /** Its tasks are open, and may be found by a later walk again. */
  readonly isOpen: boolean;
  /** It goes by time and state, so tasks whose status changes meanwhile are found twice or not at all. */
  readonly isOfMoving: boolean;
}

/** The tasks of one owner and state, in the order of the list. */
export function inOrder(owner: readonly Condition[], state: TaskState, filter: TaskFilter): Walk {
  return {
    from: 'tasks t',
    key: ['t.status_at', 't.id'],
    order: 'DESC',
    fixed: [...owner, inState(state)],
    end: statusFrom(filter),
    rest: filter.agentId === undefined ? [] : [ofAgent(filter.agentId)],
    isOpen: !isTerminal(state),
    isOfMoving: true,
  };
}

/**
 * The tasks of one context, those of one principal or of all. SQLite would rather take an index that has the order of the
 * list, and read all of it.
 */
export function inContext(
  contextId: string,
  visibility: Visibility,
  { state, agentId, ...filter }: TaskFilter,
): Walk {
  const owner = visibleTasks(visibility);
  const isOfPrincipal = visibility.kind === 'principal';
  return {
    from: 'tasks t INDEXED BY tasks_context_idx',
    key: [...(isOfPrincipal ? [] : ['t.principal_id', 't.organization']), 't.created_at', 't.id'],
    order: 'ASC',
    fixed: [ofContext(contextId), ...(isOfPrincipal ? owner : [])],
    end: [],
    rest: [
      ...(isOfPrincipal ? [] : owner),
      ...(state === undefined ? [] : [inState(state)]),
      ...statusFrom(filter),
      ...(agentId === undefined ? [] : [ofAgent(agentId)]),
    ],
    isOpen: false,
    isOfMoving: false,
  };
}

/** How many tasks there are, and which stand first in the list behind a cursor. */
export interface Found {
  readonly total: number;
  readonly first: readonly TaskCursor[];
}

/** Rows that are read in one piece. */
const LEAST = 250;
const MOST = 2000;

interface Fit {
  readonly id: string;
  readonly status_at: number;
}

/**
 * Of all that these walks find: how many, and the first `limit` behind the cursor in the order of the list. Tasks whose
 * status changes meanwhile have a newer time than any had at the beginning: they are looked for at the end once more.
 */
export async function findInWalks(
  database: Database,
  walks: readonly Walk[],
  limit: number,
  after: TaskCursor | null,
): Promise<Found> {
  const size = new PieceSize(LEAST, MOST);
  const moving = walks.filter(({ isOfMoving }) => isOfMoving);
  const since = await newestOf(database, moving);
  const seen = new Set<string>();
  let total = 0;
  let first: Fit[] = [];
  const take = async (each: Walk, conditions: readonly Condition[], ms = 0): Promise<void> => {
    const all = [...conditions, ...each.rest];
    const sql = `SELECT t.id, t.status_at FROM ${each.from}${where(all)}`;
    const found = await size.time(() => database.read<Fit>(sql, paramsOf(all)), ms);
    const fits = found.filter(({ id }) => !seen.has(id));
    for (const { id, status_at } of fits) {
      if (each.isOpen || (each.isOfMoving && status_at >= since)) seen.add(id);
    }
    total += fits.length;
    const candidates = fits.filter((fit) => after === null || isBehind(fit, after));
    first = [...first, ...candidates].sort(byList).slice(0, limit);
  };
  for (const each of walks) {
    for await (const { conditions, ms } of walk(database, each, size)) {
      await take(each, conditions, ms);
    }
  }
  for (const each of moving) await take(each, [...each.fixed, ...newerIn(each, since)]);
  return {
    total,
    first: first.map(({ id, status_at }) => ({ id, statusAt: new Date(status_at) })),
  };
}

/** The newest time that a task of these walks has. */
async function newestOf(database: Database, walks: readonly Walk[]): Promise<number> {
  let newest = 0;
  for (const { from, fixed } of walks) {
    const [row] = await database.read<{ status_at: number }>(
      `SELECT t.status_at FROM ${from}${where(fixed)} ORDER BY t.status_at DESC LIMIT 1`,
      paramsOf(fixed),
    );
    newest = Math.max(newest, row?.status_at ?? 0);
  }
  return newest;
}

/** From this time on, or where the walk ends if that is later: of two bounds SQLite might take the wrong one. */
function newerIn({ end }: Walk, since: number): readonly Condition[] {
  const [until] = end;
  if (until !== undefined && Number(until.params[0]) >= since) return end;
  return [{ sql: 't.status_at >= ?', params: [since] }];
}

function isBehind({ id, status_at }: Fit, after: TaskCursor): boolean {
  const at = after.statusAt.getTime();
  return status_at < at || (status_at === at && id < after.id);
}

function byList(a: Fit, b: Fit): number {
  return b.status_at - a.status_at || (a.id < b.id ? 1 : -1);
}
