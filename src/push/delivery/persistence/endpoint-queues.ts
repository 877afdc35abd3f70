import { forUpdate } from '../../../database/rows.js';
import { flatten, listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { OrganizationTurns, EndpointTier } from '../domain/stream-choice.js';
import { QUEUED_FROM } from '../domain/endpoint-queue.js';
import { ENDPOINT, type EndpointRow } from '../../receivers/persistence/endpoint-rows.js';
import type { EndpointCapacities } from './endpoint-capacity.js';

/** Endpoints of a kind that one claim looks at. */
const MAX_READY = 256;
/** When there are more: organizations looked at, and endpoints of each. */
const MAX_ORGANIZATIONS = 64;
const MAX_ENDPOINTS_EACH = 4;
/** Streams called back before their own time in one claim. */
const REQUEUED_AT_ONCE = 64;

export interface QueuedStream {
  readonly id: string;
  readonly organization: string;
  readonly endpoint: string;
  readonly due_at: number;
}

/** The kinds of endpoints, as conditions on their rows; each has its indexes, `push_endpoints_ready_…` and `_turn_…`. */
const KINDS = {
  proven: `failures = 0 AND probe_at IS NULL AND disable_cursor IS NULL AND last_success_at IS NOT NULL`,
  new: `failures = 0 AND probe_at IS NULL AND disable_cursor IS NULL AND last_success_at IS NULL`,
  failing: `(failures > 0 OR probe_at IS NOT NULL) AND disable_cursor IS NULL`,
};

/** How many endpoints of each kind are looked at. */
export type ReadyLimits = Readonly<Record<keyof typeof KINDS, number>>;

/** Of a kind with few permits left, few endpoints are looked at: those that wait longest. */
export function limitsOf(permits: ReadonlyMap<EndpointTier, number>): ReadyLimits {
  const limit = (kind: EndpointTier): number =>
    Math.min(MAX_READY, Math.max(0, 2 * permits.get(kind)!));
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
  turns: OrganizationTurns,
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
  turns: OrganizationTurns,
  limit: number,
): Work<EndpointRow[]> {
  const others = full.length > 0 ? `AND endpoint NOT IN ${listOf(full.length)}` : '';
  const these = `ready_at <= ? AND ${KINDS[kind]} ${others}`;
  const found = yield* ENDPOINT.all(
    tx,
    `WHERE ${these} ORDER BY ready_at LIMIT ?${forUpdate(tx, true)}`,
    [at, ...full, limit],
  );
  if (found.length < limit) return found;
  const rows = new Map<string, EndpointRow>();
  const organizations = yield* readyOrganizations(tx, kind, at);
  organizations.sort((a, b) => turns.lastOf(a) - turns.lastOf(b));
  for (const organization of organizations.slice(0, MAX_ORGANIZATIONS)) {
    const some = yield* ENDPOINT.all(
      tx,
      `WHERE organization = ? AND ${these}
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
 * The first streams of these queues, as many as have free. A queue that turns out to be empty is not ready
 * any more; one that was served goes behind those that were not.
 */
export function* queuedStreams(
  tx: Tx,
  ready: readonly EndpointRow[],
  capacities: EndpointCapacities,
  free: number,
  at: number,
): Work<QueuedStream[]> {
  const found: QueuedStream[] = [];
  const served: string[] = [];
  for (const [tier, open] of openByTier(ready, capacities)) {
    const left = Math.min(free, capacities.permits.get(tier)!);
    const each = Math.ceil((2 * left) / open.length);
    for (const row of left > 0 ? open : []) {
      if (row.requeueBefore !== null) yield* requeue(tx, row, at);
      const { free: ofEndpoint, prefetch } = capacities.of(row.endpoint);
      const limit = Math.max(0, Math.min(ofEndpoint, each)) + prefetch;
      const streams = yield* firstOf(tx, row.endpoint, limit);
      found.push(...streams);
      if (streams.length > 0) served.push(row.endpoint);
      if (streams.length < limit) yield* closeQueue(tx, row);
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

/** Those that can be served. */
function openByTier(
  ready: readonly EndpointRow[],
  capacities: EndpointCapacities,
): ReadonlyMap<EndpointTier, readonly EndpointRow[]> {
  const open = new Map<EndpointTier, EndpointRow[]>();
  for (const row of ready) {
    const { tier, free, prefetch } = capacities.of(row.endpoint);
    if (free > 0 || prefetch > 0) open.set(tier, [...(open.get(tier) ?? []), row]);
  }
  return open;
}

function* firstOf(tx: Tx, endpoint: string, limit: number): Work<QueuedStream[]> {
  return yield* tx.all<QueuedStream>(
    `SELECT id, organization, endpoint, due_at FROM push_delivery_streams
     WHERE endpoint = ? AND due_at >= ${QUEUED_FROM} ORDER BY due_at LIMIT ?${forUpdate(tx, true)}`,
    [endpoint, limit],
  );
}

/**
 * Nothing waits there any more, unless another process has just put a stream into the queue: then either its row
 * or the count of enqueues shows it.
 */
function* closeQueue(tx: Tx, { endpoint, enqueues, requeueBefore }: EndpointRow): Work<void> {
  if (requeueBefore !== null) return;
  yield* tx.run(
    `UPDATE push_endpoints SET ready_at = NULL WHERE endpoint = ? AND enqueues = ? AND NOT EXISTS
       (SELECT 1 FROM push_delivery_streams s WHERE s.endpoint = ? AND s.due_at >= ${QUEUED_FROM})`,
    [endpoint, enqueues, endpoint],
  );
}

/** Requeues streams that failed before the endpoint recovered, a piece at a time. */
function* requeue(
  tx: Tx,
  { endpoint, requeueBefore: before }: EndpointRow,
  at: number,
): Work<void> {
  const requeued = yield* tx.run(
    `UPDATE push_delivery_streams SET due_at = due_at + ${QUEUED_FROM} WHERE id IN
       (SELECT id FROM push_delivery_streams WHERE endpoint = ? AND due_at > ? AND due_at < ${QUEUED_FROM}
          AND lease_until IS NULL AND updated_at <= ?
        ORDER BY due_at LIMIT ?${forUpdate(tx, true)})`,
    [endpoint, at, before, REQUEUED_AT_ONCE],
  );
  if (requeued === REQUEUED_AT_ONCE) return;
  yield* tx.run(
    'UPDATE push_endpoints SET requeue_before = NULL WHERE endpoint = ? AND requeue_before = ?',
    [endpoint, before],
  );
}

function newRows(count: number): string {
  return Array(count).fill(`(?, ?, 'healthy', 0, ?, 0, ?, 1, ?, ?)`).join(', ');
}

/** Puts unclaimed streams into the queues of their endpoints. */
export function* enqueueStreams(
  tx: Tx,
  streams: readonly {
    readonly id: string;
    readonly organization: string;
    readonly endpoint: string;
  }[],
  startConcurrency: number,
  at: number,
): Work<void> {
  if (streams.length === 0) return;
  for (const piece of pieces(streams.map(({ id }) => id))) {
    yield* tx.run(
      `UPDATE push_delivery_streams SET due_at = due_at + ${QUEUED_FROM}, owner = NULL, lease_until = NULL
       WHERE id IN ${listOf(piece.length)} AND due_at < ${QUEUED_FROM}`,
      piece,
    );
  }
  const organizations = new Map(streams.map((stream) => [stream.endpoint, stream.organization]));
  const endpoints = [...organizations].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const piece of pieces(endpoints)) {
    const params = flatten(piece, (values, [endpoint, organization]) => {
      values.push(endpoint, organization, startConcurrency, at, at, at);
    });
    yield* tx.run(
      `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes, ready_at,
         enqueues, created_at, updated_at)
       VALUES ${newRows(piece.length)}
       ON CONFLICT (endpoint) DO UPDATE SET enqueues = push_endpoints.enqueues + 1,
         ready_at = COALESCE(push_endpoints.ready_at, push_endpoints.probe_at, excluded.ready_at)`,
      params,
    );
  }
}
