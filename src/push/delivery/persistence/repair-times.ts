import { leaseBounds } from '../../../database/leases.js';
import { forUpdate } from '../../../database/rows.js';
import type { Tx, Work } from '../../../database/sql.js';
import { QUEUED_FROM } from '../domain/endpoint-queue.js';
import type { Waits } from '../cleanup-store.js';
import { NOT_LEASED } from './stream-leases.js';

/** Streams looked at in one transaction. */
const AT_ONCE = 500;
/** Clocks of processes may differ by so much. */
const SLACK_MS = 5000;

/*
 * A claimed stream is never touched: it is due at the end of its lease.
 */

/**
 * Makes streams due again that a clock of before had put further ahead than any wait may be, and ends
 * leases that last longer than one does.
 */
export function* repairImpossible(
  tx: Tx,
  at: number,
  { longestWaitMs, leaseMs }: Waits,
): Work<number> {
  const latest = at + longestWaitMs + SLACK_MS;
  const due = yield* tx.run(
    `UPDATE push_delivery_streams SET due_at = ?, lease_until = NULL, owner = NULL, epoch = epoch + 1
     WHERE id IN (SELECT id FROM push_delivery_streams WHERE due_at > ? AND due_at < ${QUEUED_FROM}
       AND ${NOT_LEASED} ORDER BY due_at LIMIT ?${forUpdate(tx, true)})`,
    [at, latest, ...leaseBounds(at, leaseMs), AT_ONCE],
  );
  const probes = yield* tx.run(
    `UPDATE push_endpoints SET probe_at = CASE WHEN probe_at > ? THEN CAST(? AS bigint)
         ELSE probe_at END, probe_until = NULL, ready_at = ?
     WHERE ready_at > ?`,
    [latest, at, at, latest],
  );
  return due + probes;
}

/**
 * Moves back what was written by a clock that was ahead of the one of now: a stream that was marked
 * "tomorrow", when tomorrow was now, is due now. One that waits for its retry keeps its wait.
 */
export function* repairStreams(
  tx: Tx,
  at: number,
  { leaseMs }: Waits,
  after: string,
): Work<{ readonly after: string | null; readonly moved: number }> {
  let moved = 0;
  const rows = yield* tx.all<StreamTimes>(
    `SELECT id, due_at, updated_at, open FROM push_delivery_streams
     WHERE id > ? AND due_at > ? AND due_at < ${QUEUED_FROM} AND ${NOT_LEASED}
     ORDER BY id LIMIT ?${forUpdate(tx, true)}`,
    [after, at + SLACK_MS, ...leaseBounds(at, leaseMs), AT_ONCE],
  );
  for (const row of rows) {
    const ahead = row.updated_at - at;
    const wait = row.due_at - Math.max(row.updated_at, at);
    if (ahead <= SLACK_MS && row.open > 0) continue;
    moved += 1;
    yield* tx.run(
      `UPDATE push_delivery_streams SET due_at = ?, lease_until = NULL, owner = NULL, epoch = epoch + 1,
         updated_at = ? WHERE id = ?`,
      [row.open > 0 ? at + Math.max(0, wait) : at, at, row.id],
    );
  }
  return { after: rows.length < AT_ONCE ? null : rows.at(-1)!.id, moved };
}

interface StreamTimes {
  readonly id: string;
  readonly due_at: number;
  readonly updated_at: number;
  readonly open: number;
}

/**
 * Endpoints whose times lie ahead of a clock that was set back: their next probe is now, unless one is
 * under way, and counts, as their breakers opened before.
 */
export function* repairEndpoints(tx: Tx, at: number, { leaseMs }: Waits): Work<number> {
  const [, latest] = leaseBounds(at, leaseMs);
  return yield* tx.run(
    `UPDATE push_endpoints SET updated_at = ?,
       probe_until = CASE WHEN probe_until <= ? THEN probe_until ELSE NULL END,
       opened_at = CASE WHEN opened_at IS NULL THEN NULL ELSE CAST(? AS bigint) END,
       failing_since = CASE WHEN failing_since > ? THEN CAST(? AS bigint) ELSE failing_since END,
       last_failure_at = CASE WHEN last_failure_at > ? THEN CAST(? AS bigint)
         ELSE last_failure_at END,
       probe_at = CASE WHEN probe_at IS NULL THEN NULL ELSE CAST(? AS bigint) END,
       ready_at = CASE WHEN ready_at IS NULL THEN NULL
         WHEN probe_until > ? AND probe_until <= ? THEN probe_until ELSE CAST(? AS bigint) END
     WHERE updated_at > ?`,
    [at, latest, at - 1, at, at, at, at, at, at, latest, at, at + SLACK_MS],
  );
}
