import type { Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import type { DeliveryAttempt } from '../delivery.js';
import { verdictOf } from '../domain/attempt-verdict.js';
import type { Lane, Settlement } from '../lane-store.js';
import type { PushConfig } from '../push-config.js';
import type { LaneRow } from './push-rows.js';

/**
 * The lane goes on under a new lease while `goesOn` holds and it is told; else it rests and the claim
 * ends. The parameters of `goesOn` come twice, each time before the lease.
 */
export function restsUnless(goesOn: string): string {
  const lease = `CASE WHEN active = 1 AND (${goesOn}) THEN CAST(? AS bigint) ELSE NULL END`;
  return `due_at = ${lease}, lease_until = ${lease}`;
}

/**
 * The lane after one of its deliveries was tried; undefined when the claim is over, or when that attempt
 * is recorded already.
 */
export function* settleLane(
  tx: Tx,
  lane: Lane,
  { delivery, result }: Settlement,
  now: Date,
  leaseUntil: Date,
): Work<LaneRow | undefined> {
  const until = leaseUntil.getTime();
  const own = [now.getTime(), lane.id, lane.epoch, delivery.id, delivery.attempts];
  const where = `updated_at = ? WHERE id = ? AND epoch = ? AND EXISTS (SELECT 1
    FROM push_deliveries d WHERE d.id = ? AND d.attempts = ? AND d.state IN ('pending', 'retrying'))
    RETURNING *`;
  if (result.state === 'retrying') {
    const rows = yield* tx.all<LaneRow>(
      `UPDATE push_lanes SET due_at = CASE WHEN active = 1 THEN CAST(? AS bigint) ELSE NULL END,
         owner = NULL, lease_until = NULL, ${where}`,
      [result.at.getTime(), ...own],
    );
    return rows[0];
  }
  const gap = delivery.redelivered
    ? 'gap_seq'
    : result.state === 'delivered'
      ? 'NULL'
      : `COALESCE(gap_seq, ${delivery.seq})`;
  if (result.state === 'dead' && result.consequence === 'disabled') {
    const rows = yield* tx.all<LaneRow>(
      `UPDATE push_lanes SET active = 0, open = 0, gap_seq = ${gap}, due_at = NULL, owner = NULL,
         lease_until = NULL, ${where}`,
      own,
    );
    return rows[0];
  }
  const rows = yield* tx.all<LaneRow>(
    `UPDATE push_lanes SET open = open - 1, gap_seq = ${gap},
       ${restsUnless('open > 1 OR head_seq >= next_seq')}, ${where}`,
    [until, until, ...own],
  );
  return rows[0];
}

export function* settleDelivery(
  tx: Tx,
  { delivery, attempt, result }: Settlement,
  now: Date,
): Work<void> {
  const tried = attempt ? 1 : 0;
  const counted = result.state === 'retrying' && result.isEarly ? 0 : tried;
  const rejected = attempt && verdictOf(attempt.status) === 'rejected' ? 1 : 0;
  yield* tx.run(
    `UPDATE push_deliveries SET state = ?, attempts = attempts + ?, tries = tries + ?,
       rejections = rejections + ?, next_attempt_at = ?, last_status = ?, reason = ?,
       body = CASE WHEN ? = 1 THEN NULL ELSE body END, updated_at = ? WHERE id = ?`,
    [
      result.state,
      tried,
      counted,
      rejected,
      result.state === 'retrying' ? result.at.getTime() : null,
      attempt ? attempt.status : delivery.lastStatus,
      result.state === 'delivered' ? null : storable(result.reason),
      result.state === 'delivered' ? 1 : 0,
      now.getTime(),
      delivery.id,
    ],
  );
  if (attempt) yield* insertAttempt(tx, delivery.id, attempt);
}

/** The record of one try. */
export function* insertAttempt(tx: Tx, deliveryId: string, attempt: DeliveryAttempt): Work<void> {
  yield* tx.run(
    `INSERT INTO push_attempts (delivery_id, number, at, duration_ms, status, error, response)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [
      deliveryId,
      attempt.number,
      attempt.at.getTime(),
      attempt.durationMs,
      attempt.status,
      attempt.error,
      storable(attempt.response),
    ],
  );
}

export function* settleConfig(
  tx: Tx,
  config: PushConfig,
  { result }: Settlement,
  now: Date,
): Work<PushConfig> {
  let next: Pick<PushConfig, 'state' | 'stateReason' | 'failingSince'> | undefined;
  if (result.state === 'delivered' && (config.state === 'failing' || config.failingSince)) {
    next = { state: 'active', stateReason: null, failingSince: null };
  } else if (result.state === 'dead' && result.consequence !== 'none') {
    next = {
      state: result.consequence,
      stateReason: result.reason,
      failingSince: config.failingSince ?? now,
    };
  } else if (result.state === 'retrying' && config.failingSince === null) {
    next = { state: config.state, stateReason: config.stateReason, failingSince: now };
  }
  if (!next) return config;
  yield* tx.run(
    `UPDATE push_configs SET
       state = CASE WHEN state = 'paused' AND ? <> 'disabled' THEN state ELSE ? END,
       state_reason = ?, failing_since = ?, updated_at = ? WHERE uid = ?`,
    [
      next.state,
      next.state,
      storable(next.stateReason),
      next.failingSince?.getTime() ?? null,
      now.getTime(),
      config.uid,
    ],
  );
  return { ...config, ...next };
}
