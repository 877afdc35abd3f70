import { Injectable } from '@nestjs/common';
import type { Visibility } from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
import { Database } from '../../database/database.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import type { Delivery, DeliveryAttempt } from '../delivery.js';
import { type DeliveryFilter, DeliveryStore } from '../delivery-store.js';
import {
  type AttemptRow,
  DELIVERY_COLUMNS,
  type DeliveryRow,
  forUpdate,
  toAttempt,
  toDelivery,
  visible,
} from './push-rows.js';

/** {@link DeliveryStore} on the hub's database. */
@Injectable()
export class SqlDeliveryStore extends DeliveryStore {
  constructor(private readonly database: Database) {
    super();
  }

  async list(
    filter: DeliveryFilter,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<Delivery[]> {
    const scope = visible(visibility);
    const conditions = [scope.sql];
    const params: SqlValue[] = [...scope.params];
    const where = (sql: string, value: string | null | undefined): void => {
      if (value === null || value === undefined) return;
      conditions.push(sql);
      params.push(storable(value));
    };
    where('task_id = ?', filter.taskId);
    where('config_id = ?', filter.configId);
    where('state = ?', filter.state);
    where('id < ?', cursor);
    const rows = await this.database.read<DeliveryRow>(
      `SELECT ${DELIVERY_COLUMNS} FROM push_deliveries WHERE ${conditions.join(' AND ')}
       ORDER BY id DESC LIMIT ?`,
      [...params, limit],
    );
    return rows.map(toDelivery);
  }

  async get(id: string, visibility: Visibility): Promise<Delivery | undefined> {
    const scope = visible(visibility);
    const rows = await this.database.read<DeliveryRow>(
      `SELECT ${DELIVERY_COLUMNS} FROM push_deliveries WHERE id = ? AND ${scope.sql}`,
      [storable(id), ...scope.params],
    );
    return rows.map(toDelivery)[0];
  }

  async attempts(deliveryId: string): Promise<DeliveryAttempt[]> {
    const rows = await this.database.read<AttemptRow>(
      'SELECT * FROM push_attempts WHERE delivery_id = ? ORDER BY number',
      [deliveryId],
    );
    return rows.map(toAttempt);
  }

  redeliver(given: string, visibility: Visibility, now: Date): Promise<Delivery | undefined> {
    const id = storable(given);
    const scope = visible(visibility);
    const at = now.getTime();
    return this.database.write(function* (tx): Work<Delivery | undefined> {
      const [found] = yield* tx.all<{ lane_id: string }>(
        `SELECT lane_id FROM push_deliveries WHERE id = ? AND ${scope.sql}`,
        [id, ...scope.params],
      );
      if (!found) return undefined;
      yield* lockLane(tx, found.lane_id);
      const reopened = yield* tx.run(
        `UPDATE push_deliveries SET state = 'pending', tries = 0, rejections = 0, redelivered = 1,
           reason = NULL, next_attempt_at = NULL, updated_at = ? WHERE id = ? AND state IN ('delivered', 'dead')`,
        [at, id],
      );
      if (reopened === 0) {
        yield* tx.run(
          'UPDATE push_deliveries SET next_attempt_at = NULL, updated_at = ? WHERE id = ?',
          [at, id],
        );
      }
      yield* tx.run('UPDATE push_lanes SET open = open + ?, due_at = ? WHERE id = ?', [
        reopened,
        at,
        found.lane_id,
      ]);
      const [row] = yield* tx.all<DeliveryRow>(
        `SELECT ${DELIVERY_COLUMNS} FROM push_deliveries WHERE id = ?`,
        [id],
      );
      return toDelivery(row!);
    });
  }
}

function* lockLane(tx: Tx, laneId: string): Work<void> {
  const [lane] = yield* tx.all<{ active: number }>(
    `SELECT active FROM push_lanes WHERE id = ?${forUpdate(tx)}`,
    [laneId],
  );
  if (!lane) throw new HubError('CONFLICT', 'The webhook of this delivery was deleted.');
  if (lane.active !== 1) {
    throw new HubError('CONFLICT', 'The webhook of this delivery is disabled; set it again first.');
  }
}
