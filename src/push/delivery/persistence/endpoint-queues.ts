import { forUpdate } from '../../../database/rows.js';
import { flatten, listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { LaneTurns, Standing } from '../domain/stream-choice.js';
import { QUEUED_FROM } from '../domain/endpoint-queue.js';
import type { EndpointRow } from '../../receivers/persistence/endpoint-rows.js';
import type { Places } from './endpoint-capacity.js';

/** Endpoints of a kind that one claim looks at. */
const MAX_READY = 256;
/** When there are more: organizations looked at, and endpoints of each. */
const MAX_ORGANIZATIONS = 64;
const MAX_ENDPOINTS_EACH = 4;
/** Lanes called back before their own time in one claim. */
const RECALLED_AT_ONCE = 64;

export interface QueuedLane {
  readonly id: string;
  readonly organization: string;
  readonly endpoint: string;
  readonly due_at: number;
}

/** Endpoints as their rows tell them apart; each has its indexes, `push_endpoints_ready_…` and `_turn_…`. */
const KINDS = {
  proven: `failures = 0 AND probe_at IS NULL AND sweep_after IS NULL AND last_success_at IS NOT NULL`,
  new: `failures = 0 AND probe_at IS NULL AND sweep_after IS NULL AND last_success_at IS NULL`,
  failing: `(failures > 0 OR probe_at IS NOT NULL) AND sweep_after IS NULL`,
};

/** How many endpoints of each kind are looked at. */
export type ReadyLimits = Readonly<Record<keyof typeof KINDS, number>>;

/** Of a kind that has hardly a place left few are looked at: those that wait longest. */
export function limitsOf(shares: ReadonlyMap<Standing, number>): ReadyLimits {
  const limit = (kind: Standing): number => Math.min(MAX_READY, Math.max(0, 2 * shares.get(kind)!));
  return { proven: limit('proven'), new: limit('new'), failing: limit('failing') };
}

/**
 * Endpoints whose queue may be served now, without those that are `full`. They are locked; those another
 * claim holds are left out. Each kind is looked for by itself, so that however many of one wait, those
 * of another are found.
 */
export function* readyEndpoints(
  tx: Tx,
  at: number,
  full: readonly string[],
  turns: LaneTurns,
  limits: ReadyLimits,
): Work<EndpointRow[]> {
  const rows: EndpointRow[] = [];
  for (const kind of ['proven', 'new', 'failing'] as const) {
    if (limits[kind] > 0) rows.push(...(yield* readyOf(tx, kind, at, full, turns, limits[kind])));
  }
  return rows;
}

/** All endpoints of a kind or, when there are too many, some of each organization in turn. */
function* readyOf(
  tx: Tx,
  kind: keyof typeof KINDS,
  at: number,
  full: readonly string[],
  turns: LaneTurns,
  limit: number,
): Work<EndpointRow[]> {
  const others = full.length > 0 ? `AND endpoint NOT IN ${listOf(full.length)}` : '';
  const these = `ready_at <= ? AND ${KINDS[kind]} ${others}`;
  const found = yield* tx.all<EndpointRow>(
    `SELECT * FROM push_endpoints WHERE ${these} ORDER BY ready_at LIMIT ?${forUpdate(tx, true)}`,
    [at, ...full, limit],
  );
  if (found.length < limit) return found;
  const rows = new Map<string, EndpointRow>();
  const organizations = yield* readyOrganizations(tx, kind, at);
  organizations.sort((a, b) => turns.lastOf(a) - turns.lastOf(b));
  for (const organization of organizations.slice(0, MAX_ORGANIZATIONS)) {
    const some = yield* tx.all<EndpointRow>(
      `SELECT * FROM push_endpoints WHERE organization = ? AND ${these}
       ORDER BY ready_at LIMIT ?${forUpdate(tx, true)}`,
      [organization, at, ...full, MAX_ENDPOINTS_EACH],
    );
    for (const row of some) rows.set(row.endpoint, row);
  }
  // What is left over goes to those that wait longest.
  for (const row of found) {
    if (rows.size >= limit) break;
    rows.set(row.endpoint, row);
  }
  return [...rows.values()];
}

/**
 * The organizations with such an endpoint. Each step goes to the next organization in the index
 * `push_endpoints_turn_…`, so one with many endpoints costs no more than one with a single one.
 */
function* readyOrganizations(tx: Tx, kind: keyof typeof KINDS, at: number): Work<string[]> {
  const rows = yield* tx.all<{ organization: string }>(
    `WITH RECURSIVE ready (organization) AS (
       SELECT (SELECT organization FROM push_endpoints WHERE ready_at IS NOT NULL
         AND ${KINDS[kind]} ORDER BY organization LIMIT 1)
       UNION ALL
       SELECT (SELECT e.organization FROM push_endpoints e
         WHERE e.ready_at IS NOT NULL AND ${KINDS[kind]}
           AND e.organization > ready.organization
         ORDER BY e.organization LIMIT 1)
       FROM ready WHERE ready.organization IS NOT NULL)
     SELECT organization FROM ready WHERE organization IS NOT NULL AND EXISTS
       (SELECT 1 FROM push_endpoints e
        WHERE e.organization = ready.organization AND e.ready_at <= ? AND ${KINDS[kind]})`,
    [at],
  );
  return rows.map((row) => row.organization);
}

/**
 * The first lanes of these queues, as many as have room. A queue that turns out to be empty is not ready
 * any more; one that was served goes behind those that were not.
 */
export function* queuedLanes(
  tx: Tx,
  ready: readonly EndpointRow[],
  places: Places,
  free: number,
  at: number,
): Work<QueuedLane[]> {
  const found: QueuedLane[] = [];
  const served: string[] = [];
  for (const [standing, open] of openByStanding(ready, places)) {
    const left = Math.min(free, places.shares.get(standing)!);
    const each = Math.ceil((2 * left) / open.length);
    for (const row of left > 0 ? open : []) {
      if (row.recall_before !== null) yield* recall(tx, row, at);
      const limit = Math.min(places.of(row.endpoint).room, each);
      const lanes = yield* firstOf(tx, row.endpoint, limit);
      found.push(...lanes);
      if (lanes.length > 0) served.push(row.endpoint);
      if (lanes.length < limit) yield* closeQueue(tx, row);
    }
  }
  for (const piece of pieces(served.sort())) {
    yield* tx.run(
      `UPDATE push_endpoints SET ready_at = ? WHERE endpoint IN ${listOf(piece.length)}
         AND ready_at IS NOT NULL AND probe_at IS NULL`,
      [at, ...piece],
    );
  }
  return found;
}

/** Those with room. */
function openByStanding(
  ready: readonly EndpointRow[],
  places: Places,
): ReadonlyMap<Standing, readonly EndpointRow[]> {
  const open = new Map<Standing, EndpointRow[]>();
  for (const row of ready) {
    const { standing, room } = places.of(row.endpoint);
    if (room > 0) open.set(standing, [...(open.get(standing) ?? []), row]);
  }
  return open;
}

function* firstOf(tx: Tx, endpoint: string, limit: number): Work<QueuedLane[]> {
  return yield* tx.all<QueuedLane>(
    `SELECT id, organization, endpoint, due_at FROM push_lanes
     WHERE endpoint = ? AND due_at >= ${QUEUED_FROM} ORDER BY due_at LIMIT ?${forUpdate(tx, true)}`,
    [endpoint, limit],
  );
}

/**
 * Nothing waits there any more, unless somebody has just put a lane into the queue: then either its row
 * or the count of parkings shows it.
 */
function* closeQueue(
  tx: Tx,
  { endpoint, parkings, recall_before: recall }: EndpointRow,
): Work<void> {
  if (recall !== null) return;
  yield* tx.run(
    `UPDATE push_endpoints SET ready_at = NULL WHERE endpoint = ? AND parkings = ? AND NOT EXISTS
       (SELECT 1 FROM push_lanes l WHERE l.endpoint = ? AND l.due_at >= ${QUEUED_FROM})`,
    [endpoint, parkings, endpoint],
  );
}

/** Has lanes that failed before the endpoint recovered tried again, a piece at a time. */
function* recall(tx: Tx, { endpoint, recall_before: before }: EndpointRow, at: number): Work<void> {
  const recalled = yield* tx.run(
    `UPDATE push_lanes SET due_at = due_at + ${QUEUED_FROM} WHERE id IN
       (SELECT id FROM push_lanes WHERE endpoint = ? AND due_at > ? AND due_at < ${QUEUED_FROM}
          AND lease_until IS NULL AND updated_at <= ?
        ORDER BY due_at LIMIT ?${forUpdate(tx, true)})`,
    [endpoint, at, before, RECALLED_AT_ONCE],
  );
  if (recalled === RECALLED_AT_ONCE) return;
  yield* tx.run(
    'UPDATE push_endpoints SET recall_before = NULL WHERE endpoint = ? AND recall_before = ?',
    [endpoint, before],
  );
}

function newRows(count: number): string {
  return Array(count).fill(`(?, ?, 'healthy', 0, ?, 0, ?, 1, ?, ?)`).join(', ');
}

/** Puts lanes nobody has into the queues of their endpoints. */
export function* parkLanes(
  tx: Tx,
  lanes: readonly {
    readonly id: string;
    readonly organization: string;
    readonly endpoint: string;
  }[],
  startSlots: number,
  at: number,
): Work<void> {
  if (lanes.length === 0) return;
  for (const piece of pieces(lanes.map(({ id }) => id))) {
    yield* tx.run(
      `UPDATE push_lanes SET due_at = due_at + ${QUEUED_FROM}, owner = NULL, lease_until = NULL
       WHERE id IN ${listOf(piece.length)} AND due_at < ${QUEUED_FROM}`,
      piece,
    );
  }
  const organizations = new Map(lanes.map((lane) => [lane.endpoint, lane.organization]));
  const endpoints = [...organizations].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const piece of pieces(endpoints)) {
    const params = flatten(piece, (values, [endpoint, organization]) => {
      values.push(endpoint, organization, startSlots, at, at, at);
    });
    yield* tx.run(
      `INSERT INTO push_endpoints (endpoint, organization, state, failures, slots, probes, ready_at,
         parkings, created_at, updated_at)
       VALUES ${newRows(piece.length)}
       ON CONFLICT (endpoint) DO UPDATE SET parkings = push_endpoints.parkings + 1,
         ready_at = COALESCE(push_endpoints.ready_at, push_endpoints.probe_at, excluded.ready_at)`,
      params,
    );
  }
}
