import { Injectable } from '@nestjs/common';
import { IdSource } from '../../common/ids.js';
import { Database } from '../../database/database.js';
import { flatten, pieces, typedRows } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import type { OpenDelivery } from '../delivery.js';
import { type LaneCaps, LaneTurns } from '../domain/lane-choice.js';
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
import { claimLanes } from './claim-lanes.js';
import { forgetTasks } from './forget-tasks.js';
import { type DeliveryRow, type LaneRow, toDelivery, toLane } from './push-rows.js';
import { restsUnless, settleConfig, settleDelivery, settleLane } from './settle-lane.js';
import { endOpen } from './sql-push-config.store.js';

/** In the place of a state: no condition. */
const ALWAYS = -1;

/** A lane that is not at rest may be about to: it has to look again, whatever it knows. */
const MARK_ONE = `UPDATE push_lanes SET head_seq = ?, due_at = COALESCE(due_at, ?)
  WHERE task_id = ? AND active = 1
    AND (? = ${ALWAYS} OR due_at IS NOT NULL OR last_state IS NULL OR last_state <> ?)`;

const MARK_TYPES = ['text', 'integer', 'integer'];

/** {@link MARK_ONE} for many tasks. */
function markMany(count: number): string {
  return `WITH mark (task_id, seq, state) AS (VALUES ${typedRows(count, MARK_TYPES)})
    UPDATE push_lanes SET head_seq = mark.seq, due_at = COALESCE(push_lanes.due_at, ?)
    FROM mark WHERE push_lanes.task_id = mark.task_id AND push_lanes.active = 1
      AND (mark.state = ${ALWAYS} OR push_lanes.due_at IS NOT NULL
        OR push_lanes.last_state IS NULL OR push_lanes.last_state <> mark.state)`;
}

function stateOf(when: DueMark['when']): number {
  return when === 'always' ? ALWAYS : when;
}

const OPEN = `state IN ('pending', 'retrying')`;

/** {@link LaneStore} on the hub's database. */
@Injectable()
export class SqlLaneStore extends LaneStore {
  private readonly turns = new LaneTurns();

  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
  ) {
    super();
  }

  *markDue(tx: Tx, due: readonly DueMark[], now: Date): Work<number> {
    const at = now.getTime();
    let changed = 0;
    if (tx.dialect === 'postgres' && due.length > 1) {
      for (const piece of pieces(due)) {
        const params = flatten(piece, (values, { taskId, seq, when }) => {
          values.push(taskId, seq, stateOf(when));
        });
        changed += yield* tx.run(markMany(piece.length), [...params, at]);
      }
      return changed;
    }
    // Where a statement is no round trip, small ones are the cheapest: most tasks have no lane.
    for (const { taskId, seq, when } of due) {
      const state = stateOf(when);
      changed += yield* tx.run(MARK_ONE, [seq, at, taskId, state, state]);
    }
    return changed;
  }

  claim(owner: string, now: Date, leaseMs: number, caps: LaneCaps): Promise<Lane[]> {
    return this.database.write((tx) => claimLanes(tx, { owner, now, leaseMs, caps }, this.turns));
  }

  async nextDueAt(now: Date): Promise<Date | null> {
    const [row] = await this.database.read<{ due_at: number }>(
      `SELECT due_at FROM push_lanes
       WHERE due_at IS NOT NULL AND COALESCE(lease_until, 0) <= ?
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

  forgetTasks(tx: Tx, taskIds: readonly string[]): Work<readonly string[]> {
    return forgetTasks(tx, taskIds);
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
       number, seq, kind, artifact_id, webhook_id, state, attempts, tries, rejections,
       redelivered, body, content_type, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, 0, 0, 0, ?, ?, ?, ?)`,
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

function toStep(row: LaneRow, config: PushConfig): StepResult {
  return row.lease_until === null ? 'rests' : toLane(row, config);
}
