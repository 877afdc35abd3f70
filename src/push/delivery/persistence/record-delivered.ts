import type { Tx, Work } from '../../../database/sql.js';
import type { EndpointRules } from '../../receivers/domain/endpoint-health.js';
import { NOTHING_NEW, nothingNew } from '../../receivers/persistence/endpoint-rows.js';
import type {
  AttemptRecord,
  DeliveryStream,
  Reached,
  StepResult,
} from '../delivery-stream-store.js';
import { recordOnDeliveries } from './record-attempt.js';

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

/** An attempt that was delivered, to be recorded; see `DeliveryStreamStore.recordAttempt`. */
export interface DeliveredOutcome {
  readonly stream: DeliveryStream;
  readonly attemptRecord: AttemptRecord & { readonly reached: Reached };
  readonly rules: EndpointRules;
  readonly now: Date;
  readonly leaseUntil: Date;
}

/**
 * What happens most: the next entries of logs were delivered, and that changes nothing of webhooks and endpoints that are
 * well. What follows for each stream; undefined, and nothing of it is written, where it is not so.
 */
export function* recordDelivered(
  tx: Tx,
  outcomes: readonly DeliveredOutcome[],
): Work<(StepResult | undefined)[]> {
  const steps: (StepResult | undefined)[] = [];
  const written: DeliveredOutcome[] = [];
  for (const outcome of outcomes) {
    const step = yield* moveStream(tx, outcome);
    if (step !== undefined) written.push(outcome);
    steps.push(step);
  }
  yield* recordOnDeliveries(tx, written);
  return steps;
}

function* moveStream(
  tx: Tx,
  { stream, attemptRecord: { reached }, rules, now, leaseUntil }: DeliveredOutcome,
): Work<StepResult | undefined> {
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
  return moved.lease_until === null ? 'idle' : after(stream, nextSeq, cursor, moved);
}

/** Whether it may be a {@link DeliveredOutcome}. */
export function isUsual(
  { webhook, probeUntil }: DeliveryStream,
  attemptRecord: AttemptRecord,
): attemptRecord is DeliveredOutcome['attemptRecord'] {
  const { reached, outcome, result } = attemptRecord;
  const isWell = webhook.state !== 'failing' && webhook.failingSince === null;
  const isDelivered = result.state === 'delivered' && outcome?.kind === 'delivered';
  return reached !== undefined && isWell && isDelivered && probeUntil === null;
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
