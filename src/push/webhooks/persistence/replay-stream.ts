import type { Tx, Work } from '../../../database/sql.js';
import type { TaskPositions } from '../../../tasks/index.js';
import type { Replay, ReplayStart } from '../webhook-store.js';
import type { LaneRow } from '../../delivery/persistence/delivery-rows.js';

const TOLD_AGAIN = 'a replay sends it again as a new delivery';

/** See `WebhookStore.replay`. Task and lane are locked; `seq` is the newest entry of the log. */
export function* replayLane(
  tx: Tx,
  tasks: TaskPositions,
  lane: LaneRow,
  seq: number,
  start: ReplayStart,
  now: Date,
): Work<Replay> {
  const asked =
    'sequence' in start
      ? start.sequence
      : yield* tasks.firstSeqSince(tx, lane.task_id, start.since);
  if (asked === null) return { fromSequence: null, toSequence: seq };
  const from = Math.min(asked, lane.next_seq);
  const { ended, freed, used } = yield* endOpenFrom(tx, lane, from, now);
  const at = now.getTime();
  yield* tx.run(
    `UPDATE push_lanes SET next_seq = ?, cursor = NULL, last_state = NULL, open = open - ?,
       last_number = last_number - ? + ?,
       head_seq = CASE WHEN head_seq < ? THEN CAST(? AS integer) ELSE head_seq END,
       gap_seq = CASE WHEN gap_seq >= ? THEN NULL ELSE gap_seq END,
       due_at = CASE WHEN active = 1 THEN CAST(? AS bigint) ELSE NULL END,
       owner = NULL, lease_until = NULL, epoch = epoch + 1, updated_at = ?
     WHERE id = ?`,
    [from, ended, freed, used, seq, seq, from, at, at, lane.id],
  );
  return { fromSequence: from, toSequence: seq };
}

/**
 * Ends what is open from there on, since the log tells it again. What nobody has seen is forgotten, and
 * its numbers are free when they are the lane's last; what was tried keeps its row and number. Of a
 * leased lane one may be under way, so that its number is seen: the last one or, while nothing is
 * open, the next, which counts as used.
 */
function* endOpenFrom(
  tx: Tx,
  lane: LaneRow,
  from: number,
  now: Date,
): Work<{ ended: number; freed: number; used: number }> {
  const these = `lane_id = ? AND state IN ('pending', 'retrying') AND seq >= ?
    AND kind IN ('event', 'artifact') AND redelivered = 0`;
  const tried = yield* tx.run(
    `UPDATE push_deliveries SET state = 'dead', reason = ?, next_attempt_at = NULL, updated_at = ?
     WHERE ${these} AND attempts > 0`,
    [TOLD_AGAIN, now.getTime(), lane.id, from],
  );
  const unseen = yield* tx.all<{ number: number }>(
    `DELETE FROM push_deliveries WHERE ${these} RETURNING number`,
    [lane.id, from],
  );
  return {
    ended: tried + unseen.length,
    freed: lane.lease_until === null ? freeNumbers(lane.last_number, unseen) : 0,
    used: lane.lease_until !== null && lane.open === 0 ? 1 : 0,
  };
}

function freeNumbers(last: number, unseen: readonly { readonly number: number }[]): number {
  const numbers = new Set(unseen.map(({ number }) => number));
  let free = 0;
  while (numbers.has(last - free)) free += 1;
  return free;
}
