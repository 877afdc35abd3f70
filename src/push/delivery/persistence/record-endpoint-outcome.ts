import { forUpdate } from '../../../database/rows.js';
import type { Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import {
  type EndpointEventType,
  type EndpointRules,
  afterOutcome,
  isOpen,
  newEndpoint,
} from '../../receivers/domain/endpoint-health.js';
import type { EndpointHealth, EndpointOutcome } from '../../receivers/endpoint.js';
import { dueTimeOf, queuedAt } from '../domain/endpoint-queue.js';
import type { Lane } from '../delivery-stream-store.js';
import {
  type EndpointRow,
  freeTrials,
  toEndpoint,
} from '../../receivers/persistence/endpoint-rows.js';
import type { LaneRow } from './delivery-rows.js';

const SELECT = 'SELECT * FROM push_endpoints WHERE endpoint = ?';

/** What an attempt changed beyond its lane. */
export interface SettledEndpoint {
  /** The lane's claim is over: it waits in the queue of its endpoint. */
  readonly parked: boolean;
  readonly event: EndpointEventType | null;
  readonly health: EndpointHealth;
  /** Since when nothing but failures came of it; of one that is disabled now, until then. */
  readonly since: number | null;
}

/**
 * The endpoint after an attempt of one of its lanes, whose row is locked and settled already. While the
 * breaker is open the lane goes into the queue, whether it has to try again or has more to tell.
 */
export function* settleEndpoint(
  tx: Tx,
  lane: Lane,
  settled: LaneRow,
  outcome: EndpointOutcome,
  rules: EndpointRules,
  now: Date,
  chance: number,
): Work<SettledEndpoint> {
  const at = now.getTime();
  const [seen] = yield* tx.all<EndpointRow>(SELECT, [lane.endpoint]);
  if (seen && lane.trialUntil === null && seen.probe_at === null) {
    // Most attempts change nothing; they hold nobody up.
    const { health, event } = afterOutcome(toEndpoint(seen), outcome, rules, at, chance);
    if (event === null && isSame(health, seen)) return unchanged(health);
  }
  if (!seen) yield* insertEndpoint(tx, lane, rules, at);
  const [row] = yield* tx.all<EndpointRow>(`${SELECT}${forUpdate(tx)}`, [lane.endpoint]);
  return yield* judge(tx, lane, settled, row!, outcome, rules, at, chance);
}

/**
 * The same when the lane's claim is over: its trial was made nevertheless, and counts unless another lane
 * has the next one, or this one was counted before.
 */
export function* settleLostTrial(
  tx: Tx,
  lane: Lane,
  outcome: EndpointOutcome,
  rules: EndpointRules,
  now: Date,
  chance: number,
): Work<SettledEndpoint | undefined> {
  if (lane.trialUntil === null) return undefined;
  const [row] = yield* tx.all<EndpointRow>(`${SELECT}${forUpdate(tx)}`, [lane.endpoint]);
  if (!row || !hasTrial(lane, row)) return undefined;
  return yield* judge(tx, lane, undefined, row, outcome, rules, now.getTime(), chance);
}

function hasTrial({ trialUntil }: Lane, row: EndpointRow): boolean {
  return trialUntil !== null && trialUntil.getTime() === Number(row.probe_until);
}

/** Writes what the outcome means for the locked `row`, and parks the lane if that means it waits. */
function* judge(
  tx: Tx,
  lane: Lane,
  settled: LaneRow | undefined,
  row: EndpointRow,
  outcome: EndpointOutcome,
  rules: EndpointRules,
  at: number,
  chance: number,
): Work<SettledEndpoint> {
  const before = toEndpoint(row);
  const { health, event } = afterOutcome(before, outcome, rules, at, chance);
  const closed = isOpen(before) && !isOpen(health);
  const waits = settled !== undefined && settled.due_at !== null && isOpen(health);
  if (waits) yield* park(tx, settled, at);
  yield* writeEndpoint(tx, lane, row, health, { event, closed, parked: waits }, at);
  const since = event === 'endpoint.disabled' ? before.failingSince : health.failingSince;
  return { parked: waits, event, health, since };
}

function unchanged(health: EndpointHealth): SettledEndpoint {
  return { parked: false, event: null, health, since: health.failingSince };
}

/** `afterOutcome` gives the very numbers back when nothing is worth writing. */
function isSame(health: EndpointHealth, row: EndpointRow): boolean {
  const before = toEndpoint(row);
  return (Object.keys(health) as (keyof EndpointHealth)[]).every(
    (key) => health[key] === before[key],
  );
}

function* insertEndpoint(tx: Tx, lane: Lane, rules: EndpointRules, at: number): Work<void> {
  const fresh = newEndpoint(rules);
  yield* tx.run(
    `INSERT INTO push_endpoints (endpoint, organization, state, failures, slots, probes, parkings,
       created_at, updated_at) VALUES (?, ?, ?, 0, ?, 0, 0, ?, ?) ON CONFLICT (endpoint) DO NOTHING`,
    [lane.endpoint, lane.webhook.organization, fresh.state, fresh.slots, at, at],
  );
}

/** A lane that has to try again keeps its time as its place; one with more to tell goes last. */
function* park(tx: Tx, settled: LaneRow, at: number): Work<void> {
  const goesOn = settled.lease_until !== null;
  const place = queuedAt(goesOn ? at : dueTimeOf(Number(settled.due_at)));
  yield* tx.run('UPDATE push_lanes SET due_at = ?, owner = NULL, lease_until = NULL WHERE id = ?', [
    place,
    settled.id,
  ]);
}

function* writeEndpoint(
  tx: Tx,
  lane: Lane,
  row: EndpointRow,
  health: EndpointHealth,
  change: { readonly event: EndpointEventType | null; closed: boolean; parked: boolean },
  at: number,
): Work<void> {
  const hasQueue = change.parked || change.closed || row.ready_at !== null;
  const probeUntil = hasTrial(lane, row) || change.closed ? null : row.probe_until;
  const readyAt = !hasQueue ? null : health.probeAt === null ? at : (probeUntil ?? health.probeAt);
  yield* tx.run(
    `UPDATE push_endpoints SET state = ?, failures = ?, slots = ?, opened_at = ?, probe_at = ?,
       probe_until = ?, probes = ?, ready_at = ?, parkings = parkings + ?, recall_before = ?,
       failing_since = ?, disabled_at = ?, sweep_after = ?, last_success_at = ?,
       last_failure_at = ?, last_error = ?, updated_at = ? WHERE endpoint = ?`,
    [
      health.state,
      health.failures,
      health.slots,
      health.openedAt,
      health.probeAt,
      probeUntil,
      health.probes,
      readyAt,
      change.parked ? 1 : 0,
      change.closed ? at : row.recall_before,
      health.failingSince,
      health.disabledAt,
      change.event === 'endpoint.disabled' ? '' : row.sweep_after,
      health.lastSuccessAt,
      health.lastFailureAt,
      storable(health.lastError),
      at,
      lane.endpoint,
    ],
  );
}

/**
 * Leaves the endpoint alone until then, and the lane in its queue; see `LaneStore.hold`. A breaker that is
 * open for longer stays so.
 */
export function* holdEndpoint(
  tx: Tx,
  lane: Lane,
  until: Date,
  rules: EndpointRules,
  now: Date,
): Work<void> {
  const at = now.getTime();
  const [held] = yield* tx.all<{ id: string }>(
    `UPDATE push_lanes SET owner = NULL, lease_until = NULL,
       due_at = CASE WHEN due_at IS NULL THEN NULL ELSE CAST(? AS bigint) END
     WHERE id = ? AND epoch = ? RETURNING id`,
    [queuedAt(lane.dueSince?.getTime() ?? at), lane.id, lane.epoch],
  );
  if (!held) return yield* giveTrialBack(tx, lane);
  yield* insertEndpoint(tx, lane, rules, at);
  const [row] = yield* tx.all<EndpointRow>(`${SELECT}${forUpdate(tx)}`, [lane.endpoint]);
  const probeAt = Math.max(until.getTime(), Number(row!.probe_at ?? 0));
  const probeUntil = hasTrial(lane, row!) ? null : row!.probe_until;
  yield* tx.run(
    `UPDATE push_endpoints SET opened_at = COALESCE(opened_at, CAST(? AS bigint)), probe_at = ?,
       probe_until = ?, ready_at = ?, parkings = parkings + 1, updated_at = ? WHERE endpoint = ?`,
    [at, probeAt, probeUntil, probeUntil ?? probeAt, at, lane.endpoint],
  );
}

/** The lane did not try after all: the next may, unless it does already. */
export function* giveTrialBack(tx: Tx, { endpoint, trialUntil }: Lane): Work<void> {
  if (trialUntil === null) return;
  yield* freeTrials(tx, 'endpoint = ? AND probe_until = ?', [endpoint, trialUntil.getTime()]);
}
