import type { Tx, Work } from '../../database/sql.js';
import type { Lane, Reached, StepResult } from '../lane-store.js';
import type { PushConfig } from '../push-config.js';
import { insertDelivery } from './insert-delivery.js';
import { type LaneRow, toLane } from './push-rows.js';
import { giveProbeBack } from './settle-endpoint.js';
import { restsUnless } from './settle-lane.js';

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
      JSON.stringify(cursor),
      cursor.state,
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
    yield* insertDelivery(tx, lane, delivery, at);
  }
  if (row.lease_until === null) yield* giveProbeBack(tx, lane);
  return toStep(row, lane, lane.config);
}

/** What is left of a claim after a step of the lane. */
export function toStep(
  row: LaneRow,
  { isProbe, isEarly }: Pick<Lane, 'isProbe' | 'isEarly'>,
  config: PushConfig,
): StepResult {
  if (row.lease_until === null) return 'rests';
  return { ...toLane(row, config), isProbe, isEarly };
}
