import { forUpdate } from '../../../database/rows.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { Lane, Reached, StepResult } from '../delivery-stream-store.js';
import type { TaskWebhook } from '../../registration/webhook.js';
import { insertDelivery } from './insert-delivery.js';
import { type LaneRow, toLane } from './delivery-rows.js';
import { giveTrialBack } from './record-endpoint-outcome.js';
import { restsUnless } from './record-attempt.js';

/** See `LaneStore.reach`; `ids` are those of the new deliveries. */
export function* reachLane(
  tx: Tx,
  lane: Lane,
  { nextSeq, cursor, deliveries }: Reached,
  ids: readonly string[],
  now: Date,
  leaseUntil: Date,
): Work<StepResult> {
  const at = now.getTime();
  const goesOn = [deliveries.length, nextSeq, leaseUntil.getTime()];
  const [row] = yield* tx.all<LaneRow>(
    `UPDATE push_lanes SET next_seq = ?, cursor = ?, last_state = ?, open = open + ?,
       last_number = last_number + ?, updated_at = ?,
       ${restsUnless('open + ? > 0 OR head_seq >= ?')}
     WHERE id = ? AND epoch = ? RETURNING *`,
    [
      nextSeq,
      cursor && JSON.stringify(cursor),
      cursor?.state ?? null,
      deliveries.length,
      deliveries.length,
      at,
      ...goesOn,
      ...goesOn,
      lane.id,
      lane.epoch,
    ],
  );
  if (!row) return 'lost';
  const before = row.last_number - deliveries.length;
  for (const [i, draft] of deliveries.entries()) {
    const delivery = { ...draft, id: ids[i]!, number: before + i + 1, createdAt: at };
    yield* insertDelivery(tx, lane.webhook, delivery, at);
  }
  if (row.lease_until === null) yield* giveTrialBack(tx, lane);
  return toStep(row, lane, lane.webhook);
}

/** See `LaneStore.recount`. Whoever opens or ends a delivery holds the lane: locked, its count stands. */
export function* recountLane(tx: Tx, lane: Lane, now: Date, leaseUntil: Date): Work<StepResult> {
  const [held] = yield* tx.all<{ id: string }>(
    `SELECT id FROM push_lanes WHERE id = ? AND epoch = ? AND active = 1${forUpdate(tx)}`,
    [lane.id, lane.epoch],
  );
  if (!held) return 'lost';
  const [counted] = yield* tx.all<{ open: number }>(
    `SELECT COUNT(*) AS open FROM push_deliveries
     WHERE lane_id = ? AND state IN ('pending', 'retrying')`,
    [lane.id],
  );
  const open = Number(counted!.open);
  const goesOn = [open, leaseUntil.getTime()];
  const [row] = yield* tx.all<LaneRow>(
    `UPDATE push_lanes SET open = ?, updated_at = ?,
       ${restsUnless('CAST(? AS integer) > 0 OR head_seq >= next_seq')} WHERE id = ? RETURNING *`,
    [open, now.getTime(), ...goesOn, ...goesOn, lane.id],
  );
  if (row!.lease_until === null) yield* giveTrialBack(tx, lane);
  return toStep(row!, lane, lane.webhook);
}

/** What is left of a claim after a step of the lane. */
export function toStep(
  row: LaneRow,
  { trialUntil, isEarly }: Pick<Lane, 'trialUntil' | 'isEarly'>,
  webhook: TaskWebhook,
): StepResult {
  if (row.lease_until === null) return 'rests';
  return { ...toLane(row, webhook), trialUntil, isEarly };
}
