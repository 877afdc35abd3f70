import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { DeliveryAttempt, OpenDelivery } from '../delivery.js';
import { verdictOf } from '../../receivers/domain/attempt-verdict.js';
import { type AttemptSignal, healthAfter } from '../domain/webhook-health.js';
import type { DeliveryStream, Reached, AttemptRecord } from '../delivery-stream-store.js';
import type { TaskWebhook } from '../../registration/webhook.js';
import { type StoredState, insertDeliveries, insertDelivery } from './insert-delivery.js';
import { ATTEMPTS, STREAM, type StreamRow } from './delivery-rows.js';
import type { PushAttemptEntity } from './delivery.entity.js';

const INSERT_ATTEMPT = ATTEMPTS.insert();

/**
 * The stream gets a new lease while `hasMore` holds and it is active; else it is idle and the claim
 * ends. The parameters of `hasMore` come twice, each time before the lease.
 */
export function idleUnless(hasMore: string): string {
  const lease = `CASE WHEN active = 1 AND (${hasMore}) THEN CAST(? AS bigint) ELSE NULL END`;
  return `due_at = ${lease}, lease_until = ${lease}`;
}

/** A piece of SQL with its parameters. */
interface Piece {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** What a delivery in hand means for the stream's row. */
interface RecordSql {
  /** Columns that change with it, each with a comma behind. */
  readonly moves: Piece;
  /** Holds while the attempt is not recorded yet. */
  readonly isNew: Piece;
  /** `open` afterwards: when it has ended, when it goes on. */
  readonly ended: string;
  readonly retried: string;
  /** There is more to deliver once it has ended. */
  readonly more: Piece;
}

function stored({ id, attempts }: OpenDelivery): RecordSql {
  return {
    moves: { sql: '', params: [] },
    isNew: {
      sql: `EXISTS (SELECT 1 FROM push_deliveries d
        WHERE d.id = ? AND d.attempts = ? AND d.state IN ('pending', 'retrying'))`,
      params: [id, attempts],
    },
    ended: 'open - 1',
    retried: 'open',
    more: { sql: 'open > 1 OR head_seq >= next_seq', params: [] },
  };
}

/** The stream's position moves with the record, so that nothing is recorded twice. */
function unstored(stream: DeliveryStream, { nextSeq, cursor }: Reached): RecordSql {
  return {
    moves: {
      sql: 'next_seq = ?, cursor = ?, last_state = ?, last_number = last_number + 1,',
      params: [nextSeq, cursor && JSON.stringify(cursor), cursor?.state ?? null],
    },
    isNew: { sql: 'next_seq = ? AND last_number = ?', params: [stream.nextSeq, stream.lastNumber] },
    ended: 'open',
    retried: 'open + 1',
    more: { sql: 'open > 0 OR head_seq >= ?', params: [nextSeq] },
  };
}

/**
 * The stream after one of its deliveries was tried; undefined when the claim is over, or when that attempt
 * is recorded already.
 */
export function* recordOnStream(
  tx: Tx,
  stream: DeliveryStream,
  { delivery, reached, result }: AttemptRecord,
  now: Date,
  leaseUntil: Date,
): Work<StreamRow | undefined> {
  const variant = reached ? unstored(stream, reached) : stored(delivery);
  const { moves, isNew } = variant;
  const { sql, params } = afterwards(variant, stream, delivery, result, now, leaseUntil.getTime());
  const [row] = yield* STREAM.returning(
    tx,
    `UPDATE push_delivery_streams SET ${moves.sql} ${sql}, updated_at = ?
     WHERE id = ? AND epoch = ? AND ${isNew.sql}`,
    [...moves.params, ...params, now.getTime(), stream.id, stream.epoch, ...isNew.params],
  );
  return row;
}

/** What becomes of the stream and its claim. */
function afterwards(
  { ended, retried, more }: RecordSql,
  stream: DeliveryStream,
  delivery: OpenDelivery,
  result: AttemptRecord['result'],
  now: Date,
  leaseUntil: number,
): Piece {
  if (result.state === 'retrying') {
    // What was put back meanwhile goes before this one, and does not wait for its retry.
    const due = `CASE WHEN active <> 1 THEN NULL WHEN open > ? THEN CAST(? AS bigint)
      ELSE CAST(? AS bigint) END`;
    return {
      sql: `open = ${retried}, due_at = ${due}, owner = NULL, lease_until = NULL`,
      params: [stream.open, now.getTime(), result.at.getTime()],
    };
  }
  const gap = gapAfter(delivery, result.state);
  if (result.state === 'dead' && result.effect === 'disabled') {
    return {
      sql: `active = 0, open = 0, gap_seq = ${gap}, due_at = NULL, owner = NULL,
        lease_until = NULL`,
      params: [],
    };
  }
  const hasMore = [...more.params, leaseUntil];
  return {
    sql: `open = ${ended}, gap_seq = ${gap}, ${idleUnless(more.sql)}`,
    params: [...hasMore, ...hasMore],
  };
}

/** The SQL of `gap_seq` once this delivery has ended. */
function gapAfter({ redelivered, seq }: OpenDelivery, state: 'delivered' | 'dead'): string {
  if (redelivered) return 'gap_seq';
  return state === 'delivered' ? 'NULL' : `COALESCE(gap_seq, ${seq})`;
}

/** The delivery with its attempt: its new state, or all of it when it was not stored. */
export function* recordOnDelivery(
  tx: Tx,
  stream: DeliveryStream,
  attemptRecord: AttemptRecord,
  now: Date,
): Work<void> {
  const { delivery, reached, attempt } = attemptRecord;
  const newState = stateAfter(attemptRecord);
  if (reached) {
    const body = newState.state === 'delivered' ? null : delivery.body;
    yield* insertDelivery(tx, stream.webhook, { ...delivery, body }, now, newState);
  } else {
    yield* updateDelivery(tx, delivery.id, newState, now);
  }
  if (attempt) yield* insertAttempt(tx, delivery.id, attempt);
}

/** Stores what was delivered and not stored before, with its attempts, in few statements. */
export function* insertDelivered(
  tx: Tx,
  recorded: readonly {
    readonly stream: DeliveryStream;
    readonly attemptRecord: AttemptRecord;
    readonly now: Date;
  }[],
): Work<void> {
  yield* insertDeliveries(
    tx,
    recorded.map(({ stream: { webhook }, attemptRecord, now }) => ({
      webhook,
      delivery: { ...attemptRecord.delivery, body: null },
      now,
      state: stateAfter(attemptRecord),
    })),
  );
  const attempts = recorded.flatMap(({ attemptRecord: { delivery, attempt } }) =>
    attempt === null ? [] : [attemptRow(delivery.id, attempt)],
  );
  yield* INSERT_ATTEMPT.apply(tx, attempts);
}

function stateAfter({ delivery, attempt, result }: AttemptRecord): StoredState {
  const tried = attempt ? 1 : 0;
  return {
    state: result.state,
    attempts: tried,
    tries: result.state === 'retrying' && result.isEarly ? 0 : tried,
    rejections: attempt && verdictOf(attempt.status) === 'rejected' ? 1 : 0,
    nextAttemptAt: result.state === 'retrying' ? result.at : null,
    lastStatus: attempt ? attempt.status : delivery.lastStatus,
    reason: result.state === 'delivered' ? null : result.reason,
  };
}

/** The counts of `newState` are added: they may have begun anew meanwhile. */
function* updateDelivery(tx: Tx, id: string, newState: StoredState, now: Date): Work<void> {
  yield* tx.run(
    `UPDATE push_deliveries SET state = ?, attempts = attempts + ?, tries = tries + ?,
       rejections = rejections + ?, next_attempt_at = ?, last_status = ?, reason = ?,
       body = CASE WHEN ? = 1 THEN NULL ELSE body END, updated_at = ? WHERE id = ?`,
    [
      newState.state,
      newState.attempts,
      newState.tries,
      newState.rejections,
      newState.nextAttemptAt?.getTime() ?? null,
      newState.lastStatus,
      storable(newState.reason),
      newState.state === 'delivered' ? 1 : 0,
      now.getTime(),
      id,
    ],
  );
}

/** The record of one try. */
export function* insertAttempt(tx: Tx, deliveryId: string, attempt: DeliveryAttempt): Work<void> {
  yield* INSERT_ATTEMPT.one(tx, attemptRow(deliveryId, attempt));
}

function attemptRow(deliveryId: string, attempt: DeliveryAttempt): PushAttemptEntity {
  return { deliveryId, ...attempt };
}

/**
 * The webhook after an attempt; the very one given when nothing of it changes. What became of it is kept
 * with the stream; one of this task only is then in that state as a whole.
 */
export function* recordOnWebhook(
  tx: Tx,
  webhook: TaskWebhook,
  attemptRecord: AttemptRecord,
  now: Date,
  disableAfterMs: number,
): Work<TaskWebhook> {
  const { result } = attemptRecord;
  const end = result.state === 'dead' ? result : null;
  const next = healthAfter(webhook, signalOf(attemptRecord), end, now, disableAfterMs);
  if (next === webhook) return webhook;
  const { state, stateReason, failingSince, lastFailureAt } = next;
  const { streamId, scope } = webhook;
  yield* tx.run(
    `UPDATE push_delivery_streams SET state = ?, state_reason = ?, failing_since = ?, last_failure_at = ?
     WHERE id = ?`,
    [
      state === 'paused' ? 'active' : state,
      storable(stateReason),
      failingSince?.getTime() ?? null,
      lastFailureAt?.getTime() ?? null,
      streamId,
    ],
  );
  const isSame = state === webhook.state && stateReason === webhook.stateReason;
  if (scope === 'task' && !isSame) {
    yield* tx.run(
      `UPDATE push_webhooks SET
         state = CASE WHEN state = 'paused' AND ? <> 'disabled' THEN state ELSE ? END,
         state_reason = ?, updated_at = COALESCE(CAST(? AS bigint), updated_at) WHERE id = ?`,
      [
        state,
        state,
        storable(stateReason),
        // That it failed is no change of the webhook: it does not count as set or resumed by it.
        state === webhook.state || state === 'failing' ? null : now.getTime(),
        streamId,
      ],
    );
  }
  return { ...webhook, state, stateReason, failingSince, lastFailureAt };
}

function signalOf({ attempt, isHubTrouble, result }: AttemptRecord): AttemptSignal {
  if (result.state === 'delivered') return 'delivered';
  if (attempt === null || isHubTrouble) return 'nothing';
  return verdictOf(attempt.status) === 'retry' ? 'failed' : 'answered';
}
