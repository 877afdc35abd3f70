import type { IdSource } from '../../../common/ids.js';
import { listOf, pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { FIRST_MESSAGE_SEQ } from '../../../tasks/index.js';
import type { PushConfig, PushConfigDraft, Registration } from '../../configs/push-config.js';
import { insertSnapshot } from '../deliveries/insert-snapshot.js';
import { forgetLanes } from '../lanes/end-lanes.js';
import { type ConfigRow, type LaneRow, forUpdate, toConfig } from '../push-rows.js';

/*
 * The statements that make and change the webhook of one task. Whoever uses them has locked the task
 * first ({@link lockTask}); then come lanes, deliveries, configs, as everywhere.
 */

/**
 * The newest entry of the task's log. The lock keeps appends to this task out until the transaction
 * ends: each is either in this seq or finds the lane as it is then.
 */
export function* lockTask(tx: Tx, taskId: string): Work<number> {
  const [task] = yield* tx.all<{ seq: number }>(
    `SELECT seq FROM tasks WHERE id = ?${forUpdate(tx)}`,
    [taskId],
  );
  return task?.seq ?? FIRST_MESSAGE_SEQ;
}

/** Has the appends of these tasks tell of every entry; it stays so. */
export function* hearEveryEvent(tx: Tx, taskIds: readonly string[]): Work<void> {
  for (const piece of pieces([...new Set(taskIds)].sort())) {
    yield* tx.run(
      `UPDATE tasks SET every_event = 1 WHERE id IN ${listOf(piece.length)} AND every_event = 0`,
      piece,
    );
  }
}

export function* insertConfig(
  tx: Tx,
  taskId: string,
  draft: PushConfigDraft,
  now: Date,
): Work<PushConfig> {
  const at = now.getTime();
  const [row] = yield* tx.all<ConfigRow>(
    `INSERT INTO push_configs (uid, task_id, config_id, principal_id, set_by, organization, url,
       endpoint, version, auth_scheme, auth_names, auth_profile, sealed_credentials, sealed_token,
       sealed_signing_keys, events, subscription_id, fingerprint, verified, traceparent, state,
       created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'active', ?, ?) RETURNING *`,
    [
      draft.uid,
      taskId,
      draft.configId ?? draft.uid,
      draft.principalId,
      draft.setBy ?? null,
      draft.organization,
      draft.url,
      draft.endpoint,
      draft.version,
      draft.authScheme,
      JSON.stringify(draft.authNames),
      draft.authProfile,
      draft.sealedCredentials,
      draft.sealedToken,
      draft.sealedSigningKeys,
      draft.events,
      draft.subscriptionId,
      draft.fingerprint,
      draft.verified ? 1 : 0,
      draft.traceparent,
      at,
      at,
    ],
  );
  return toConfig(row!);
}

/**
 * The lane of a new config. That of a task that has just begun reads the log from its start; any other
 * begins with a snapshot of the task as it is now.
 */
export function* insertLane(
  tx: Tx,
  ids: IdSource,
  config: PushConfig,
  seq: number,
  now: Date,
): Work<void> {
  const at = now.getTime();
  const laneId = ids.next();
  const snapshots = seq <= FIRST_MESSAGE_SEQ ? 0 : 1;
  yield* tx.run(
    `INSERT INTO push_lanes (id, task_id, config_uid, organization, endpoint, active, every_event,
       next_seq, head_seq, open, last_number, due_at, epoch, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
    [
      laneId,
      config.taskId,
      config.uid,
      config.organization,
      config.endpoint,
      config.events === 'all' ? 1 : 0,
      snapshots === 0 ? 1 : seq + 1,
      seq,
      snapshots,
      snapshots,
      at,
      at,
      at,
    ],
  );
  if (snapshots > 0) yield* insertSnapshot(tx, ids.next(), laneId, config, seq, 1, now);
}

/** The locked lanes of a config: one, or none when it was deleted meanwhile. */
export function* lockLanes(tx: Tx, { task_id, uid }: ConfigRow): Work<LaneRow[]> {
  return yield* tx.all<LaneRow>(
    `SELECT * FROM push_lanes WHERE task_id = ? AND config_uid = ?${forUpdate(tx)}`,
    [task_id, uid],
  );
}

/** Why deliveries of a webhook that is gone are dead letters. */
export const DELETED = 'the webhook was deleted';

/** Members of a config that may change. */
export type ChangedConfig = Registration &
  Pick<PushConfig, 'state' | 'stateReason' | 'failingSince'>;

export function* updateConfig(
  tx: Tx,
  uid: string,
  config: ChangedConfig,
  now: Date,
): Work<PushConfig> {
  const [row] = yield* tx.all<ConfigRow>(
    `UPDATE push_configs SET url = ?, endpoint = ?, version = ?, auth_scheme = ?, auth_names = ?,
       auth_profile = ?, sealed_credentials = ?, sealed_token = ?, sealed_signing_keys = ?,
       events = ?, fingerprint = ?, verified = ?, state = ?, state_reason = ?, failing_since = ?,
       updated_at = ?
     WHERE uid = ? RETURNING *`,
    [
      config.url,
      config.endpoint,
      config.version,
      config.authScheme,
      JSON.stringify(config.authNames),
      config.authProfile,
      config.sealedCredentials,
      config.sealedToken,
      config.sealedSigningKeys,
      config.events,
      config.fingerprint,
      config.verified ? 1 : 0,
      config.state,
      config.stateReason,
      config.failingSince?.getTime() ?? null,
      now.getTime(),
      uid,
    ],
  );
  return toConfig(row!);
}

/**
 * The lane goes on at once with what it has left, under its config as it is now; a paused one keeps it.
 * A claim made under the old config ends here: it can send and record nothing more. `remake`: the bytes
 * have to be made again.
 */
export function* goOn(
  tx: Tx,
  laneId: string,
  config: PushConfig,
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
    [config.endpoint, config.events === 'all' ? 1 : 0, at, at, laneId],
  );
  yield* tx.run(
    `UPDATE push_deliveries SET tries = 0, rejections = 0, next_attempt_at = NULL, endpoint = ?,
       body = CASE WHEN ? = 1 THEN NULL ELSE body END, updated_at = ?
     WHERE lane_id = ? AND state IN ('pending', 'retrying')`,
    [config.endpoint, remake ? 1 : 0, at, laneId],
  );
}

/** The lane has told all, or was disabled: it begins again with the task as it is now. */
export function* restartLane(
  tx: Tx,
  snapshotId: string,
  laneId: string,
  config: PushConfig,
  seq: number,
  now: Date,
): Work<void> {
  const at = now.getTime();
  const [row] = yield* tx.all<LaneRow>(
    `UPDATE push_lanes SET endpoint = ?, every_event = ?, active = 1, next_seq = ?, head_seq = ?,
       cursor = NULL, last_state = NULL, open = 1, last_number = last_number + 1, due_at = ?,
       owner = NULL, lease_until = NULL, epoch = epoch + 1, updated_at = ?
     WHERE id = ? RETURNING *`,
    [config.endpoint, config.events === 'all' ? 1 : 0, seq + 1, seq, at, at, laneId],
  );
  yield* insertSnapshot(tx, snapshotId, laneId, config, seq, row!.last_number, now);
}

/**
 * Deletes the config with its lane; what it had left to tell becomes dead letters. False when there is
 * none.
 */
export function* deleteWebhook(tx: Tx, ids: IdSource, config: ConfigRow, now: Date): Work<boolean> {
  const lanes = yield* lockLanes(tx, config);
  yield* forgetLanes(tx, ids, lanes, DELETED, now);
  return lanes.length > 0;
}
