import type { IdSource } from '../../../common/ids.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { reasonOfBacklog } from '../domain/dead-causes.js';
import { subscriptionConfigId } from '../../registration/domain/config-id.js';
import type { DeliveryOwner } from './insert-delivery.js';
import { insertSnapshot } from './insert-snapshot.js';
import type { StreamRow } from './delivery-rows.js';
import { taskWebhooksOf } from '../../registration/persistence/webhook-rows.js';

/*
 * However a stream ends, what it had left to deliver stays visible: what was open becomes dead letters with
 * the reason, and the entries of the log behind that become one, a snapshot as of the newest entry.
 * The caller has locked the streams.
 */

/** Ends the deliveries of these streams, which stay, so that they can be resumed. */
export function* endStreams(
  tx: Tx,
  ids: IdSource,
  streams: readonly StreamRow[],
  reason: string,
  now: Date,
): Work<void> {
  for (const piece of pieces(streams)) {
    yield* tx.run(
      `UPDATE push_delivery_streams SET active = 0, open = 0, due_at = NULL, owner = NULL, lease_until = NULL,
         epoch = epoch + 1, updated_at = ? WHERE id IN ${listOf(piece.length)}`,
      [now.getTime(), ...piece.map(({ id }) => id)],
    );
    yield* writeDeadLetters(tx, ids, piece.filter(isActive), reason, now);
  }
}

/** Deletes these streams, and the webhooks that are for one task only. */
export function* deleteStreams(
  tx: Tx,
  ids: IdSource,
  streams: readonly StreamRow[],
  reason: string,
  now: Date,
): Work<void> {
  for (const piece of pieces(streams)) {
    yield* tx.run(
      `DELETE FROM push_delivery_streams WHERE id IN ${listOf(piece.length)}`,
      piece.map(({ id }) => id),
    );
    yield* writeDeadLetters(tx, ids, piece.filter(isActive), reason, now);
    yield* tx.run(
      `DELETE FROM push_webhooks WHERE id IN ${listOf(piece.length)} AND scope = 'task'`,
      piece.map((row) => row.webhookUid),
    );
  }
}

/** One that had ended before has its dead letters already. */
function isActive({ active }: StreamRow): boolean {
  return active !== 0;
}

/**
 * The dead letters of streams that end now: for {@link endStreams}, and for who has ended a stream itself. A
 * stream that is resumed later goes on behind what was open, so that is a gap of it; what it had not read
 * yet it then delivers. The webhooks must be there still.
 */
export function* writeDeadLetters(
  tx: Tx,
  ids: IdSource,
  streams: readonly StreamRow[],
  reason: string,
  now: Date,
): Work<void> {
  for (const piece of pieces(streams.map(({ id }) => id))) {
    const open = `state IN ('pending', 'retrying')`;
    yield* tx.run(
      `UPDATE push_delivery_streams SET gap_seq = (SELECT MIN(d.seq) FROM push_deliveries d
         WHERE d.stream_id = push_delivery_streams.id AND d.${open} AND d.redelivered = 0)
       WHERE id IN ${listOf(piece.length)} AND gap_seq IS NULL`,
      piece,
    );
    yield* tx.run(
      `UPDATE push_deliveries SET state = 'dead', reason = ?, next_attempt_at = NULL, updated_at = ?
       WHERE stream_id IN ${listOf(piece.length)} AND ${open}`,
      [reason, now.getTime(), ...piece],
    );
  }
  for (const piece of pieces(streams.filter((stream) => stream.headSeq >= stream.nextSeq))) {
    yield* writeBacklogLetters(tx, ids, piece, reason, now);
    yield* tx.run(
      `UPDATE push_delivery_streams SET last_number = last_number + 1 WHERE id IN ${listOf(piece.length)}`,
      piece.map(({ id }) => id),
    );
  }
}

/** One dead letter for all that the log has beyond the stream's position, named after the newest entry. */
function* writeBacklogLetters(
  tx: Tx,
  ids: IdSource,
  streams: readonly StreamRow[],
  reason: string,
  now: Date,
): Work<void> {
  const webhooks = yield* taskWebhooksOf(tx, streams);
  for (const stream of streams) {
    const { headSeq: head, nextSeq: next, endpoint } = stream;
    const owner = { ...(webhooks.get(stream.id) ?? orphaned(stream)), endpoint };
    const said = reasonOfBacklog(reason, next, head);
    yield* insertSnapshot(tx, ids.next(), owner, head, stream.lastNumber + 1, now, said);
  }
}

/** Of a subscription that was gone before its stream was made: its organization sees the dead letter. */
function orphaned(stream: StreamRow): DeliveryOwner {
  return {
    streamId: stream.id,
    taskId: stream.taskId,
    configId: subscriptionConfigId(stream.webhookUid),
    endpoint: stream.endpoint,
    organization: stream.organization,
    principalId: '',
  };
}
