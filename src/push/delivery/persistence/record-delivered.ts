import type { Tx, Work } from '../../../database/sql.js';
import type { EndpointRules } from '../../receivers/domain/endpoint-health.js';
import { NOTHING_NEW, nothingNew } from '../../receivers/persistence/endpoint-rows.js';
import type {
  AttemptRecord,
  DeliveryStream,
  Reached,
  StepResult,
} from '../delivery-stream-store.js';

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

/** How an attempt ended, to be recorded; see `DeliveryStreamStore.recordAttempt`. */
export interface AttemptOutcome {
  readonly stream: DeliveryStream;
  readonly attemptRecord: AttemptRecord;
  readonly rules: EndpointRules;
  readonly now: Date;
  readonly leaseUntil: Date;
}

/** One that may be all that usually follows: the next entry of the log was delivered. */
export type UsualOutcome = AttemptOutcome & {
  readonly attemptRecord: AttemptRecord & { readonly reached: Reached };
};

/**
 * Moves the stream behind what was delivered, where that changes nothing of a webhook and an endpoint that are well; what follows
 * for it. Undefined, and nothing is written, when it is not so.
 */
export function* moveStream(
  tx: Tx,
  { stream, attemptRecord: { reached }, rules, now }: UsualOutcome,
): Work<StepResult | undefined> {
  const { nextSeq, cursor } = reached;
  const at = now.getTime();
  const goesOn = hasMore(stream, reached);
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
  return moved.lease_until === null ? 'idle' : after(stream, nextSeq, cursor, moved);
}

/** Whether it may be a {@link UsualOutcome}; else there is more to write. */
export function isUsual(outcome: AttemptOutcome): outcome is UsualOutcome {
  const { stream, attemptRecord, now, leaseUntil } = outcome;
  const { webhook, probeUntil } = stream;
  const { reached, result } = attemptRecord;
  const isWell = webhook.state !== 'failing' && webhook.failingSince === null;
  const isDelivered = result.state === 'delivered' && attemptRecord.outcome?.kind === 'delivered';
  if (reached === undefined || !isWell || !isDelivered || probeUntil !== null) return false;
  const left = stream.leaseUntil.getTime() - now.getTime();
  const isLong = left >= LONG_LEASE * (leaseUntil.getTime() - now.getTime());
  return isLong || !hasMore(stream, reached);
}

function hasMore({ open, headSeq }: DeliveryStream, { nextSeq }: Reached): boolean {
  return open > 0 || headSeq >= nextSeq;
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
