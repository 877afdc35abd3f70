import type { Tx, Work } from '../../../database/sql.js';
import type { PushConfig } from '../../configs/push-config.js';
import { snapshotWebhookId } from '../../domain/webhook-id.js';

/** Of the webhook that is told, what its deliveries keep. */
type SnapshotOwner = Pick<
  PushConfig,
  'uid' | 'taskId' | 'configId' | 'endpoint' | 'organization' | 'principalId'
>;

/** A delivery of the task as it is after entry `seq`; `dead`: with that reason, for who asks for it. */
export function* insertSnapshot(
  tx: Tx,
  id: string,
  laneId: string,
  config: SnapshotOwner,
  seq: number,
  number: number,
  now: Date,
  dead: string | null = null,
): Work<void> {
  yield* tx.run(
    `INSERT INTO push_deliveries (id, lane_id, config_uid, task_id, config_id, endpoint,
       organization, principal_id, number, seq, kind, webhook_id, state, attempts, tries,
       rejections, redelivered, reason, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'snapshot', ?, ?, 0, 0, 0, 0, ?, ?, ?)`,
    [
      id,
      laneId,
      config.uid,
      config.taskId,
      config.configId,
      config.endpoint,
      config.organization,
      config.principalId,
      number,
      seq,
      snapshotWebhookId(config.uid, seq, number),
      dead === null ? 'pending' : 'dead',
      dead,
      now.getTime(),
      now.getTime(),
    ],
  );
}
