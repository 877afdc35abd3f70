import { Injectable } from '@nestjs/common';
import type { Visibility } from '../../../auth/index.js';
import { HubError } from '../../../common/hub-error.js';
import { IdSource } from '../../../common/ids.js';
import { Database } from '../../../database/database.js';
import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import {
  type ConfigChange,
  type ConfigFilter,
  type ConfigProgress,
  ManagedConfigStore,
  type Replay,
  type ReplayStart,
  type TestRecord,
  refuseOfSubscription,
} from '../../configs/managed-config-store.js';
import type { Delivery } from '../../deliveries/delivery.js';
import type { PushConfig } from '../../configs/push-config.js';
import { recordTest } from '../deliveries/record-test.js';
import { readProgress } from './config-progress.js';
import { type ConfigRow, type LaneRow, toConfig, visible } from '../push-rows.js';
import { replayLane } from '../deliveries/replay-lane.js';
import { shownAs, shownWebhooks } from './shown-webhooks.js';
import {
  deleteWebhook,
  goOn,
  hearEveryEvent,
  lockLanes,
  lockTask,
  restartLane,
  updateConfig,
} from './webhook-writes.js';

/** A config, its lane and its task, locked. */
interface Held {
  readonly row: ConfigRow;
  readonly lane: LaneRow;
  /** The newest entry of the task's log. */
  readonly seq: number;
}

/** {@link ManagedConfigStore} on the hub's database. */
@Injectable()
export class SqlManagedConfigStore extends ManagedConfigStore {
  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
  ) {
    super();
  }

  async search(
    filter: ConfigFilter,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<PushConfig[]> {
    const { sql, params } = conditionsOf(filter, visibility, cursor);
    const rows = await this.database.read<ConfigRow>(
      `SELECT * FROM push_configs WHERE ${sql} ORDER BY uid DESC LIMIT ?`,
      [...params, limit],
    );
    return shownWebhooks(this.database, rows);
  }

  async find(uid: string, visibility: Visibility): Promise<PushConfig | undefined> {
    const scope = visible(visibility);
    const rows = await this.database.read<ConfigRow>(
      `SELECT * FROM push_configs WHERE uid = ? AND ${scope.sql}`,
      [storable(uid), ...scope.params],
    );
    return (await shownWebhooks(this.database, rows))[0];
  }

  progress(config: PushConfig): Promise<ConfigProgress> {
    return readProgress(this.database, config);
  }

  change(
    uid: string,
    visibility: Visibility,
    expected: string,
    change: ConfigChange,
    now: Date,
  ): Promise<PushConfig | undefined> {
    return this.held(uid, visibility, function* (tx, { row, lane }) {
      refuseOfSubscription(row.subscription_id);
      if (row.fingerprint !== expected) {
        throw new HubError('CONFLICT', 'The webhook was changed meanwhile; read it and try again.');
      }
      const config = yield* updateConfig(tx, row.uid, { ...toConfig(row), ...change }, now);
      if (config.events === 'all') yield* hearEveryEvent(tx, [row.task_id]);
      if (lane.active !== 0) yield* goOn(tx, lane.id, config, now);
      return config;
    });
  }

  pause(uid: string, visibility: Visibility, now: Date): Promise<PushConfig | undefined> {
    return this.held(uid, visibility, function* (tx, { row, lane }) {
      refuseOfSubscription(row.subscription_id);
      if (lane.active === 0) throw disabled('be paused');
      if (lane.active === 2 && row.state === 'paused') return toConfig(row);
      yield* tx.run(
        'UPDATE push_lanes SET active = 2, due_at = NULL, updated_at = ? WHERE id = ?',
        [now.getTime(), lane.id],
      );
      const paused = { state: 'paused', stateReason: null } as const;
      return yield* updateConfig(tx, row.uid, { ...toConfig(row), ...paused }, now);
    });
  }

  resume(uid: string, visibility: Visibility, now: Date): Promise<PushConfig | undefined> {
    const snapshotId = this.ids.next();
    return this.held(uid, visibility, function* (tx, { row, lane, seq }) {
      refuseOfSubscription(row.subscription_id);
      if (row.state === 'active' && lane.active === 1) return toConfig(row);
      const active = { state: 'active', stateReason: null, failingSince: null } as const;
      const config = yield* updateConfig(tx, row.uid, { ...toConfig(row), ...active }, now);
      if (lane.active === 0) {
        yield* restartLane(tx, snapshotId, lane.id, config, seq, now);
        return config;
      }
      yield* tx.run('UPDATE push_lanes SET active = 1 WHERE id = ?', [lane.id]);
      yield* goOn(tx, lane.id, config, now);
      return config;
    });
  }

  replay(
    uid: string,
    visibility: Visibility,
    from: ReplayStart,
    now: Date,
  ): Promise<Replay | undefined> {
    return this.held(uid, visibility, function* (tx, { lane, seq }) {
      if (lane.active === 0) throw disabled('tell anything again');
      return yield* replayLane(tx, lane, seq, from, now);
    });
  }

  async remove(uid: string, visibility: Visibility, now: Date): Promise<boolean> {
    const { ids } = this;
    const removed = await this.held(uid, visibility, function* (tx, { row }) {
      refuseOfSubscription(row.subscription_id);
      return yield* deleteWebhook(tx, ids, row, now);
    });
    return removed ?? false;
  }

  recordTest(config: PushConfig, test: TestRecord): Promise<Delivery | undefined> {
    return this.database.write((tx) => recordTest(tx, config, test));
  }

  /** Does `work` with a config that nobody else changes meanwhile; undefined when there is none. */
  private held<T>(
    uid: string,
    visibility: Visibility,
    work: (tx: Tx, held: Held) => Work<T>,
  ): Promise<T | undefined> {
    const scope = visible(visibility);
    const query = `SELECT * FROM push_configs WHERE uid = ? AND ${scope.sql}`;
    const params = [storable(uid), ...scope.params];
    return this.database.write(function* (tx) {
      const [found] = yield* tx.all<ConfigRow>(query, params);
      if (!found) return undefined;
      const seq = yield* lockTask(tx, found.task_id);
      const [lane] = yield* lockLanes(tx, found);
      // As it is now that nobody else can change it.
      const [row] = yield* tx.all<ConfigRow>(query, params);
      return row && lane ? yield* work(tx, { row, lane, seq }) : undefined;
    });
  }
}

function conditionsOf(
  filter: ConfigFilter,
  visibility: Visibility,
  cursor: string | null,
): { sql: string; params: SqlValue[] } {
  const scope = visible(visibility);
  const conditions = [scope.sql];
  const params: SqlValue[] = [...scope.params];
  const where = (sql: string, value: string | null | undefined): void => {
    if (value === null || value === undefined) return;
    conditions.push(sql);
    params.push(storable(value));
  };
  where('task_id = ?', filter.taskId);
  where('principal_id = ?', filter.principalId);
  where('organization = ?', filter.organization);
  where('subscription_id = ?', filter.subscriptionId);
  where('uid < ?', cursor);
  for (const shown of shownAs(filter)) {
    conditions.push(shown.sql);
    params.push(...shown.params);
  }
  return { sql: conditions.join(' AND '), params };
}

function disabled(what: string): HubError {
  return new HubError('CONFLICT', `The webhook is disabled and cannot ${what}; resume it first.`);
}
