import type { Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { TestRecord } from '../../configs/managed-config-store.js';
import type { Delivery } from '../../deliveries/delivery.js';
import type { PushConfig } from '../../configs/push-config.js';
import { DELIVERY_COLUMNS, type DeliveryRow, forUpdate, toDelivery } from '../push-rows.js';
import { insertAttempt } from '../lanes/settle-lane.js';

/** See `ManagedConfigStore.recordTest`. */
export function* recordTest(
  tx: Tx,
  config: PushConfig,
  test: TestRecord,
): Work<Delivery | undefined> {
  const [lane] = yield* tx.all<{ id: string }>(
    `SELECT id FROM push_lanes WHERE task_id = ? AND config_uid = ?${forUpdate(tx)}`,
    [config.taskId, config.uid],
  );
  if (!lane) return undefined;
  const at = test.attempt.at.getTime();
  const [row] = yield* tx.all<DeliveryRow>(
    `INSERT INTO push_deliveries (id, lane_id, config_uid, task_id, config_id, endpoint,
       organization, principal_id, number, seq, kind, webhook_id, state, attempts, tries,
       rejections, redelivered, last_status, reason, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 'test', ?, ?, 1, 1, 0, 0, ?, ?, ?, ?)
     RETURNING ${DELIVERY_COLUMNS}`,
    [
      test.id,
      lane.id,
      config.uid,
      config.taskId,
      config.configId,
      config.endpoint,
      config.organization,
      config.principalId,
      test.seq,
      test.webhookId,
      test.delivered ? 'delivered' : 'dead',
      test.attempt.status,
      storable(test.reason),
      at,
      at,
    ],
  );
  yield* insertAttempt(tx, test.id, test.attempt);
  return toDelivery(row!);
}
