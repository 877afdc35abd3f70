import type { Tx, Work } from '../../../database/sql.js';
import type { TaskPositions } from '../../../tasks/index.js';
import { REPLAYED } from '../../delivery/domain/dead-causes.js';
import type { Replay, ReplayStart } from '../webhook-store.js';
import type { StreamRow } from '../../delivery/persistence/delivery-rows.js';

/** See `WebhookStore.replay`. Task and delivery stream are locked; `seq` is the newest entry of the log. */
export function* replayStream(
  tx: Tx,
  tasks: TaskPositions,
  stream: StreamRow,
  seq: number,
  start: ReplayStart,
  now: Date,
): Work<Replay> {
  const requested =
    'sequence' in start
      ? start.sequence
      : yield* tasks.firstSeqSince(tx, stream.taskId, start.since);
  if (requested === null) return { fromSequence: null, toSequence: seq };
  const from = Math.min(requested, stream.nextSeq);
  const { ended, freed, used } = yield* endOpenFrom(tx, stream, from, now);
  const at = now.getTime();
  yield* tx.run(
    `UPDATE push_delivery_streams SET next_seq = ?, cursor = NULL, last_state = NULL, open = open - ?,
       last_number = last_number - ? + ?,
       head_seq = CASE WHEN head_seq < ? THEN CAST(? AS integer) ELSE head_seq END,
       gap_seq = CASE WHEN gap_seq >= ? THEN NULL ELSE gap_seq END,
       due_at = CASE WHEN active = 1 THEN CAST(? AS bigint) ELSE NULL END,
       owner = NULL, lease_until = NULL, epoch = epoch + 1, updated_at = ?
     WHERE id = ?`,
    [from, ended, freed, used, seq, seq, from, at, at, stream.id],
  );
  return { fromSequence: from, toSequence: seq };
}

/**
 * Ends what is open from there on, since the replay delivers it again. What was never sent is deleted, and
 * its numbers are free when they are the delivery stream's last; what was tried keeps its row and number. Of a
 * leased delivery stream one may be under way, so that its number is seen: the last one or, while nothing is
 * open, the next, which counts as used.
 */
function* endOpenFrom(
  tx: Tx,
  stream: StreamRow,
  from: number,
  now: Date,
): Work<{ ended: number; freed: number; used: number }> {
  const these = `stream_id = ? AND state IN ('pending', 'retrying') AND seq >= ?
    AND kind IN ('event', 'artifact') AND redelivered = 0`;
  const tried = yield* tx.run(
    `UPDATE push_deliveries SET state = 'dead', reason = ?, next_attempt_at = NULL, updated_at = ?
     WHERE ${these} AND attempts > 0`,
    [REPLAYED, now.getTime(), stream.id, from],
  );
  const unseen = yield* tx.all<{ number: number }>(
    `DELETE FROM push_deliveries WHERE ${these} RETURNING number`,
    [stream.id, from],
  );
  return {
    ended: tried + unseen.length,
    freed: stream.leaseUntil === null ? freeNumbers(stream.lastNumber, unseen) : 0,
    used: stream.leaseUntil !== null && stream.open === 0 ? 1 : 0,
  };
}

function freeNumbers(last: number, unseen: readonly { readonly number: number }[]): number {
  const numbers = new Set(unseen.map(({ number }) => number));
  let free = 0;
  while (numbers.has(last - free)) free += 1;
  return free;
}
