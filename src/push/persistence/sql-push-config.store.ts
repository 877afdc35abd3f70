import { Injectable } from '@nestjs/common';
import { invalidField } from '../../common/hub-error.js';
import { IdSource } from '../../common/ids.js';
import { Database } from '../../database/database.js';
import type { Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import { FIRST_MESSAGE_SEQ } from '../../tasks/index.js';
import { type AttachOptions, PushConfigStore } from '../push-config-store.js';
import type { PushConfig, PushConfigDraft } from '../push-config.js';
import { snapshotWebhookId } from '../domain/webhook-id.js';
import { type ConfigRow, type LaneRow, forUpdate, toConfig } from './push-rows.js';

const MAX_CONFIGS_PER_TASK = 100;

/** {@link PushConfigStore} on the hub's database. */
@Injectable()
export class SqlPushConfigStore extends PushConfigStore {
  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
  ) {
    super();
  }

  set(taskId: string, draft: PushConfigDraft, options: AttachOptions): Promise<PushConfig> {
    return this.database.write((tx) => this.attach(tx, taskId, draft, options));
  }

  *attach(
    tx: Tx,
    taskId: string,
    draft: PushConfigDraft,
    options: AttachOptions,
  ): Work<PushConfig> {
    // The lock keeps appends to this task out until the lane is there: each is either in this seq or
    // finds the lane.
    const [task] = yield* tx.all<{ seq: number }>(
      `SELECT seq FROM tasks WHERE id = ?${forUpdate(tx)}`,
      [taskId],
    );
    const seq = task?.seq ?? FIRST_MESSAGE_SEQ;
    const existing = yield* this.existing(tx, taskId, draft);
    if (!existing) return yield* this.insert(tx, taskId, seq, draft, options.now);
    const repeated = existing.fingerprint === draft.fingerprint && existing.state !== 'disabled';
    if (repeated && options.repeated === 'leave') return toConfig(existing);
    return yield* this.replace(tx, existing, seq, draft, options.now);
  }

  async get(taskId: string, configId: string): Promise<PushConfig | undefined> {
    const rows = await this.database.read<ConfigRow>(
      'SELECT * FROM push_configs WHERE task_id = ? AND config_id = ?',
      [taskId, storable(configId)],
    );
    return rows.map(toConfig)[0];
  }

  async list(taskId: string, limit: number, afterUid: string | null): Promise<PushConfig[]> {
    const rows = await this.database.read<ConfigRow>(
      'SELECT * FROM push_configs WHERE task_id = ? AND uid > ? ORDER BY uid LIMIT ?',
      [taskId, afterUid ?? '', limit],
    );
    return rows.map(toConfig);
  }

  remove(taskId: string, givenId: string, now: Date): Promise<boolean> {
    const configId = storable(givenId);
    return this.database.write(function* (tx) {
      const lanes = yield* tx.all<{ id: string }>(
        `DELETE FROM push_lanes WHERE task_id = ? AND config_uid IN
           (SELECT uid FROM push_configs WHERE task_id = ? AND config_id = ?) RETURNING id`,
        [taskId, taskId, configId],
      );
      for (const { id } of lanes) yield* endOpen(tx, id, 'the webhook was deleted', now);
      const removed = yield* tx.run(
        'DELETE FROM push_configs WHERE task_id = ? AND config_id = ?',
        [taskId, configId],
      );
      return removed > 0;
    });
  }

  private *existing(tx: Tx, taskId: string, draft: PushConfigDraft): Work<ConfigRow | undefined> {
    const [row] =
      draft.configId !== null
        ? yield* tx.all<ConfigRow>(
            'SELECT * FROM push_configs WHERE task_id = ? AND config_id = ?',
            [taskId, draft.configId],
          )
        : yield* tx.all<ConfigRow>(
            'SELECT * FROM push_configs WHERE task_id = ? AND url = ? ORDER BY uid LIMIT 1',
            [taskId, draft.url],
          );
    return row;
  }

  private *insert(
    tx: Tx,
    taskId: string,
    seq: number,
    draft: PushConfigDraft,
    now: Date,
  ): Work<PushConfig> {
    const [{ total } = { total: 0 }] = yield* tx.all<{ total: number }>(
      'SELECT COUNT(*) AS total FROM push_configs WHERE task_id = ?',
      [taskId],
    );
    if (Number(total) >= MAX_CONFIGS_PER_TASK) {
      throw invalidField('taskId', `the task has ${MAX_CONFIGS_PER_TASK} webhooks already`);
    }
    const at = now.getTime();
    const [row] = yield* tx.all<ConfigRow>(
      `INSERT INTO push_configs (uid, task_id, config_id, principal_id, organization, url, endpoint,
         version, auth_scheme, auth_names, auth_profile, sealed_credentials, sealed_token,
         sealed_signing_keys, events, subscription_id, fingerprint, verified, traceparent, state,
         created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'active', ?, ?) RETURNING *`,
      [
        draft.uid,
        taskId,
        draft.configId ?? draft.uid,
        draft.principalId,
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
    const config = toConfig(row!);
    // The lane of a task that has just begun reads the log from its start; else it begins with a
    // snapshot of the task as it is now.
    const fresh = seq <= FIRST_MESSAGE_SEQ;
    const laneId = this.ids.next();
    yield* tx.run(
      `INSERT INTO push_lanes (id, task_id, config_uid, organization, endpoint, active, next_seq,
         head_seq, open, last_number, due_at, epoch, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, 0, ?, ?)`,
      [
        laneId,
        taskId,
        config.uid,
        config.organization,
        config.endpoint,
        fresh ? 1 : seq + 1,
        seq,
        fresh ? 0 : 1,
        fresh ? 0 : 1,
        at,
        at,
        at,
      ],
    );
    if (!fresh) yield* this.snapshot(tx, laneId, config, seq, 1, now);
    return config;
  }

  private *replace(
    tx: Tx,
    existing: ConfigRow,
    seq: number,
    draft: PushConfigDraft,
    now: Date,
  ): Work<PushConfig> {
    // Lanes before configs, as everywhere: two transactions must not wait for each other.
    const lanes = yield* tx.all<LaneRow>(
      `SELECT * FROM push_lanes WHERE task_id = ? AND config_uid = ?${forUpdate(tx)}`,
      [existing.task_id, existing.uid],
    );
    const at = now.getTime();
    const [row] = yield* tx.all<ConfigRow>(
      `UPDATE push_configs SET url = ?, endpoint = ?, version = ?, auth_scheme = ?, auth_names = ?,
         auth_profile = ?, sealed_credentials = ?, sealed_token = ?, sealed_signing_keys = ?,
         events = ?, fingerprint = ?, verified = ?, state = 'active',
         state_reason = NULL, failing_since = NULL, updated_at = ?
       WHERE uid = ? RETURNING *`,
      [
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
        draft.fingerprint,
        draft.verified ? 1 : 0,
        at,
        existing.uid,
      ],
    );
    const config = toConfig(row!);
    for (const lane of lanes) {
      if (lane.active === 1 && lane.due_at !== null) {
        yield* this.resume(tx, lane, config, existing.version !== draft.version, now);
      } else {
        yield* this.restart(tx, lane, config, seq, now);
      }
    }
    return config;
  }

  /** The lane has something left: it goes on with it at once, under the new registration. */
  private *resume(
    tx: Tx,
    lane: LaneRow,
    config: PushConfig,
    otherVersion: boolean,
    now: Date,
  ): Work<void> {
    const at = now.getTime();
    yield* tx.run(
      `UPDATE push_lanes SET endpoint = ?, epoch = epoch + 1, owner = NULL, lease_until = NULL,
         due_at = ?, updated_at = ? WHERE id = ?`,
      [config.endpoint, at, at, lane.id],
    );
    yield* tx.run(
      `UPDATE push_deliveries SET tries = 0, rejections = 0, next_attempt_at = NULL,
         body = CASE WHEN ? = 1 THEN NULL ELSE body END, updated_at = ?
       WHERE lane_id = ? AND state IN ('pending', 'retrying')`,
      [otherVersion ? 1 : 0, at, lane.id],
    );
  }

  /** The lane has told all, or was disabled: it begins again with the task as it is now. */
  private *restart(tx: Tx, lane: LaneRow, config: PushConfig, seq: number, now: Date): Work<void> {
    const at = now.getTime();
    const [row] = yield* tx.all<LaneRow>(
      `UPDATE push_lanes SET endpoint = ?, active = 1, next_seq = ?, head_seq = ?, cursor = NULL,
         last_state = NULL, open = 1, last_number = last_number + 1, due_at = ?, owner = NULL,
         lease_until = NULL, epoch = epoch + 1, updated_at = ? WHERE id = ? RETURNING *`,
      [config.endpoint, seq + 1, seq, at, at, lane.id],
    );
    yield* this.snapshot(tx, lane.id, config, seq, row!.last_number, now);
  }

  private *snapshot(
    tx: Tx,
    laneId: string,
    config: PushConfig,
    seq: number,
    number: number,
    now: Date,
  ): Work<void> {
    yield* tx.run(
      `INSERT INTO push_deliveries (id, lane_id, task_id, config_id, organization, principal_id,
         number, seq, kind, webhook_id, state, attempts, tries, rejections, redelivered,
         created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'snapshot', ?, 'pending', 0, 0, 0, 0, ?, ?)`,
      [
        this.ids.next(),
        laneId,
        config.taskId,
        config.configId,
        config.organization,
        config.principalId,
        number,
        seq,
        snapshotWebhookId(config.uid, seq, number),
        now.getTime(),
        now.getTime(),
      ],
    );
  }
}

/** Ends what a lane had open, as dead letters with that reason. */
export function* endOpen(tx: Tx, laneId: string, reason: string, now: Date): Work<number> {
  return yield* tx.run(
    `UPDATE push_deliveries SET state = 'dead', reason = ?, next_attempt_at = NULL, updated_at = ?
     WHERE lane_id = ? AND state IN ('pending', 'retrying')`,
    [reason, now.getTime(), laneId],
  );
}
