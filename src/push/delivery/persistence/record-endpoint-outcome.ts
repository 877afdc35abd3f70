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
import { receiverStateOf } from '../../receivers/domain/receiver-state.js';
import type { EndpointHealth, EndpointOutcome } from '../../receivers/endpoint.js';
import { dueTimeOf, queuedAt } from '../domain/endpoint-queue.js';
import type { DeliveryStream } from '../delivery-stream-store.js';
import {
  ENDPOINT,
  type EndpointRow,
  releaseProbes,
} from '../../receivers/persistence/endpoint-rows.js';
import type { StreamRow } from './delivery-rows.js';

const WHERE = 'WHERE endpoint = ?';

/** Whose attempt it was. */
type Tried = Pick<DeliveryStream, 'endpoint' | 'probeUntil'>;

/** What an attempt changed beyond its stream. */
export interface RecordedEndpoint {
  /** The stream's claim is over: it waits in the queue of its endpoint. */
  readonly isQueued: boolean;
  readonly event: EndpointEventType | null;
  readonly health: EndpointHealth;
  /** Since when nothing but failures came of it; of one that is disabled now, until then. */
  readonly since: number | null;
}

/**
 * The endpoint after an attempt of one of its streams, whose row is locked and recorded already. While the
 * breaker is open the stream goes into the queue, whether it has to try again or has more to deliver.
 */
export function* recordOnEndpoint(
  tx: Tx,
  stream: DeliveryStream,
  recorded: StreamRow,
  outcome: EndpointOutcome,
  rules: EndpointRules,
  now: Date,
  random: number,
): Work<RecordedEndpoint> {
  const at = now.getTime();
  const [seen] = yield* ENDPOINT.all(tx, WHERE, [stream.endpoint]);
  if (seen && stream.probeUntil === null && seen.probeAt === null) {
    // Most attempts change nothing; they take no lock.
    const { health, event } = afterOutcome(seen, outcome, rules, at, random);
    if (event === null && isSame(health, seen)) return unchanged(health);
  }
  if (!seen) yield* insertEndpoint(tx, stream, rules, at);
  const [row] = yield* ENDPOINT.all(tx, `${WHERE}${forUpdate(tx)}`, [stream.endpoint]);
  return yield* writeOutcome(tx, stream, recorded, row!, outcome, rules, at, random);
}

/**
 * The same when the stream's claim is over: its probe was made nevertheless, and counts unless another stream
 * has the next one, or this one was counted before.
 */
export function* recordLostProbe(
  tx: Tx,
  stream: DeliveryStream,
  outcome: EndpointOutcome,
  rules: EndpointRules,
  now: Date,
  random: number,
): Work<RecordedEndpoint | undefined> {
  if (stream.probeUntil === null) return undefined;
  const [row] = yield* ENDPOINT.all(tx, `${WHERE}${forUpdate(tx)}`, [stream.endpoint]);
  if (!row || !holdsProbe(stream, row)) return undefined;
  return yield* writeOutcome(tx, stream, undefined, row, outcome, rules, now.getTime(), random);
}

/**
 * A test was delivered: the endpoint answers. As any success it ends what its failures led to (its breaker closes, and what waits
 * is tried); on one without any it leaves no trace. One that is disabled stays so: its webhooks are, and a test revives none.
 */
export function* recordTestOnEndpoint(
  tx: Tx,
  endpoint: string,
  begunAt: Date,
  rules: EndpointRules,
  now: Date,
): Work<RecordedEndpoint | undefined> {
  const [row] = yield* ENDPOINT.all(tx, `${WHERE}${forUpdate(tx)}`, [endpoint]);
  if (!row || row.state === 'disabled') return undefined;
  if (receiverStateOf(row) !== 'failing' && !isOpen(row)) return undefined;
  const outcome = { kind: 'delivered', begunAt: begunAt.getTime() } as const;
  const tested = { endpoint, probeUntil: null };
  return yield* writeOutcome(tx, tested, undefined, row, outcome, rules, now.getTime(), 0);
}

function holdsProbe({ probeUntil }: Tried, row: EndpointRow): boolean {
  return probeUntil !== null && probeUntil.getTime() === row.probeUntil;
}

/** Writes what the outcome means for the locked `row`, and enqueues the stream if that means it waits. */
function* writeOutcome(
  tx: Tx,
  stream: Tried,
  recorded: StreamRow | undefined,
  row: EndpointRow,
  outcome: EndpointOutcome,
  rules: EndpointRules,
  at: number,
  random: number,
): Work<RecordedEndpoint> {
  const before = row;
  const { health, event } = afterOutcome(before, outcome, rules, at, random);
  const closed = isOpen(before) && !isOpen(health);
  const dueAt = recorded?.dueAt ?? null;
  const waits = recorded !== undefined && dueAt !== null && isOpen(health);
  if (waits) yield* enqueue(tx, recorded, dueAt, at);
  yield* writeEndpoint(tx, stream, row, health, { event, closed, isQueued: waits }, at);
  const since = event === 'endpoint.disabled' ? before.failingSince : health.failingSince;
  return { isQueued: waits, event, health, since };
}

function unchanged(health: EndpointHealth): RecordedEndpoint {
  return { isQueued: false, event: null, health, since: health.failingSince };
}

/** `afterOutcome` gives the very numbers back when nothing is worth writing. */
function isSame(health: EndpointHealth, row: EndpointRow): boolean {
  const before = row;
  return (Object.keys(health) as (keyof EndpointHealth)[]).every(
    (key) => health[key] === before[key],
  );
}

function* insertEndpoint(
  tx: Tx,
  stream: DeliveryStream,
  rules: EndpointRules,
  at: number,
): Work<void> {
  const fresh = newEndpoint(rules);
  yield* tx.run(
    `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes, enqueues,
       created_at, updated_at) VALUES (?, ?, ?, 0, ?, 0, 0, ?, ?) ON CONFLICT (endpoint) DO NOTHING`,
    [stream.endpoint, stream.webhook.organization, fresh.state, fresh.concurrency, at, at],
  );
}

/** A stream that has to try again keeps its time as its position; one with more to deliver goes last. */
function* enqueue(tx: Tx, recorded: StreamRow, dueAt: number, at: number): Work<void> {
  const hasMore = recorded.leaseUntil !== null;
  const position = queuedAt(hasMore ? at : dueTimeOf(dueAt));
  yield* tx.run(
    'UPDATE push_delivery_streams SET due_at = ?, owner = NULL, lease_until = NULL WHERE id = ?',
    [position, recorded.id],
  );
}

function* writeEndpoint(
  tx: Tx,
  stream: Tried,
  row: EndpointRow,
  health: EndpointHealth,
  change: { readonly event: EndpointEventType | null; closed: boolean; isQueued: boolean },
  at: number,
): Work<void> {
  const hasQueue = change.isQueued || change.closed || row.readyAt !== null;
  const probeUntil = holdsProbe(stream, row) || change.closed ? null : row.probeUntil;
  const readyAt = !hasQueue ? null : health.probeAt === null ? at : (probeUntil ?? health.probeAt);
  yield* tx.run(
    `UPDATE push_endpoints SET state = ?, failures = ?, concurrency = ?, opened_at = ?, probe_at = ?,
       probe_until = ?, probes = ?, ready_at = ?, enqueues = enqueues + ?, requeue_before = ?,
       failing_since = ?, disabled_at = ?, disable_cursor = ?, last_success_at = ?,
       last_failure_at = ?, last_error = ?, updated_at = ? WHERE endpoint = ?`,
    [
      health.state,
      health.failures,
      health.concurrency,
      health.openedAt,
      health.probeAt,
      probeUntil,
      health.probes,
      readyAt,
      change.isQueued ? 1 : 0,
      change.closed ? at : row.requeueBefore,
      health.failingSince,
      health.disabledAt,
      change.event === 'endpoint.disabled' ? '' : row.disableCursor,
      health.lastSuccessAt,
      health.lastFailureAt,
      storable(health.lastError),
      at,
      stream.endpoint,
    ],
  );
}

/**
 * Leaves the endpoint alone until then, and the stream in its queue; see `DeliveryStreamStore.postpone`. A breaker that is
 * open for longer stays so.
 */
export function* postponeEndpoint(
  tx: Tx,
  stream: DeliveryStream,
  until: Date,
  rules: EndpointRules,
  now: Date,
): Work<void> {
  const at = now.getTime();
  const [held] = yield* tx.all<{ id: string }>(
    `UPDATE push_delivery_streams SET owner = NULL, lease_until = NULL,
       due_at = CASE WHEN due_at IS NULL THEN NULL ELSE CAST(? AS bigint) END
     WHERE id = ? AND epoch = ? RETURNING id`,
    [queuedAt(stream.dueSince?.getTime() ?? at), stream.id, stream.epoch],
  );
  if (!held) return yield* releaseProbe(tx, stream);
  yield* insertEndpoint(tx, stream, rules, at);
  const [row] = yield* ENDPOINT.all(tx, `${WHERE}${forUpdate(tx)}`, [stream.endpoint]);
  const probeAt = Math.max(until.getTime(), row!.probeAt ?? 0);
  const probeUntil = holdsProbe(stream, row!) ? null : row!.probeUntil;
  yield* tx.run(
    `UPDATE push_endpoints SET opened_at = COALESCE(opened_at, CAST(? AS bigint)), probe_at = ?,
       probe_until = ?, ready_at = ?, enqueues = enqueues + 1, updated_at = ? WHERE endpoint = ?`,
    [at, probeAt, probeUntil, probeUntil ?? probeAt, at, stream.endpoint],
  );
}

/** The stream made no attempt after all: the next may probe, unless it does already. */
export function* releaseProbe(tx: Tx, { endpoint, probeUntil }: DeliveryStream): Work<void> {
  if (probeUntil === null) return;
  yield* releaseProbes(tx, 'endpoint = ? AND probe_until = ?', [endpoint, probeUntil.getTime()]);
}
