import { allOf, type Condition, paramsOf, where } from '../../database/conditions.js';
import type { Visibility } from '../../auth/index.js';
import { longTurn } from '../../common/long-work.js';
import { PieceSize } from '../../common/piece-size.js';
import type { Database } from '../../database/database.js';
import { listOf } from '../../database/multi-row.js';
import type { SqlValue } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import { TASK_STATES } from '../../protocol/task-state.js';
import { STUCK_STATES, type StuckSince } from '../store/stuck-tasks.js';
import type { TaskCursor, TaskSearch } from '../store/task-store.js';
import {
  atTimes,
  below,
  inState,
  inStates,
  ofAgent,
  ofContext,
  ofOwner,
  ownersOf,
  statusFrom,
  statusUntil,
} from './list-filter.js';

/** Tasks of an agent or a context are looked at all together when they are no more. */
const FEW = 2000;
/** Rows that one search looks at. */
const MOST_ROWS = 20_000;
/** A search that took longer goes on with its next page. */
const MOST_MS = 1000;
const PIECES = { least: 50, most: 2000, first: 250 } as const;

/** What a search has found, in the order of the list. */
export interface FoundPlaces {
  readonly places: readonly TaskCursor[];
  /** Where it goes on; null: there is nothing more. */
  readonly next: TaskCursor | null;
}

/** With the states and times that what is searched for can have at all. */
export function narrowed(search: TaskSearch): TaskSearch {
  const { stuckSince, states = STUCK_STATES, statusBefore } = search;
  if (stuckSince === undefined) return search;
  const own = STUCK_STATES.filter((state) => states.includes(state));
  const ends = own.map((state) => stuckSince[state].getTime());
  const end = Math.min(Math.max(0, ...ends), statusBefore?.getTime() ?? Infinity);
  return { ...search, states: own, statusBefore: new Date(end) };
}

/**
 * The first `limit` tasks behind the cursor, by what operators look for. Few rows are looked at where an index leads to few
 * tasks; else the rows are gone through in the order of the list, in pieces, and no more than {@link MOST_ROWS} of them: then the
 * page has fewer tasks, or none, and the next one goes on from there.
 */
export async function findPlaces(
  database: Database,
  search: TaskSearch,
  visibility: Visibility,
  limit: number,
  after: TaskCursor | null,
): Promise<FoundPlaces> {
  if (search.states?.length === 0) return { places: [], next: null };
  const few = await fewOf(database, search, visibility);
  const isPage = (found: readonly TaskCursor[]): FoundPlaces => {
    const places = found.slice(0, limit);
    return { places, next: found.length > limit ? places.at(-1)! : null };
  };
  if (few !== undefined) {
    const conditions = [
      ...ofOwner(search, visibility),
      ...isInStates(search),
      ...restOfFew(search),
      ...(after === null ? [] : [below(after)]),
    ];
    const rows = await database.read<Place>(
      // Written as a cross join, SQLite begins with the few.
      `SELECT t.id, t.status_at FROM (${few.sql}) AS few CROSS JOIN tasks t
       ${where([{ sql: 't.id = few.id', params: [] }, ...conditions])}
       ORDER BY t.status_at DESC, t.id DESC LIMIT ?`,
      [...few.params, ...paramsOf(conditions), limit + 1],
    );
    return isPage(rows.map(placeOf));
  }
  const { branches, rest } = await branchesOf(database, search, visibility);
  const size = new PieceSize(PIECES.least, PIECES.most, PIECES.first);
  const found: TaskCursor[] = [];
  const began = performance.now();
  for (let start = after, looked = 0; branches.length > 0; await longTurn()) {
    // Where all rows fit, a piece is the page.
    const count = rest.length === 0 ? limit + 1 : Math.min(size.rows, MOST_ROWS - looked);
    const rows = await size.time(() => piece(database, branches, rest, search, start, count));
    for (const row of rows) if (row.fits === 1) found.push(placeOf(row));
    if (found.length > limit) return isPage(found);
    const last = rows.at(-1);
    if (last === undefined || rows.length < count) return { places: found, next: null };
    start = placeOf(last);
    looked += rows.length;
    if (looked >= MOST_ROWS || performance.now() - began > MOST_MS) {
      return { places: found, next: start };
    }
  }
  return { places: found, next: null };
}

interface Place {
  readonly id: string;
  readonly status_at: number;
}

function placeOf({ id, status_at }: Place): TaskCursor {
  return { id, statusAt: new Date(status_at) };
}

/** The next rows in the order of the list, and of each whether the rest fits it. */
function piece(
  database: Database,
  branches: readonly (readonly Condition[])[],
  rest: readonly Condition[],
  search: TaskSearch,
  start: TaskCursor | null,
  count: number,
): Promise<(Place & { readonly fits: number })[]> {
  const times = [...statusFrom(search), ...(start === null ? statusUntil(search) : [below(start)])];
  const newest = branches.map(
    (branch, index) =>
      `SELECT * FROM (SELECT t.id, t.status_at FROM tasks t${where([...branch, ...times])}
       ORDER BY t.status_at DESC, t.id DESC LIMIT ?) AS b${index}`,
  );
  const fits = allOf(rest);
  return database.read(
    `SELECT p.id, p.status_at, CASE WHEN ${fits.sql} THEN 1 ELSE 0 END AS fits FROM
       (SELECT id, status_at FROM (${newest.join(' UNION ALL ')}) AS newest
        ORDER BY status_at DESC, id DESC LIMIT ?) AS p
     CROSS JOIN tasks t WHERE t.id = p.id ORDER BY p.status_at DESC, p.id DESC`,
    [
      ...fits.params,
      ...branches.flatMap((branch) => [...paramsOf(branch), ...paramsOf(times), count]),
      count,
    ],
  );
}

/** What indexes have in the order of the list, and what has to be looked at in each row. */
export async function branchesOf(
  database: Database,
  search: TaskSearch,
  visibility: Visibility,
): Promise<{ readonly branches: Condition[][]; readonly rest: Condition[] }> {
  const { ruleIds, endCode } = search;
  const rest = restOf(search);
  const led = endCode === undefined ? ofRule(ruleIds) : [withEndCode(endCode)];
  if (led.length > 0) {
    const others = endCode === undefined ? [] : ofRules(ruleIds);
    const all = [...ofOwner(search, visibility), ...isInStates(search), ...others, ...rest];
    return { branches: led.map((each) => [each]), rest: all };
  }
  // No rule has this name.
  if (ruleIds !== undefined) return { branches: [], rest: [] };
  const owners = await ownersOf(database, search, visibility);
  const states = search.states ?? TASK_STATES;
  return {
    branches: owners.flatMap((owner) => states.map((state) => [...owner, inState(state)])),
    rest,
  };
}

/** What no index has in the order of the list. */
function restOf(search: TaskSearch): Condition[] {
  const { agentId, skillId, contextId, createdAfter, createdBefore, text, stuckSince } = search;
  const { partEndCode } = search;
  return [
    ...(text === undefined ? [] : [named(text)]),
    ...(contextId === undefined ? [] : [ofContext(contextId)]),
    ...(skillId === undefined ? [] : [ofSkill(skillId, agentId)]),
    ...(agentId === undefined || skillId !== undefined ? [] : [ofAgent(agentId)]),
    ...(partEndCode === undefined ? [] : [withPartEnded(partEndCode)]),
    ...(createdAfter === undefined ? [] : [created('>=', createdAfter)]),
    ...(createdBefore === undefined ? [] : [created('<', createdBefore)]),
    ...(stuckSince === undefined ? [] : [stuck(stuckSince)]),
  ];
}

/** What has to be looked at in each of few tasks, but for their states. */
export function restOfFew(search: TaskSearch): Condition[] {
  const { endCode, ruleIds } = search;
  return [
    ...restOf(search),
    ...ofRules(ruleIds),
    ...(endCode === undefined ? [] : [withEndCode(endCode)]),
    ...atTimes(search),
  ];
}

function isInStates({ states }: TaskSearch): Condition[] {
  return states === undefined ? [] : [inStates(states)];
}

function ofSkill(skillId: string, agentId: string | undefined): Condition {
  const isOfAgent = agentId === undefined ? '' : ' AND d.agent_id = ?';
  return {
    sql: `EXISTS (SELECT 1 FROM delegations d WHERE d.task_id = t.id AND d.skill_id = ?${isOfAgent})`,
    params: [storable(skillId), ...(agentId === undefined ? [] : [storable(agentId)])],
  };
}

function named(text: string): Condition {
  return {
    sql: `(${NAMES.map((name) => `t.${name}`).join(' OR ')})`,
    params: namesOf(text),
  };
}

/** What a text may be of a task; each has an index. */
const NAMES = ['id = ?', 'context_id = ?', 'trace_id = ?'] as const;

function namesOf(text: string): SqlValue[] {
  const given = storable(text);
  return [given, given, given.toLowerCase()];
}

function created(sign: '>=' | '<', at: Date): Condition {
  return { sql: `t.created_at ${sign} ?`, params: [at.getTime()] };
}

function stuck(since: StuckSince): Condition {
  const each = STUCK_STATES.map(() => '(t.state = ? AND t.updated_at < ?)');
  return {
    sql: `(${each.join(' OR ')})`,
    params: STUCK_STATES.flatMap((state) => [state, since[state].getTime()]),
  };
}

function withEndCode(endCode: string): Condition {
  return { sql: 't.end_code = ?', params: [endCode] };
}

/** By the member of that name of what is stored of the delegation. */
function withPartEnded(endCode: string): Condition {
  return {
    sql: `EXISTS (SELECT 1 FROM delegations d WHERE d.task_id = t.id AND d.state <> 'completed'
      AND d.progress LIKE ?)`,
    params: [`%"endCode":"${endCode}"%`],
  };
}

function ofRule(ruleIds: readonly string[] | undefined): Condition[] {
  return (ruleIds ?? []).map((id) => ({ sql: 't.rule_id = ?', params: [storable(id)] }));
}

function ofRules(ruleIds: readonly string[] | undefined): Condition[] {
  if (ruleIds === undefined) return [];
  if (ruleIds.length === 0) return [{ sql: '1 = 0', params: [] }];
  const params = ruleIds.map((id) => storable(id));
  return [{ sql: `t.rule_id IN ${listOf(params.length)}`, params }];
}

/** A query of the ids that can fit, where an index leads to few of them. */
export interface FewIds {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

export async function fewOf(
  database: Database,
  search: TaskSearch,
  visibility: Visibility,
): Promise<FewIds | undefined> {
  const { text, contextId, agentId } = search;
  if (text !== undefined) return fewNamed(database, text, ofOwner(search, visibility));
  const ways: (readonly [string, SqlValue])[] = [
    ...(contextId === undefined
      ? []
      : [['SELECT id FROM tasks WHERE context_id = ?', storable(contextId)] as const]),
    ...(agentId === undefined
      ? []
      : [['SELECT task_id AS id FROM delegations WHERE agent_id = ?', storable(agentId)] as const]),
  ];
  for (const [sql, param] of ways) {
    const [row] = await database.read<{ total: number }>(
      `SELECT COUNT(*) AS total FROM (${sql} LIMIT ?) AS counted`,
      [param, FEW + 1],
    );
    if ((row?.total ?? 0) <= FEW) {
      return { sql: `SELECT DISTINCT id FROM (${sql}) AS ids`, params: [param] };
    }
  }
  return undefined;
}

/**
 * Those with this id, context or trace. Clients choose contexts and traces, so others may have any number of tasks there: only those
 * of the owner count.
 */
async function fewNamed(
  database: Database,
  text: string,
  owner: readonly Condition[],
): Promise<FewIds | undefined> {
  const named = NAMES.map((each) => `SELECT id FROM tasks WHERE ${each}`).join(' UNION ALL ');
  const params = namesOf(text);
  const most = owner.length === 0 ? FEW : MOST_ROWS;
  const isOwn = allOf(owner);
  const [row] = await database.read<{ looked: number; own: number | null }>(
    `SELECT COUNT(*) AS looked, SUM(CASE WHEN ${isOwn.sql} THEN 1 ELSE 0 END) AS own
     FROM (SELECT id FROM (${named}) AS named LIMIT ?) AS few CROSS JOIN tasks t WHERE t.id = few.id`,
    [...isOwn.params, ...params, most + 1],
  );
  if (Number(row?.looked ?? 0) > most || Number(row?.own ?? 0) > FEW) return undefined;
  return { sql: `SELECT DISTINCT id FROM (${named}) AS ids`, params };
}
