import type { IdSource } from '../../../common/ids.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { subscriptionConfigId } from '../../registration/domain/config-id.js';
import type { DeliveryOwner } from './insert-delivery.js';
import { insertSnapshot } from './insert-snapshot.js';
import type { LaneRow } from './delivery-rows.js';
import { taskWebhooksOf } from '../../registration/persistence/webhook-rows.js';

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

/** Deletes these lanes, and the webhooks that are for one task only. */
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
      `DELETE FROM push_webhooks WHERE uid IN ${listOf(piece.length)} AND scope = 'task'`,
      piece.map((row) => row.webhook_uid),
    );
  }
}

/** One that has ended left its letters then. */
function isTold({ active }: LaneRow): boolean {
  return active !== 0;
}

/**
 * The dead letters of lanes that end now: for {@link endLanes}, and for who has ended a lane itself. A
 * lane that is told again later goes on behind what was open, so that is a gap of it; what it had not read
 * yet it then tells. The webhooks must be there still.
 */
export function* leaveLetters(
  tx: Tx,
  ids: IdSource,
  lanes: readonly LaneRow[],
  reason: string,
  now: Date,
): Work<void> {
  for (const piece of pieces(lanes.map(({ id }) => id))) {
    const open = `state IN ('pending', 'retrying')`;
    yield* tx.run(
      `UPDATE push_lanes SET gap_seq = (SELECT MIN(d.seq) FROM push_deliveries d
         WHERE d.lane_id = push_lanes.id AND d.${open} AND d.redelivered = 0)
       WHERE id IN ${listOf(piece.length)} AND gap_seq IS NULL`,
      piece,
    );
    yield* tx.run(
      `UPDATE push_deliveries SET state = 'dead', reason = ?, next_attempt_at = NULL, updated_at = ?
       WHERE lane_id IN ${listOf(piece.length)} AND ${open}`,
      [reason, now.getTime(), ...piece],
    );
  }
  for (const piece of pieces(lanes.filter((lane) => lane.head_seq >= lane.next_seq))) {
    yield* untoldLetters(tx, ids, piece, reason, now);
    yield* tx.run(
      `UPDATE push_lanes SET last_number = last_number + 1 WHERE id IN ${listOf(piece.length)}`,
      piece.map(({ id }) => id),
    );
  }
}

/** One dead letter for all that a lane's log has beyond its place, named after the newest entry. */
function* untoldLetters(
  tx: Tx,
  ids: IdSource,
  lanes: readonly LaneRow[],
  reason: string,
  now: Date,
): Work<void> {
  const webhooks = yield* taskWebhooksOf(tx, lanes);
  for (const lane of lanes) {
    const { head_seq: head, next_seq: next, endpoint } = lane;
    const owner = { ...(webhooks.get(lane.id) ?? orphaned(lane)), endpoint };
    const said = `${reason}: entries ${next} to ${head} of the task's log`;
    yield* insertSnapshot(tx, ids.next(), owner, head, lane.last_number + 1, now, said);
  }
}

/** Of a subscription that was gone before its lane was made: its organization sees what became of that. */
function orphaned(lane: LaneRow): DeliveryOwner {
  return {
    uid: lane.id,
    taskId: lane.task_id,
    configId: subscriptionConfigId(lane.webhook_uid),
    endpoint: lane.endpoint,
    organization: lane.organization,
    principalId: '',
  };
}
