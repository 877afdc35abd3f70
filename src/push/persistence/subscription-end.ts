import { listOf, pieces } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import { snapshotWebhookId } from '../domain/webhook-id.js';
import type { LaneRow } from './push-rows.js';

/**
 * Ends what these locked lanes had open as dead letters with that reason, and their telling; the lanes
 * stay, so that they can be resumed where they are.
 */
export function* endLanes(
  tx: Tx,
  lanes: readonly LaneRow[],
  reason: string,
  now: Date,
): Work<void> {
  for (const piece of pieces(lanes.map(({ id }) => id))) {
    yield* tx.run(
      `UPDATE push_lanes SET active = 0, open = 0, due_at = NULL, owner = NULL, lease_until = NULL,
         epoch = epoch + 1, updated_at = ? WHERE id IN ${listOf(piece.length)}`,
      [now.getTime(), ...piece],
    );
    yield* endOpenOf(tx, piece, reason, now);
  }
}

/**
 * Deletes these locked lanes and their configs. What they had open becomes dead letters with that reason;
 * so does, as one, what a lane had not begun to tell.
 */
export function* forgetLanes(
  tx: Tx,
  lanes: readonly LaneRow[],
  reason: string,
  now: Date,
): Work<void> {
  for (const piece of pieces(lanes)) {
    const ids = piece.map(({ id }) => id);
    yield* tx.run(`DELETE FROM push_lanes WHERE id IN ${listOf(ids.length)}`, ids);
    yield* endOpenOf(tx, ids, reason, now);
    for (const lane of piece) {
      if (lane.head_seq >= lane.next_seq) yield* untoldLetter(tx, lane, reason, now);
    }
    yield* tx.run(
      `DELETE FROM push_configs WHERE uid IN ${listOf(piece.length)}`,
      piece.map((row) => row.config_uid),
    );
  }
}

function* endOpenOf(tx: Tx, laneIds: readonly string[], reason: string, now: Date): Work<void> {
  yield* tx.run(
    `UPDATE push_deliveries SET state = 'dead', reason = ?, next_attempt_at = NULL, updated_at = ?
     WHERE lane_id IN ${listOf(laneIds.length)} AND state IN ('pending', 'retrying')`,
    [reason, now.getTime(), ...laneIds],
  );
}

/** One dead letter for all that the lane's log has beyond its place, named after the newest entry. */
function* untoldLetter(tx: Tx, lane: LaneRow, reason: string, now: Date): Work<void> {
  const at = now.getTime();
  const number = lane.last_number + 1;
  yield* tx.run(
    `INSERT INTO push_deliveries (id, lane_id, config_uid, task_id, config_id, endpoint, organization,
       principal_id, number, seq, kind, webhook_id, state, attempts, tries, rejections, redelivered, reason,
       created_at, updated_at)
     SELECT ?, ?, c.uid, c.task_id, c.config_id, ?, c.organization, c.principal_id,
       CAST(? AS integer), CAST(? AS integer), 'snapshot', ?, 'dead', 0, 0, 0, 0, ?, CAST(? AS bigint), CAST(? AS bigint)
     FROM push_configs c WHERE c.uid = ?`,
    [
      // The lane is gone for good, so its id is free to be that of its last delivery.
      lane.id,
      lane.id,
      lane.endpoint,
      number,
      lane.head_seq,
      snapshotWebhookId(lane.config_uid, lane.head_seq, number),
      reason,
      at,
      at,
      lane.config_uid,
    ],
  );
}
