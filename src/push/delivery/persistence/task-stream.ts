import type { IdSource } from '../../../common/ids.js';
import { forUpdate } from '../../../database/rows.js';
import type { Tx, Work } from '../../../database/sql.js';
import { FIRST_MESSAGE_SEQ, type TaskPositions } from '../../../tasks/index.js';
import type { TaskWebhook, Webhook } from '../../registration/webhook.js';
import { storable } from '../../../database/text.js';
import { insertSnapshot } from './insert-snapshot.js';
import { insertStreams } from './insert-streams.js';
import { rescheduleStreams } from './reschedule-streams.js';
import { STREAM, type StreamRow } from './delivery-rows.js';
import { toTaskWebhook } from '../../registration/persistence/webhook-rows.js';

/*
 * The statements that make and change the stream of a webhook that is for one task; both have one id.
 * Whoever uses them has locked the task first (`TaskPositions.lock`); then come streams, deliveries, webhooks,
 * as everywhere.
 */

/** Where a new stream takes its ids from, and what it has to know of its task. */
export interface StreamSources {
  readonly ids: IdSource;
  readonly tasks: TaskPositions;
}

/** The stream, locked; undefined when it was deleted meanwhile. */
export function* lockStream(tx: Tx, id: string): Work<StreamRow | undefined> {
  const [stream] = yield* STREAM.all(tx, `WHERE id = ?${forUpdate(tx)}`, [id]);
  return stream;
}

/**
 * The stream of a new webhook. That of a task that has just begun reads the log from its start; any other
 * begins with a snapshot of the task as it is now.
 */
export function* insertStream(
  tx: Tx,
  ids: IdSource,
  webhook: Webhook,
  taskId: string,
  traceparent: string | null,
  seq: number,
  now: Date,
): Work<TaskWebhook> {
  // A task that has just begun is read from its first entry.
  const hasSnapshot = seq > FIRST_MESSAGE_SEQ;
  const { id } = webhook;
  const nextSeq = hasSnapshot ? seq + 1 : 1;
  const stream = { id, webhook, taskId, traceparent, nextSeq, seq, hasSnapshot, isDue: true };
  yield* insertStreams(tx, [stream], now);
  const made = toTaskWebhook(
    {
      id,
      taskId,
      traceparent: storable(traceparent),
      state: 'active',
      stateReason: null,
      failingSince: null,
      lastFailureAt: null,
      createdAt: now,
    },
    webhook,
  );
  if (hasSnapshot) yield* insertSnapshot(tx, ids.next(), made, seq, 1, now);
  return made;
}

/** Its earlier failures count no more. */
const FRESH = `state = 'active', state_reason = NULL, failing_since = NULL`;

/** Resumes a stream that is idle, or behind; see {@link rescheduleStream} and {@link restartStream}. */
export function* resumeStream(
  tx: Tx,
  ids: IdSource,
  stream: StreamRow,
  webhook: Webhook,
  seq: number,
  now: Date,
  remake = false,
): Work<void> {
  yield* tx.run(
    `UPDATE push_delivery_streams SET ${FRESH}, active = CASE WHEN active = 2 THEN 1 ELSE active END
     WHERE id = ?`,
    [stream.id],
  );
  if (stream.active === 0) yield* restartStream(tx, ids, stream.id, webhook, seq, now);
  else yield* rescheduleStream(tx, stream.id, webhook, now, remake);
}

/**
 * The stream goes on at once with what it has left, under its webhook as it is now; a paused one keeps it.
 * A claim made under the old one ends here: it can send and record nothing more. `remake`: the bytes
 * have to be made again.
 */
export function* rescheduleStream(
  tx: Tx,
  streamId: string,
  webhook: Webhook,
  now: Date,
  remake = false,
): Work<void> {
  const { endpoint, events } = webhook;
  yield* rescheduleStreams(
    tx,
    [streamId],
    now,
    { endpoint, every_event: events === 'all' ? 1 : 0 },
    { endpoint, ...(remake && { body: null }) },
  );
}

/** The stream has delivered all, or was disabled: it begins again with the task as it is now. */
export function* restartStream(
  tx: Tx,
  ids: IdSource,
  streamId: string,
  webhook: Webhook,
  seq: number,
  now: Date,
): Work<void> {
  const at = now.getTime();
  const [row] = yield* STREAM.returning(
    tx,
    `UPDATE push_delivery_streams SET endpoint = ?, every_event = ?, active = 1, next_seq = ?, head_seq = ?,
       cursor = NULL, last_state = NULL, open = 1, last_number = last_number + 1, due_at = ?,
       owner = NULL, lease_until = NULL, epoch = epoch + 1, ${FRESH}, updated_at = ?
     WHERE id = ?`,
    [webhook.endpoint, webhook.events === 'all' ? 1 : 0, seq + 1, seq, at, at, streamId],
  );
  const restarted = toTaskWebhook(row!, webhook);
  yield* insertSnapshot(tx, ids.next(), restarted, seq, row!.lastNumber, now);
}
