import { Injectable } from '@nestjs/common';
import { IdSource } from '../../common/ids.js';
import { Database } from '../../database/database.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import type { OpenDelivery } from '../delivery.js';
import type { LaneCursor } from '../domain/delivery-plan.js';
import { type LaneCaps, type LaneCandidate, chooseLanes } from '../domain/lane-choice.js';
import {
  type DeliveryDraft,
  type DueMark,
  type Lane,
  LaneStore,
  type Reached,
  type Settlement,
  type StepResult,
} from '../lane-store.js';
import type { PushConfig } from '../push-config.js';
import {
  type ConfigRow,
  type DeliveryRow,
  type LaneRow,
  forUpdate,
  marks,
  toConfig,
  toDelivery,
} from './push-rows.js';
import { endOpen } from './sql-push-config.store.js';

/** Due lanes looked at for one claim, as a multiple of those it may take. */
const LOOK_AHEAD = 4;
/** Row counts of {@link SqlLaneStore.markDue}; few, so that few statements are prepared. */
const MARK_SIZES = [1, 4, 16, 64, 256];

const OPEN = `state IN ('pending', 'retrying')`;

/** {@link LaneStore} on the hub's database. */
@Injectable()
export class SqlLaneStore extends LaneStore {
  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
  ) {
    super();
  }

  *markDue(tx: Tx, due: readonly DueMark[], now: Date): Work<void> {
    const largest = MARK_SIZES.at(-1)!;
    for (let from = 0; from < due.length; from += largest) {
      const batch = due.slice(from, from + largest);
      const size = MARK_SIZES.find((each) => each >= batch.length) ?? batch.length;
      const params: SqlValue[] = [now.getTime()];
      for (let i = 0; i < size; i++) {
        const mark = batch[Math.min(i, batch.length - 1)]!;
        params.push(mark.taskId, mark.seq, mark.when === 'always' ? -1 : mark.when);
      }
      yield* tx.run(markStatement(size), params);
    }
  }

  claim(owner: string, now: Date, leaseMs: number, caps: LaneCaps): Promise<Lane[]> {
    const at = now.getTime();
    return this.database.write(function* (tx) {
      const busy = yield* busyEndpoints(tx, at);
      const due = yield* dueLanes(tx, at, busy, caps);
      const chosen = chooseLanes(due, busy, caps);
      if (chosen.length === 0) return [];
      const rows = yield* tx.all<LaneRow>(
        `UPDATE push_lanes SET owner = ?, lease_until = ?, epoch = epoch + 1, updated_at = ?
         WHERE id IN (${marks(chosen.length)}) RETURNING *`,
        [owner, at + leaseMs, at, ...chosen],
      );
      const uids = [...new Set(rows.map((row) => row.config_uid))];
      const configs = yield* tx.all<ConfigRow>(
        `SELECT * FROM push_configs WHERE uid IN (${marks(uids.length)})`,
        uids,
      );
      const byUid = new Map(configs.map((row) => [row.uid, toConfig(row)]));
      return rows.map((row) => toLane(row, byUid.get(row.config_uid)!));
    });
  }

  async nextDueAt(now: Date): Promise<Date | null> {
    const [row] = await this.database.read<{ due_at: number }>(
      `SELECT due_at FROM push_lanes
       WHERE due_at IS NOT NULL AND (lease_until IS NULL OR lease_until <= ?)
       ORDER BY due_at LIMIT 1`,
      [now.getTime()],
    );
    return row ? new Date(Number(row.due_at)) : null;
  }

  async firstOpen(laneId: string): Promise<OpenDelivery | undefined> {
    const [row] = await this.database.read<DeliveryRow>(
      `SELECT * FROM push_deliveries WHERE lane_id = ? AND ${OPEN} ORDER BY number LIMIT 1`,
      [laneId],
    );
    return row && { ...toDelivery(row), body: row.body };
  }

  reach(lane: Lane, reached: Reached, now: Date, leaseUntil: Date): Promise<StepResult> {
    const { nextSeq, cursor, deliveries } = reached;
    const at = now.getTime();
    const ids = deliveries.map(() => this.ids.next());
    return this.database.write(function* (tx) {
      const [row] = yield* tx.all<LaneRow>(
        `UPDATE push_lanes SET next_seq = ?, cursor = ?, last_state = ?, open = open + ?,
           last_number = last_number + ?, updated_at = ?,
           ${restsUnless('open + ? > 0 OR head_seq >= ?')}
         WHERE id = ? AND epoch = ? RETURNING *`,
        [
          nextSeq,
          JSON.stringify(cursor),
          cursor.state,
          deliveries.length,
          deliveries.length,
          at,
          ...[deliveries.length, nextSeq],
          ...[deliveries.length, nextSeq, leaseUntil.getTime()],
          lane.id,
          lane.epoch,
        ],
      );
      if (!row) return 'lost';
      const before = row.last_number - deliveries.length;
      for (const [i, draft] of deliveries.entries()) {
        yield* insertDelivery(tx, ids[i]!, lane, draft, before + i + 1, at);
      }
      return toStep(row, lane.config);
    });
  }

  async keepBody(
    lane: Lane,
    deliveryId: string,
    body: string,
    contentType: string,
  ): Promise<boolean> {
    const changes = await this.database.write((tx) =>
      tx.run(
        `UPDATE push_deliveries SET body = ?, content_type = ? WHERE id = ? AND EXISTS
           (SELECT 1 FROM push_lanes l WHERE l.id = push_deliveries.lane_id AND l.epoch = ?)`,
        [body, contentType, deliveryId, lane.epoch],
      ),
    );
    return changes > 0;
  }

  settle(lane: Lane, settlement: Settlement, now: Date, leaseUntil: Date): Promise<StepResult> {
    return this.database.write(function* (tx) {
      const row = yield* settleLane(tx, lane, settlement, now, leaseUntil);
      if (!row) return 'lost';
      yield* settleDelivery(tx, settlement, now);
      const config = yield* settleConfig(tx, lane.config, settlement, now);
      if (settlement.result.state === 'dead' && settlement.result.consequence === 'disabled') {
        yield* endOpen(tx, lane.id, 'the webhook is disabled', now);
      }
      return toStep(row, config);
    });
  }

  async release(lane: Lane, dueAt: Date): Promise<void> {
    await this.database.write((tx) =>
      tx.run(
        `UPDATE push_lanes SET owner = NULL, lease_until = NULL,
           due_at = CASE WHEN due_at IS NULL THEN NULL ELSE CAST(? AS bigint) END
         WHERE id = ? AND epoch = ?`,
        [dueAt.getTime(), lane.id, lane.epoch],
      ),
    );
  }

  releaseOthers(owner: string): Promise<number> {
    return this.database.write((tx) =>
      tx.run(
        `UPDATE push_lanes SET owner = NULL, lease_until = NULL, epoch = epoch + 1
         WHERE lease_until IS NOT NULL AND owner <> ?`,
        [owner],
      ),
    );
  }

  prune(before: Date, limit: number): Promise<number> {
    const params = [before.getTime(), limit];
    return this.database.write(function* (tx) {
      const attempts = yield* tx.run(
        `DELETE FROM push_attempts WHERE (delivery_id, number) IN
           (SELECT delivery_id, number FROM push_attempts WHERE at < ? LIMIT ?)`,
        params,
      );
      const delivered = yield* tx.run(
        `DELETE FROM push_deliveries WHERE id IN (SELECT id FROM push_deliveries
           WHERE state = 'delivered' AND updated_at < ? ORDER BY id LIMIT ?)`,
        params,
      );
      return attempts + delivered;
    });
  }
}

const markStatements = new Map<number, string>();

function markStatement(size: number): string {
  let sql = markStatements.get(size);
  if (sql === undefined) {
    const row = '(CAST(? AS text), CAST(? AS integer), CAST(? AS integer))';
    sql = `UPDATE push_lanes SET head_seq = v.column2, due_at = COALESCE(due_at, ?)
      FROM (VALUES ${Array.from({ length: size }, () => row).join(', ')}) AS v
      WHERE push_lanes.task_id = v.column1 AND push_lanes.active = 1
        AND (v.column3 < 0 OR push_lanes.due_at IS NOT NULL OR push_lanes.last_state IS NULL
          OR push_lanes.last_state <> v.column3)`;
    markStatements.set(size, sql);
  }
  return sql;
}

/**
 * The lane stays due and leased while `goesOn` holds; else it rests and the claim ends. The
 * parameters of `goesOn` come twice, then the lease.
 */
function restsUnless(goesOn: string): string {
  return `due_at = CASE WHEN ${goesOn} THEN due_at ELSE NULL END,
    lease_until = CASE WHEN ${goesOn} THEN CAST(? AS bigint) ELSE NULL END`;
}

function* busyEndpoints(tx: Tx, at: number): Work<Map<string, number>> {
  const rows = yield* tx.all<{ endpoint: string; total: number }>(
    'SELECT endpoint, COUNT(*) AS total FROM push_lanes WHERE lease_until > ? GROUP BY endpoint',
    [at],
  );
  return new Map(rows.map((row) => [row.endpoint, Number(row.total)]));
}

function* dueLanes(
  tx: Tx,
  at: number,
  busy: ReadonlyMap<string, number>,
  caps: LaneCaps,
): Work<LaneCandidate[]> {
  const full = [...busy].filter(([, count]) => count >= caps.perEndpoint).map(([each]) => each);
  const others = full.length > 0 ? `AND endpoint NOT IN (${marks(full.length)})` : '';
  return yield* tx.all<LaneCandidate>(
    `SELECT id, organization, endpoint FROM push_lanes
     WHERE due_at <= ? AND (lease_until IS NULL OR lease_until <= ?) ${others}
     ORDER BY due_at LIMIT ?${forUpdate(tx, true)}`,
    [at, at, ...full, caps.free * LOOK_AHEAD],
  );
}

function* insertDelivery(
  tx: Tx,
  id: string,
  lane: Lane,
  draft: DeliveryDraft,
  number: number,
  at: number,
): Work<void> {
  yield* tx.run(
    `INSERT INTO push_deliveries (id, lane_id, task_id, config_id, organization, principal_id,
       number, seq, kind, artifact_id, webhook_id, state, attempts, tries, redelivered, body,
       content_type, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, 0, 0, ?, ?, ?, ?)`,
    [
      id,
      lane.id,
      lane.config.taskId,
      lane.config.configId,
      lane.config.organization,
      lane.config.principalId,
      number,
      draft.seq,
      draft.kind,
      storable(draft.artifactId),
      draft.webhookId,
      draft.body,
      draft.contentType,
      at,
      at,
    ],
  );
}

/** The lane after one of its deliveries was tried; undefined when the claim is over. */
function* settleLane(
  tx: Tx,
  lane: Lane,
  { delivery, result }: Settlement,
  now: Date,
  leaseUntil: Date,
): Work<LaneRow | undefined> {
  const own = [now.getTime(), lane.id, lane.epoch];
  const where = 'updated_at = ? WHERE id = ? AND epoch = ? RETURNING *';
  if (result.state === 'retrying') {
    const rows = yield* tx.all<LaneRow>(
      `UPDATE push_lanes SET due_at = ?, owner = NULL, lease_until = NULL, ${where}`,
      [result.at.getTime(), ...own],
    );
    return rows[0];
  }
  const gap = delivery.redelivered
    ? 'gap_seq'
    : result.state === 'delivered'
      ? 'NULL'
      : `COALESCE(gap_seq, ${delivery.seq})`;
  if (result.state === 'dead' && result.consequence === 'disabled') {
    const rows = yield* tx.all<LaneRow>(
      `UPDATE push_lanes SET active = 0, open = 0, gap_seq = ${gap}, due_at = NULL, owner = NULL,
         lease_until = NULL, ${where}`,
      own,
    );
    return rows[0];
  }
  const rows = yield* tx.all<LaneRow>(
    `UPDATE push_lanes SET open = open - 1, gap_seq = ${gap},
       ${restsUnless('open > 1 OR head_seq >= next_seq')}, ${where}`,
    [leaseUntil.getTime(), ...own],
  );
  return rows[0];
}

function* settleDelivery(
  tx: Tx,
  { delivery, attempt, result }: Settlement,
  now: Date,
): Work<void> {
  const tried = attempt ? 1 : 0;
  yield* tx.run(
    `UPDATE push_deliveries SET state = ?, attempts = attempts + ?, tries = tries + ?,
       next_attempt_at = ?, last_status = ?, reason = ?,
       body = CASE WHEN ? = 1 THEN NULL ELSE body END, updated_at = ? WHERE id = ?`,
    [
      result.state,
      tried,
      tried,
      result.state === 'retrying' ? result.at.getTime() : null,
      attempt ? attempt.status : delivery.lastStatus,
      result.state === 'delivered' ? null : storable(result.reason),
      result.state === 'delivered' ? 1 : 0,
      now.getTime(),
      delivery.id,
    ],
  );
  if (!attempt) return;
  yield* tx.run(
    `INSERT INTO push_attempts (delivery_id, number, at, duration_ms, status, error, response)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [
      delivery.id,
      attempt.number,
      attempt.at.getTime(),
      attempt.durationMs,
      attempt.status,
      attempt.error,
      storable(attempt.response),
    ],
  );
}

function* settleConfig(
  tx: Tx,
  config: PushConfig,
  { result }: Settlement,
  now: Date,
): Work<PushConfig> {
  let next: Pick<PushConfig, 'state' | 'stateReason' | 'failingSince'> | undefined;
  if (result.state === 'delivered' && (config.state === 'failing' || config.failingSince)) {
    next = { state: 'active', stateReason: null, failingSince: null };
  } else if (result.state === 'dead' && result.consequence !== 'none') {
    next = {
      state: result.consequence,
      stateReason: result.reason,
      failingSince: config.failingSince ?? now,
    };
  } else if (result.state === 'retrying' && config.failingSince === null) {
    next = { state: config.state, stateReason: config.stateReason, failingSince: now };
  }
  if (!next) return config;
  yield* tx.run(
    `UPDATE push_configs SET state = ?, state_reason = ?, failing_since = ?, updated_at = ?
     WHERE uid = ?`,
    [
      next.state,
      storable(next.stateReason),
      next.failingSince?.getTime() ?? null,
      now.getTime(),
      config.uid,
    ],
  );
  return { ...config, ...next };
}

function toStep(row: LaneRow, config: PushConfig): StepResult {
  return row.lease_until === null ? 'rests' : toLane(row, config);
}

function toLane(row: LaneRow, config: PushConfig): Lane {
  return {
    id: row.id,
    config,
    epoch: row.epoch,
    leaseUntil: new Date(Number(row.lease_until)),
    nextSeq: row.next_seq,
    cursor: row.cursor === null ? null : (JSON.parse(row.cursor) as LaneCursor),
    open: row.open,
    gapSeq: row.gap_seq,
  };
}
