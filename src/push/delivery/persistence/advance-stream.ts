import { forUpdate } from '../../../database/rows.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { DeliveryStream, Reached, StepResult } from '../delivery-stream-store.js';
import type { TaskWebhook } from '../../registration/webhook.js';
import { insertDelivery } from './insert-delivery.js';
import { STREAM, type StreamRow, toStream } from './delivery-rows.js';
import { releaseProbe } from './record-endpoint-outcome.js';
import { idleUnless } from './record-attempt.js';

/** See `DeliveryStreamStore.advance`; `ids` are those of the new deliveries. */
export function* advanceStream(
  tx: Tx,
  stream: DeliveryStream,
  { nextSeq, cursor, deliveries }: Reached,
  ids: readonly string[],
  now: Date,
  leaseUntil: Date,
): Work<StepResult> {
  const hasMore = [deliveries.length, nextSeq, leaseUntil.getTime()];
  const [row] = yield* STREAM.returning(
    tx,
    `UPDATE push_delivery_streams SET next_seq = ?, cursor = ?, last_state = ?, open = open + ?,
       last_number = last_number + ?, updated_at = ?,
       ${idleUnless('open + ? > 0 OR head_seq >= ?')}
     WHERE id = ? AND epoch = ?`,
    [
      nextSeq,
      cursor && JSON.stringify(cursor),
      cursor?.state ?? null,
      deliveries.length,
      deliveries.length,
      now.getTime(),
      ...hasMore,
      ...hasMore,
      stream.id,
      stream.epoch,
    ],
  );
  if (!row) return 'lost';
  const before = row.lastNumber - deliveries.length;
  for (const [i, draft] of deliveries.entries()) {
    const delivery = { ...draft, id: ids[i]!, number: before + i + 1, createdAt: now };
    yield* insertDelivery(tx, stream.webhook, delivery, now);
  }
  if (row.leaseUntil === null) yield* releaseProbe(tx, stream);
  return toStep(row, stream, stream.webhook);
}

/** See `DeliveryStreamStore.recount`. A delivery is opened or ended with the stream locked: while it is locked here, its count is right. */
export function* recountStream(
  tx: Tx,
  stream: DeliveryStream,
  now: Date,
  leaseUntil: Date,
): Work<StepResult> {
  const [held] = yield* tx.all<{ id: string }>(
    `SELECT id FROM push_delivery_streams WHERE id = ? AND epoch = ? AND active = 1${forUpdate(tx)}`,
    [stream.id, stream.epoch],
  );
  if (!held) return 'lost';
  const [counted] = yield* tx.all<{ open: number }>(
    `SELECT COUNT(*) AS open FROM push_deliveries
     WHERE stream_id = ? AND state IN ('pending', 'retrying')`,
    [stream.id],
  );
  const open = counted!.open;
  const hasMore = [open, leaseUntil.getTime()];
  const [row] = yield* STREAM.returning(
    tx,
    `UPDATE push_delivery_streams SET open = ?, updated_at = ?,
       ${idleUnless('CAST(? AS integer) > 0 OR head_seq >= next_seq')} WHERE id = ?`,
    [open, now.getTime(), ...hasMore, ...hasMore, stream.id],
  );
  if (row!.leaseUntil === null) yield* releaseProbe(tx, stream);
  return toStep(row!, stream, stream.webhook);
}

/** What is left of a claim after a step of the stream. */
export function toStep(
  row: StreamRow,
  { probeUntil, isEarly }: Pick<DeliveryStream, 'probeUntil' | 'isEarly'>,
  webhook: TaskWebhook,
): StepResult {
  if (row.leaseUntil === null) return 'idle';
  return { ...toStream(row, webhook), probeUntil, isEarly };
}
