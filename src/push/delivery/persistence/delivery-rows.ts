import { Table } from '../../../database/table.js';
import type { TaskWebhook } from '../../registration/webhook.js';
import type { DeliveryStream } from '../delivery-stream-store.js';
import { DeliveryStreamEntity, PushAttemptEntity, PushDeliveryEntity } from './delivery.entity.js';

const STREAMS = new Table(DeliveryStreamEntity);
export const DELIVERIES = new Table(PushDeliveryEntity);
export const ATTEMPTS = new Table(PushAttemptEntity);

/** What is read of a delivery stream. */
export const STREAM = STREAMS.selectBut('owner', 'lastState', 'updatedAt');
export type StreamRow = ReturnType<typeof STREAM.read>;

/** A test of a webhook that failed is no dead letter, though it is stored as one. */
export const NO_TEST = "kind <> 'test'";

/** Without the body, which lists do not need. */
export const DELIVERY = DELIVERIES.selectBut('body');
export const OPEN_DELIVERY = DELIVERIES.select();

export const ATTEMPT = ATTEMPTS.selectBut('deliveryId');

export const INSERT_STREAMS = STREAMS.insert();

/** The claimed stream of a row. */
export function toStream(row: StreamRow, webhook: TaskWebhook): DeliveryStream {
  return {
    id: row.id,
    webhook,
    endpoint: row.endpoint,
    dueSince: null,
    probeUntil: null,
    isEarly: false,
    isPrefetched: false,
    epoch: row.epoch,
    leaseUntil: row.leaseUntil ?? new Date(0),
    nextSeq: row.nextSeq,
    headSeq: row.headSeq,
    cursor: row.cursor,
    open: row.open,
    lastNumber: row.lastNumber,
    gapSeq: row.gapSeq,
  };
}
