import type { Tx, Work } from '../../../database/sql.js';
import type { EndpointRules } from '../../receivers/domain/endpoint-health.js';
import { NOTHING_NEW, nothingNew } from '../../receivers/persistence/endpoint-rows.js';
import type { AttemptRecord, DeliveryStream, StepResult } from '../delivery-stream-store.js';
import { recordOnDelivery } from './record-attempt.js';

/** Of a lease so much is left that it need not be extended yet. */
const LONG_LEASE = 0.75;

/** The position moves with the record, so that nothing is recorded twice. */
const MOVED = `UPDATE push_delivery_streams SET next_seq = ?, cursor = ?, last_state = ?,
  last_number = last_number + 1, gap_seq = NULL, updated_at = ?`;
const STILL = `WHERE id = ? AND epoch = ? AND next_seq = ? AND last_number = ? AND active = 1
  AND EXISTS (SELECT 1 FROM push_endpoints WHERE endpoint = ? AND ${NOTHING_NEW})`;

/** More is left: neither lease nor due time change, so no index does. */
const GOES_ON = `${MOVED} ${STILL} AND (open > 0 OR head_seq >= ?)
  RETURNING open, head_seq, lease_until`;
const RESTS = `${MOVED}, due_at = NULL, lease_until = NULL ${STILL} AND open = 0 AND head_seq < ?
  RETURNING open, head_seq, lease_until`;

interface Moved {
  readonly open: number;
  readonly head_seq: number;
  readonly lease_until: number | null;
}

/**
 * `DeliveryStreamStore.recordAttempt` of what happens most: the next entry of the log was delivered, and that changes nothing
 * of a webhook and an endpoint that are well. Undefined, and nothing written, when it is not so.
 */
export function* recordDelivered(
  tx: Tx,
  stream: DeliveryStream,
  attemptRecord: AttemptRecord,
  rules: EndpointRules,
  now: Date,
  leaseUntil: Date,
): Work<StepResult | undefined> {
  const { reached } = attemptRecord;
  if (reached === undefined || !isUsual(stream, attemptRecord)) return undefined;
  const { nextSeq, cursor } = reached;
  const at = now.getTime();
  const goesOn = stream.open > 0 || stream.headSeq >= nextSeq;
  const left = stream.leaseUntil.getTime() - at;
  if (goesOn && left < LONG_LEASE * (leaseUntil.getTime() - at)) return undefined;
  const [moved] = yield* tx.all<Moved>(goesOn ? GOES_ON : RESTS, [
    nextSeq,
    cursor && JSON.stringify(cursor),
    cursor?.state ?? null,
    at,
    stream.id,
    stream.epoch,
    stream.nextSeq,
    stream.lastNumber,
    stream.endpoint,
    ...nothingNew(rules, at),
    nextSeq,
  ]);
  if (moved === undefined) return undefined;
  yield* recordOnDelivery(tx, stream, attemptRecord, now);
  return moved.lease_until === null ? 'idle' : after(stream, nextSeq, cursor, moved);
}

function isUsual(
  { webhook, probeUntil }: DeliveryStream,
  { outcome, result }: AttemptRecord,
): boolean {
  const isWell = webhook.state !== 'failing' && webhook.failingSince === null;
  const isDelivered = result.state === 'delivered' && outcome?.kind === 'delivered';
  return isWell && isDelivered && probeUntil === null;
}

function after(
  { id, webhook, endpoint, isEarly, epoch, lastNumber }: DeliveryStream,
  nextSeq: number,
  cursor: DeliveryStream['cursor'],
  { open, head_seq: headSeq, lease_until }: Moved,
): DeliveryStream {
  return {
    id,
    webhook,
    endpoint,
    dueSince: null,
    probeUntil: null,
    isEarly,
    isPrefetched: false,
    epoch,
    leaseUntil: new Date(lease_until!),
    nextSeq,
    headSeq,
    cursor,
    open,
    lastNumber: lastNumber + 1,
    gapSeq: null,
  };
}
