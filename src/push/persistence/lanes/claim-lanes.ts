import type { IdSource } from '../../../common/ids.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import {
  type BusyLanes,
  type EndpointPlace,
  type LaneCandidate,
  type LaneCaps,
  type LaneTurns,
  type Standing,
  chooseLanes,
} from '../../domain/lane-choice.js';
import { QUEUED_FROM, dueTimeOf } from '../../domain/lane-queue.js';
import type { Lane } from '../../lanes/lane-store.js';
import type { PushConfig } from '../../configs/push-config.js';
import {
  type EndpointRow,
  endpointRows,
  freeTrials,
  lockEndpoints,
} from '../endpoints/endpoint-rows.js';
import { parkLanes, queuedLanes, readyEndpoints } from './lane-queues.js';
import { type ConfigRow, type LaneRow, forUpdate, toLane } from '../push-rows.js';
import { tellableConfigs } from '../subscriptions/subscription-align.js';

/** Due lanes looked at beyond those that may be taken. */
const LOOK_AHEAD = 64;
/** An endpoint with a lane that has waited so long for its answer counts as slow. */
const SLOW_MS = 2000;

export interface Claim {
  readonly owner: string;
  readonly now: Date;
  readonly leaseMs: number;
  readonly caps: LaneCaps;
  /** Lanes that are left alone, whatever their lease. */
  readonly except: readonly string[];
  /** What an endpoint without a row may have at once. */
  readonly startSlots: number;
  readonly ids: IdSource;
}

interface DueRow {
  readonly id: string;
  readonly organization: string;
  readonly endpoint: string;
  readonly due_at: number;
}

interface Candidate extends LaneCandidate {
  readonly queued: boolean;
}

interface BusyRow {
  readonly organization: string;
  readonly endpoint: string;
  readonly total: number;
  readonly mine: number;
  readonly oldest: number;
}

/**
 * See `LaneStore.claim`. Lanes that have just come due are found by time; those whose endpoint cannot
 * take them move into its queue, once. So a claim looks at a bounded number of rows: however long the
 * queue of an endpoint is, nobody walks past it.
 */
export function* claimLanes(tx: Tx, claim: Claim, turns: LaneTurns): Work<Lane[]> {
  const { now, caps } = claim;
  const at = now.getTime();
  const arrivals = yield* dueLanes(tx, at, claim, caps.free + LOOK_AHEAD);
  // Whoever claims of an endpoint holds its row: so what is counted next is true until the commit.
  const names = new Set(arrivals.map((row) => row.endpoint));
  const rows = new Map<string, EndpointRow>();
  const know = (some: readonly EndpointRow[]): void => {
    for (const row of some) rows.set(row.endpoint, row);
  };
  know(yield* lockEndpoints(tx, [...names]));
  const busyRows = yield* busyLanes(tx, claim, at);
  const others = busyRows.map((row) => row.endpoint).filter((name) => !names.has(name));
  know(yield* endpointRows(tx, others));
  const sending = new Map(busyRows.map((row) => [row.endpoint, Number(row.total)]));
  const slotsOf = (name: string): number =>
    Math.min(caps.perEndpoint, rows.get(name)?.slots ?? claim.startSlots);
  const full = [...sending].filter(([name, total]) => total >= slotsOf(name)).map(([name]) => name);
  const ready = yield* readyEndpoints(tx, at, full, turns);
  know(ready);

  const slow = new Set(
    busyRows.filter((row) => Number(row.oldest) <= at - SLOW_MS).map((row) => row.endpoint),
  );
  const places = new Map<string, EndpointPlace>();
  for (const name of [...names, ...others, ...ready.map((row) => row.endpoint)]) {
    const closedRoom = slotsOf(name) - (sending.get(name) ?? 0);
    places.set(name, placeOf(rows.get(name), slow.has(name), closedRoom, at));
  }
  const queued = yield* queuedLanes(tx, ready, places, caps.free, at);
  const candidates: Candidate[] = [
    ...arrivals.map((row) => ({ ...row, dueAt: Number(row.due_at), queued: false })),
    ...queued.map((row) => ({ ...row, dueAt: dueTimeOf(Number(row.due_at)), queued: true })),
  ];
  const busy = busyOf(busyRows, places);
  const chosen = chooseLanes(candidates, places, busy, caps, turns);
  const early = new Set(candidates.filter((each) => each.queued).map(({ id }) => id));
  const lanes = yield* take(tx, claim, chosen, rows, early);
  const isCrowded = arrivals.length === caps.free + LOOK_AHEAD;
  const taken = new Set(chosen.map(({ id }) => id));
  const left = arrivals.filter(({ id, endpoint }) => {
    return !taken.has(id) && (isCrowded || lanesWait(rows.get(endpoint)));
  });
  yield* parkLanes(tx, left, claim.startSlots, at);
  return lanes;
}

/** The lanes that are due by themselves and that nobody has, longest due first. */
function* dueLanes(tx: Tx, at: number, { leaseMs, except }: Claim, limit: number): Work<DueRow[]> {
  const others = except.length > 0 ? `AND id NOT IN ${listOf(except.length)}` : '';
  return yield* tx.all<DueRow>(
    `SELECT id, organization, endpoint, due_at FROM push_lanes
     WHERE due_at <= ? AND due_at < ${QUEUED_FROM}
       AND (lease_until IS NULL OR lease_until <= ? OR lease_until > ?) ${others}
     ORDER BY due_at LIMIT ?${forUpdate(tx, true)}`,
    // No lease lasts so long: it is of a clock that has been set back since.
    [at, at, at + 2 * leaseMs, ...except, limit],
  );
}

function* busyLanes(tx: Tx, { owner, leaseMs }: Claim, at: number): Work<BusyRow[]> {
  return yield* tx.all<BusyRow>(
    `SELECT organization, endpoint, COUNT(*) AS total, MIN(updated_at) AS oldest,
       SUM(CASE WHEN owner = ? THEN 1 ELSE 0 END) AS mine
     FROM push_lanes WHERE lease_until > ? AND lease_until <= ? GROUP BY organization, endpoint`,
    [owner, at, at + 2 * leaseMs],
  );
}

function busyOf(rows: readonly BusyRow[], places: ReadonlyMap<string, EndpointPlace>): BusyLanes {
  const endpoints = new Map<string, number>();
  const organizations = new Map<string, number>();
  const here = new Map<string, number>();
  const standings = new Map<Standing, number>();
  for (const { organization, endpoint, total, mine } of rows) {
    const { standing } = places.get(endpoint)!;
    add(endpoints, endpoint, Number(total));
    add(organizations, organization, Number(total));
    add(here, organization, Number(mine));
    add(standings, standing, Number(mine));
  }
  return { endpoints, organizations, here, standings };
}

function add<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function placeOf(
  row: EndpointRow | undefined,
  slow: boolean,
  closedRoom: number,
  at: number,
): EndpointPlace {
  const room = row && lanesWait(row) ? probeRoom(row, at) : closedRoom;
  return { standing: standingOf(row, slow), room };
}

function standingOf(row: EndpointRow | undefined, slow: boolean): Standing {
  if (row && (row.failures > 0 || lanesWait(row))) return 'failing';
  if (slow) return 'slow';
  return row && row.last_success_at !== null ? 'proven' : 'new';
}

/** Whether its lanes wait, but for one that tries. */
function lanesWait(row: EndpointRow | undefined): boolean {
  return row !== undefined && (row.probe_at !== null || row.sweep_after !== null);
}

function probeRoom(row: EndpointRow, at: number): number {
  const isDue = row.probe_at !== null && Number(row.probe_at) <= at;
  const isFree = row.probe_until === null || Number(row.probe_until) <= at;
  return isDue && isFree && row.sweep_after === null ? 1 : 0;
}

/** Leases the lanes that were chosen; a probe only if no other process has just taken it. */
function* take(
  tx: Tx,
  { owner, now, leaseMs, ids: source }: Claim,
  chosen: readonly LaneCandidate[],
  endpoints: ReadonlyMap<string, EndpointRow>,
  early: ReadonlySet<string>,
): Work<Lane[]> {
  const at = now.getTime();
  const until = at + leaseMs;
  const probes = new Set<string>();
  const ids: string[] = [];
  for (const { id, endpoint } of [...chosen].sort(byEndpoint)) {
    if (!lanesWait(endpoints.get(endpoint))) ids.push(id);
    else if (yield* takeProbe(tx, endpoint, at, until)) {
      probes.add(id);
      ids.push(id);
    }
  }
  const dueAt = new Map(chosen.map((lane) => [lane.id, lane.dueAt]));
  const endpointById = new Map(chosen.map((lane) => [lane.id, lane.endpoint]));
  const lanes: Lane[] = [];
  for (const piece of pieces(ids)) {
    const rows = yield* tx.all<LaneRow>(
      `UPDATE push_lanes SET owner = ?, lease_until = ?, due_at = ?, epoch = epoch + 1,
         updated_at = ? WHERE id IN ${listOf(piece.length)} RETURNING *`,
      [owner, until, until, at, ...piece],
    );
    const configs = yield* configsOf(tx, source, rows, now);
    for (const row of rows) {
      const config = configs.get(row.config_uid);
      if (config === undefined) {
        // It may not be told, so it has not tried the endpoint either.
        const mine = [endpointById.get(row.id)!, until];
        if (probes.has(row.id)) yield* freeTrials(tx, 'endpoint = ? AND probe_until = ?', mine);
        continue;
      }
      lanes.push({
        ...toLane(row, config),
        dueSince: new Date(dueAt.get(row.id)!),
        isProbe: probes.has(row.id),
        isEarly: probes.has(row.id) || early.has(row.id),
      });
    }
  }
  return lanes;
}

/** The same order everywhere, so that two claims do not wait for each other. */
function byEndpoint(a: LaneCandidate, b: LaneCandidate): number {
  return a.endpoint < b.endpoint ? -1 : Number(a.endpoint > b.endpoint);
}

function* takeProbe(tx: Tx, endpoint: string, at: number, until: number): Work<boolean> {
  const taken = yield* tx.run(
    `UPDATE push_endpoints SET probe_until = ?,
       ready_at = CASE WHEN ready_at IS NULL THEN NULL ELSE CAST(? AS bigint) END
     WHERE endpoint = ? AND probe_at <= ? AND (probe_until IS NULL OR probe_until <= ?)
       AND sweep_after IS NULL`,
    [until, until, endpoint, at, at],
  );
  return taken > 0;
}

/** By uid, without those whose subscription has them told nothing now. */
function* configsOf(
  tx: Tx,
  ids: IdSource,
  lanes: readonly LaneRow[],
  now: Date,
): Work<Map<string, PushConfig>> {
  const uids = lanes.map((row) => row.config_uid);
  if (uids.length === 0) return new Map();
  const rows = yield* tx.all<ConfigRow>(
    `SELECT * FROM push_configs WHERE uid IN ${listOf(uids.length)}`,
    uids,
  );
  return yield* tellableConfigs(tx, ids, lanes, rows, now);
}
