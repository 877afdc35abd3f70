import type { IdSource } from '../../../common/ids.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { snapshotWebhookId } from '../../domain/webhook-id.js';
import type { LaneRow } from '../push-rows.js';

/*
 * However a lane ends, what it had left to tell stays visible: what was open becomes dead letters with
 * the reason, and the entries of the log behind that become one, a snapshot as of the newest entry.
 * Whoever ends lanes has locked them.
 */

/** Ends the telling of these lanes, which stay, so that they can be told again. */
export function* endLanes(
  tx: Tx,
  ids: IdSource,
  lanes: readonly LaneRow[],
  reason: string,
  now: Date,
): Work<void> {
  for (const piece of pieces(lanes)) {
    yield* tx.run(
      `UPDATE push_lanes SET active = 0, open = 0, due_at = NULL, owner = NULL, lease_until = NULL,
         epoch = epoch + 1, updated_at = ? WHERE id IN ${listOf(piece.length)}`,
      [now.getTime(), ...piece.map(({ id }) => id)],
    );
    yield* leaveLetters(tx, ids, piece.filter(isTold), reason, now);
  }
}

/** Deletes these lanes and their configs. */
export function* forgetLanes(
  tx: Tx,
  ids: IdSource,
  lanes: readonly LaneRow[],
  reason: string,
  now: Date,
): Work<void> {
  for (const piece of pieces(lanes)) {
    yield* tx.run(
      `DELETE FROM push_lanes WHERE id IN ${listOf(piece.length)}`,
      piece.map(({ id }) => id),
    );
    yield* leaveLetters(tx, ids, piece.filter(isTold), reason, now);
    yield* tx.run(
      `DELETE FROM push_configs WHERE uid IN ${listOf(piece.length)}`,
      piece.map((row) => row.config_uid),
    );
  }
}

/** One that has ended left its letters then. */
function isTold({ active }: LaneRow): boolean {
  return active !== 0;
}

/**
 * The dead letters of lanes that end now: for {@link endLanes}, and for who has ended a lane itself. The
 * configs must be there still.
 */
export function* leaveLetters(
  tx: Tx,
  ids: IdSource,
  lanes: readonly LaneRow[],
  reason: string,
  now: Date,
): Work<void> {
  for (const piece of pieces(lanes.map(({ id }) => id))) {
    yield* tx.run(
      `UPDATE push_deliveries SET state = 'dead', reason = ?, next_attempt_at = NULL, updated_at = ?
       WHERE lane_id IN ${listOf(piece.length)} AND state IN ('pending', 'retrying')`,
      [reason, now.getTime(), ...piece],
    );
  }
  const behind = lanes.filter((lane) => lane.head_seq >= lane.next_seq);
  for (const lane of behind) yield* untoldLetter(tx, ids.next(), lane, reason, now);
  for (const piece of pieces(behind.map(({ id }) => id))) {
    yield* tx.run(
      `UPDATE push_lanes SET last_number = last_number + 1 WHERE id IN ${listOf(piece.length)}`,
      piece,
    );
  }
}

/** One dead letter for all that the lane's log has beyond its place, named after the newest entry. */
function* untoldLetter(tx: Tx, id: string, lane: LaneRow, reason: string, now: Date): Work<void> {
  const at = now.getTime();
  const number = lane.last_number + 1;
  yield* tx.run(
    `INSERT INTO push_deliveries (id, lane_id, config_uid, task_id, config_id, endpoint, organization,
       principal_id, number, seq, kind, webhook_id, state, attempts, tries, rejections, redelivered,
       reason, created_at, updated_at)
     SELECT ?, ?, c.uid, c.task_id, c.config_id, ?, c.organization, c.principal_id,
       CAST(? AS integer), CAST(? AS integer), 'snapshot', ?, 'dead', 0, 0, 0, 0, ?,
       CAST(? AS bigint), CAST(? AS bigint)
     FROM push_configs c WHERE c.uid = ?`,
    [
      id,
      lane.id,
      lane.endpoint,
      number,
      lane.head_seq,
      snapshotWebhookId(lane.config_uid, lane.head_seq, number),
      `${reason}: entries ${lane.next_seq} to ${lane.head_seq} of the task's log`,
      at,
      at,
      lane.config_uid,
    ],
  );
}
