import type { Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import type { DeliveryDraft, Lane, Reached, StepResult } from '../lane-store.js';
import type { PushConfig } from '../push-config.js';
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
    yield* insertDelivery(tx, ids[i]!, lane, draft, before + i + 1, at);
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

function* insertDelivery(
  tx: Tx,
  id: string,
  lane: Lane,
  draft: DeliveryDraft,
  number: number,
  at: number,
): Work<void> {
  yield* tx.run(
    `INSERT INTO push_deliveries (id, lane_id, config_uid, task_id, config_id, endpoint,
       organization, principal_id, number, seq, kind, artifact_id, webhook_id, state, attempts,
       tries, rejections, redelivered, body, content_type, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, 0, 0, 0, ?, ?, ?, ?)`,
    [
      id,
      lane.id,
      lane.config.uid,
      lane.config.taskId,
      lane.config.configId,
      lane.config.endpoint,
      lane.config.organization,
      lane.config.principalId,
      number,
      draft.seq,
      draft.kind,
      storable(draft.artifactId),
      draft.webhookId,
      draft.body,
      draft.contentType,
      at,
      at,
    ],
  );
}
