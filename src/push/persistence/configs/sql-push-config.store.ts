import { Injectable } from '@nestjs/common';
import { invalidField } from '../../../common/hub-error.js';
import { IdSource } from '../../../common/ids.js';
import { Database } from '../../../database/database.js';
import type { Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import { type AttachOptions, PushConfigStore } from '../../configs/push-config-store.js';
import type { PushConfig, PushConfigDraft } from '../../configs/push-config.js';
import { type ConfigRow, toConfig } from '../push-rows.js';
import {
  deleteWebhook,
  goOn,
  hearEveryEvent,
  insertConfig,
  insertLane,
  lockLanes,
  lockTask,
  restartLane,
  updateConfig,
} from './webhook-writes.js';

const MAX_CONFIGS_PER_TASK = 100;

/** Those that clients have registered on this task, not those of standing subscriptions. */
const OF_CLIENTS = 'task_id = ? AND subscription_id IS NULL';

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
    const seq = yield* lockTask(tx, taskId);
    const existing = yield* this.existing(tx, taskId, draft);
    if (existing) {
      const repeated = existing.fingerprint === draft.fingerprint && existing.state !== 'disabled';
      if (repeated && options.repeated === 'leave') return toConfig(existing);
    }
    if (draft.events === 'all') yield* hearEveryEvent(tx, [taskId]);
    if (existing) return yield* this.replace(tx, existing, seq, draft, options.now);
    yield* refuseTooMany(tx, taskId);
    const config = yield* insertConfig(tx, taskId, draft, options.now);
    yield* insertLane(tx, this.ids, config, seq, options.now);
    return config;
  }

  async get(taskId: string, configId: string): Promise<PushConfig | undefined> {
    const rows = await this.database.read<ConfigRow>(
      `SELECT * FROM push_configs WHERE ${OF_CLIENTS} AND config_id = ?`,
      [taskId, storable(configId)],
    );
    return rows.map(toConfig)[0];
  }

  async list(taskId: string, limit: number, afterUid: string | null): Promise<PushConfig[]> {
    const rows = await this.database.read<ConfigRow>(
      `SELECT * FROM push_configs WHERE ${OF_CLIENTS} AND uid > ? ORDER BY uid LIMIT ?`,
      [taskId, afterUid ?? '', limit],
    );
    return rows.map(toConfig);
  }

  remove(taskId: string, configId: string, now: Date): Promise<boolean> {
    const { ids } = this;
    return this.database.write(function* (tx) {
      yield* lockTask(tx, taskId);
      const [config] = yield* tx.all<ConfigRow>(
        `SELECT * FROM push_configs WHERE ${OF_CLIENTS} AND config_id = ?`,
        [taskId, storable(configId)],
      );
      return config !== undefined && (yield* deleteWebhook(tx, ids, config, now));
    });
  }

  private *existing(tx: Tx, taskId: string, draft: PushConfigDraft): Work<ConfigRow | undefined> {
    const [column, value] =
      draft.configId === null ? ['url', draft.url] : ['config_id', draft.configId];
    const [row] = yield* tx.all<ConfigRow>(
      `SELECT * FROM push_configs WHERE ${OF_CLIENTS} AND ${column} = ? ORDER BY uid LIMIT 1`,
      [taskId, value],
    );
    return row;
  }

  private *replace(
    tx: Tx,
    existing: ConfigRow,
    seq: number,
    draft: PushConfigDraft,
    now: Date,
  ): Work<PushConfig> {
    const lanes = yield* lockLanes(tx, existing);
    const active = { state: 'active', stateReason: null, failingSince: null } as const;
    const config = yield* updateConfig(tx, existing.uid, { ...draft, ...active }, now);
    yield* tx.run('UPDATE push_configs SET set_by = ? WHERE uid = ?', [
      draft.setBy ?? null,
      existing.uid,
    ]);
    for (const lane of lanes) {
      // A paused lane is told again as well: who sets its config again wants to hear.
      const behind = lane.open > 0 || lane.head_seq >= lane.next_seq;
      if (lane.active === 0 || !behind) {
        yield* restartLane(tx, this.ids.next(), lane.id, config, seq, now);
        continue;
      }
      if (lane.active === 2) {
        yield* tx.run('UPDATE push_lanes SET active = 1 WHERE id = ?', [lane.id]);
      }
      yield* goOn(tx, lane.id, config, now, existing.version !== draft.version);
    }
    return config;
  }
}

function* refuseTooMany(tx: Tx, taskId: string): Work<void> {
  const [{ total } = { total: 0 }] = yield* tx.all<{ total: number }>(
    `SELECT COUNT(*) AS total FROM push_configs WHERE ${OF_CLIENTS}`,
    [taskId],
  );
  if (Number(total) >= MAX_CONFIGS_PER_TASK) {
    throw invalidField('taskId', `the task has ${MAX_CONFIGS_PER_TASK} webhooks already`);
  }
}
