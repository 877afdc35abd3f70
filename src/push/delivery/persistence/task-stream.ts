import type { IdSource } from '../../../common/ids.js';
import { forUpdate } from '../../../database/rows.js';
import type { Tx, Work } from '../../../database/sql.js';
import { FIRST_MESSAGE_SEQ, type TaskPositions } from '../../../tasks/index.js';
import type { Webhook } from '../../registration/webhook.js';
import { insertSnapshot } from './insert-snapshot.js';
import type { LaneRow } from './delivery-rows.js';
import { toTaskWebhook } from '../../registration/persistence/webhook-rows.js';

/*
 * The statements that make and change the lane of a webhook that is for one task; both have one id.
 * Whoever uses them has locked the task first (`TaskPositions.lockSeq`); then come lanes, deliveries, webhooks,
 * as everywhere.
 */

/** Where a new stream takes its ids from, and what it has to know of its task. */
export interface StreamSources {
  readonly ids: IdSource;
  readonly tasks: TaskPositions;
}

/** The lane, locked; undefined when it was deleted meanwhile. */
export function* lockLane(tx: Tx, id: string): Work<LaneRow | undefined> {
  const [lane] = yield* tx.all<LaneRow>(`SELECT * FROM push_lanes WHERE id = ?${forUpdate(tx)}`, [
    id,
  ]);
  return lane;
}

/**
 * The lane of a new webhook. That of a task that has just begun reads the log from its start; any other
 * begins with a snapshot of the task as it is now.
 */
export function* insertLane(
  tx: Tx,
  ids: IdSource,
  webhook: Webhook,
  taskId: string,
  traceparent: string | null,
  seq: number,
  now: Date,
): Work<LaneRow> {
  const at = now.getTime();
  const snapshots = seq <= FIRST_MESSAGE_SEQ ? 0 : 1;
  const [row] = yield* tx.all<LaneRow>(
    `INSERT INTO push_lanes (id, task_id, webhook_uid, organization, endpoint, active, every_event,
       next_seq, head_seq, open, last_number, due_at, epoch, traceparent, state, created_at,
       updated_at)
     VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, 0, ?, 'active', ?, ?) RETURNING *`,
    [
      webhook.id,
      taskId,
      webhook.id,
      webhook.organization,
      webhook.endpoint,
      webhook.events === 'all' ? 1 : 0,
      snapshots === 0 ? 1 : seq + 1,
      seq,
      snapshots,
      snapshots,
      at,
      traceparent,
      at,
      at,
    ],
  );
  if (snapshots > 0) {
    yield* insertSnapshot(tx, ids.next(), toTaskWebhook(row!, webhook), seq, 1, now);
  }
  return row!;
}

/** What became of it before counts no more. */
const FRESH = `state = 'active', state_reason = NULL, failing_since = NULL`;

/** Takes up a lane that rests, or is behind; see {@link goOn} and {@link restartLane}. */
export function* resumeLane(
  tx: Tx,
  ids: IdSource,
  lane: LaneRow,
  webhook: Webhook,
  seq: number,
  now: Date,
  remake = false,
): Work<void> {
  yield* tx.run(
    `UPDATE push_lanes SET ${FRESH}, active = CASE WHEN active = 2 THEN 1 ELSE active END
     WHERE id = ?`,
    [lane.id],
  );
  if (lane.active === 0) yield* restartLane(tx, ids, lane.id, webhook, seq, now);
  else yield* goOn(tx, lane.id, webhook, now, remake);
}

/**
 * The lane goes on at once with what it has left, under its webhook as it is now; a paused one keeps it.
 * A claim made under the old one ends here: it can send and record nothing more. `remake`: the bytes
 * have to be made again.
 */
export function* goOn(
  tx: Tx,
  laneId: string,
  webhook: Webhook,
  now: Date,
  remake = false,
): Work<void> {
  const at = now.getTime();
  yield* tx.run(
    `UPDATE push_lanes SET endpoint = ?, every_event = ?, epoch = epoch + 1, owner = NULL,
       lease_until = NULL, updated_at = ?,
       due_at = CASE WHEN active = 1 AND (open > 0 OR head_seq >= next_seq)
         THEN CAST(? AS bigint) ELSE NULL END
     WHERE id = ?`,
    [webhook.endpoint, webhook.events === 'all' ? 1 : 0, at, at, laneId],
  );
  yield* tx.run(
    `UPDATE push_deliveries SET tries = 0, rejections = 0, next_attempt_at = NULL, endpoint = ?,
       body = CASE WHEN ? = 1 THEN NULL ELSE body END, updated_at = ?
     WHERE lane_id = ? AND state IN ('pending', 'retrying')`,
    [webhook.endpoint, remake ? 1 : 0, at, laneId],
  );
}

/** The lane has told all, or was disabled: it begins again with the task as it is now. */
export function* restartLane(
  tx: Tx,
  ids: IdSource,
  laneId: string,
  webhook: Webhook,
  seq: number,
  now: Date,
): Work<void> {
  const at = now.getTime();
  const [row] = yield* tx.all<LaneRow>(
    `UPDATE push_lanes SET endpoint = ?, every_event = ?, active = 1, next_seq = ?, head_seq = ?,
       cursor = NULL, last_state = NULL, open = 1, last_number = last_number + 1, due_at = ?,
       owner = NULL, lease_until = NULL, epoch = epoch + 1, ${FRESH}, updated_at = ?
     WHERE id = ? RETURNING *`,
    [webhook.endpoint, webhook.events === 'all' ? 1 : 0, seq + 1, seq, at, at, laneId],
  );
  const told = toTaskWebhook(row!, webhook);
  yield* insertSnapshot(tx, ids.next(), told, seq, row!.last_number, now);
}
