import type { PrincipalHolds } from '../../../auth/index.js';
import type { IdSource } from '../../../common/ids.js';
import { leaseBounds } from '../../../database/leases.js';
import { forUpdate } from '../../../database/rows.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import {
  type StreamCandidate,
  type ClaimLimits,
  type OrganizationTurns,
  choosePrefetched,
  chooseStreams,
} from '../domain/stream-choice.js';
import { QUEUED_FROM, dueTimeOf } from '../domain/endpoint-queue.js';
import type { DeliveryStream } from '../delivery-stream-store.js';
import type { TaskWebhook } from '../../registration/webhook.js';
import {
  type CapacityRow,
  type EndpointRow,
  capacityRows,
  releaseProbes,
  lockedRows,
} from '../../receivers/persistence/endpoint-rows.js';
import { EndpointCapacities, activeStreams, streamsWait } from './endpoint-capacity.js';
import { NOT_LEASED } from './stream-leases.js';
import { limitsOf, enqueueStreams, queuedStreams, readyEndpoints } from './endpoint-queues.js';
import { STREAM, toStream } from './delivery-rows.js';
import { deliverableWebhooks } from './reconcile-streams.js';

const NONE: ReadonlyMap<string, TaskWebhook> = new Map();

/** Due streams looked at beyond those that may be taken. */
const LOOK_AHEAD = 64;

export interface StreamClaim {
  readonly owner: string;
  readonly now: Date;
  readonly leaseMs: number;
  readonly caps: ClaimLimits;
  /** Streams that are left alone, whatever their lease. */
  readonly except: readonly string[];
  /** What an endpoint without a row may have at once. */
  readonly startConcurrency: number;
  readonly ids: IdSource;
  readonly holds: PrincipalHolds;
}

interface DueRow {
  readonly id: string;
  readonly organization: string;
  readonly endpoint: string;
  readonly due_at: number;
}

interface Candidate extends StreamCandidate {
  readonly queued: boolean;
}

/**
 * See `DeliveryStreamStore.claim`. Streams that have just come due are found by time; those whose endpoint cannot
 * take them move into its queue, once. So a claim looks at a bounded number of rows: however long the
 * queue of an endpoint is, no claim walks past it.
 */
export function* claimStreams(
  tx: Tx,
  claim: StreamClaim,
  turns: OrganizationTurns,
): Work<DeliveryStream[]> {
  const { now, caps, startConcurrency } = claim;
  const at = now.getTime();
  const arrivals = yield* dueStreams(tx, at, claim, caps.free + LOOK_AHEAD);
  const rows = new Map<string, CapacityRow>();
  const { ready, capacities } = yield* lockedEndpoints(tx, claim, arrivals, rows, turns);
  const queued = yield* queuedStreams(tx, ready, capacities, caps.free, at);
  const candidates: Candidate[] = [
    ...arrivals.map((row) => ({ dueAt: row.due_at, queued: false, ...row })),
    ...queued.map((row) => ({ dueAt: dueTimeOf(row.due_at), queued: true, ...row })),
  ];
  const byEndpoint = new Map(candidates.map(({ endpoint }) => [endpoint, capacities.of(endpoint)]));
  const chosen = chooseStreams(candidates, byEndpoint, capacities.busy, caps, turns);
  const prefetched = choosePrefetched(candidates, chosen, byEndpoint, caps);
  const early = new Set(candidates.filter((each) => each.queued).map(({ id }) => id));
  const streams = yield* take(tx, claim, chosen, prefetched, rows, early);
  const isCrowded = arrivals.length === caps.free + LOOK_AHEAD;
  const taken = new Set([...chosen, ...prefetched].map(({ id }) => id));
  const left = arrivals.filter(({ id, endpoint }) => {
    return !taken.has(id) && (isCrowded || streamsWait(rows.get(endpoint)));
  });
  yield* enqueueStreams(tx, left, startConcurrency, at);
  return streams;
}

/**
 * The endpoints streams may be claimed of, their rows locked and then known in `rows`; those in `ready` have
 * a queue. A claim of an endpoint holds its row, so what is counted after that is true until the
 * commit. One without a row gets it first.
 */
function* lockedEndpoints(
  tx: Tx,
  claim: StreamClaim,
  arrivals: readonly DueRow[],
  rows: Map<string, CapacityRow>,
  turns: OrganizationTurns,
): Work<{ ready: EndpointRow[]; capacities: EndpointCapacities }> {
  const { caps, startConcurrency } = claim;
  const at = claim.now.getTime();
  const know = (some: readonly CapacityRow[]): void => {
    for (const row of some) rows.set(row.endpoint, row);
  };
  know(yield* lockedRows(tx, arrivals, startConcurrency, at));
  const activeRows = yield* activeStreams(tx, claim, at);
  const others = activeRows.map((row) => row.endpoint).filter((name) => !rows.has(name));
  know(yield* capacityRows(tx, others));
  const seen = new EndpointCapacities(rows, activeRows, caps, startConcurrency, at);
  const ready = yield* readyEndpoints(tx, at, seen.full(), turns, limitsOf(seen.permits));
  know(ready);
  // Until those were locked, others may have claimed of them.
  const isStale = tx.dialect === 'postgres' && ready.length > 0;
  const counted = isStale ? yield* activeStreams(tx, claim, at) : activeRows;
  return { ready, capacities: new EndpointCapacities(rows, counted, caps, startConcurrency, at) };
}

/** The unclaimed streams that are due by themselves, longest due first. */
function* dueStreams(
  tx: Tx,
  at: number,
  { leaseMs, except }: StreamClaim,
  limit: number,
): Work<DueRow[]> {
  const others = except.length > 0 ? `AND id NOT IN ${listOf(except.length)}` : '';
  return yield* tx.all<DueRow>(
    `SELECT id, organization, endpoint, due_at FROM push_delivery_streams
     WHERE due_at <= ? AND due_at < ${QUEUED_FROM}
       AND ${NOT_LEASED} ${others}
     ORDER BY due_at LIMIT ?${forUpdate(tx, true)}`,
    [at, ...leaseBounds(at, leaseMs), ...except, limit],
  );
}

/** Leases the streams that were chosen; a probe only if no other process has just taken it. */
function* take(
  tx: Tx,
  claim: StreamClaim,
  chosen: readonly StreamCandidate[],
  prefetched: readonly StreamCandidate[],
  endpoints: ReadonlyMap<string, CapacityRow>,
  early: ReadonlySet<string>,
): Work<DeliveryStream[]> {
  const { owner, now, leaseMs } = claim;
  const at = now.getTime();
  const until = at + leaseMs;
  const probes = new Set<string>();
  const ids: string[] = [];
  for (const { id, endpoint } of [...chosen].sort(byEndpoint)) {
    if (!streamsWait(endpoints.get(endpoint))) ids.push(id);
    else if (yield* takeProbe(tx, endpoint, at, until)) {
      probes.add(id);
      ids.push(id);
    }
  }
  const waiting = new Set(prefetched.map(({ id }) => id));
  ids.push(...waiting);
  const candidates = new Map([...chosen, ...prefetched].map((stream) => [stream.id, stream]));
  const streams: DeliveryStream[] = [];
  for (const piece of pieces(ids)) {
    const rows = yield* STREAM.returning(
      tx,
      `UPDATE push_delivery_streams SET owner = ?, lease_until = ?, due_at = ?, epoch = epoch + 1,
         updated_at = ? WHERE id IN ${listOf(piece.length)}`,
      [owner, until, until, at, ...piece],
    );
    const webhooks = rows.length === 0 ? NONE : yield* deliverableWebhooks(tx, claim, rows);
    for (const row of rows) {
      const webhook = webhooks.get(row.id);
      if (webhook === undefined) {
        // It may not deliver, so it has not tried the endpoint either.
        const mine = [candidates.get(row.id)!.endpoint, until];
        if (probes.has(row.id)) yield* releaseProbes(tx, 'endpoint = ? AND probe_until = ?', mine);
        continue;
      }
      streams.push({
        ...toStream(row, webhook),
        dueSince: new Date(candidates.get(row.id)!.dueAt),
        probeUntil: probes.has(row.id) ? new Date(until) : null,
        isEarly: probes.has(row.id) || early.has(row.id),
        isPrefetched: waiting.has(row.id),
      });
    }
  }
  return streams.sort(
    (a, b) =>
      Number(a.isPrefetched) - Number(b.isPrefetched) ||
      a.dueSince!.getTime() - b.dueSince!.getTime(),
  );
}

/** The same order everywhere, so that two claims do not wait for each other. */
function byEndpoint(a: StreamCandidate, b: StreamCandidate): number {
  return a.endpoint < b.endpoint ? -1 : Number(a.endpoint > b.endpoint);
}

function* takeProbe(tx: Tx, endpoint: string, at: number, until: number): Work<boolean> {
  const taken = yield* tx.run(
    `UPDATE push_endpoints SET probe_until = ?,
       ready_at = CASE WHEN ready_at IS NULL THEN NULL ELSE CAST(? AS bigint) END
     WHERE endpoint = ? AND probe_at <= ? AND (probe_until IS NULL OR probe_until <= ?)
       AND disable_cursor IS NULL`,
    [until, until, endpoint, at, at],
  );
  return taken > 0;
}
