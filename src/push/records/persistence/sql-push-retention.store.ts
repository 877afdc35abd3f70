import { Injectable } from '@nestjs/common';
import { IdSource } from '../../../common/ids.js';
import { forUpdate } from '../../../database/rows.js';
import { Database } from '../../../database/database.js';
import type { Tx, Work } from '../../../database/sql.js';
import { TaskPositions } from '../../../tasks/index.js';
import { type ExpiredPiece, PushRetentionStore } from '../push-retention-store.js';
import { reasonOfBacklog } from '../../delivery/domain/dead-causes.js';
import { QUEUED_FROM, queuedAt } from '../../delivery/domain/endpoint-queue.js';
import { deleteOld } from '../../delivery/persistence/delete-deliveries.js';
import { STREAM, type StreamRow } from '../../delivery/persistence/delivery-rows.js';
import { taskWebhooksOf } from '../../registration/persistence/webhook-rows.js';
import { insertSnapshot } from '../../delivery/persistence/insert-snapshot.js';

/** Rows that are looked at together, some microseconds each; the event loop of SQLite waits meanwhile. */
const PIECE = 1000;
const PAUSED = {
  isSo: 'active = 2',
  reason: 'the webhook was paused for too long',
} as const;
/** In the queue of a receiver that has not agreed, and not being sent. */
const HELD = {
  isSo: `active = 1 AND lease_until IS NULL AND due_at >= ${QUEUED_FROM} AND EXISTS
    (SELECT 1 FROM push_receivers r WHERE r.endpoint = push_delivery_streams.endpoint
      AND r.verified_at IS NULL AND r.held_until IS NOT NULL)`,
  reason: 'the receiver has not agreed to be called for too long',
} as const;
/** A receiver that is held is looked at every few minutes: what was not since does not count. */
const HELD_LATELY_MS = 3_600_000;

/** Where a walk through receivers is, or through the streams of the one there. */
interface HeldPlace {
  readonly endpoint: string;
  readonly stream?: { readonly dueAt: number; readonly id: string };
}

/**
 * A delivery stream that waits with a delivery that nothing has happened to since a time, or an entry from before it;
 * the time is given twice. One that was put back to be sent again is as young as that.
 */
function hasOldBacklog(tasks: TaskPositions): string {
  return `(s.open > 0 AND EXISTS (SELECT 1 FROM push_deliveries d
      WHERE d.stream_id = s.id AND d.state IN ('pending', 'retrying') AND d.updated_at < ?)
    OR s.head_seq >= s.next_seq AND ${tasks.hasEntryBefore('s.task_id', 's.next_seq')})`;
}

/** {@link PushRetentionStore} on the hub's database. */
@Injectable()
export class SqlPushRetentionStore extends PushRetentionStore {
  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
    private readonly tasks: TaskPositions,
  ) {
    super();
  }

  pruneDead(before: Date, limit: number): Promise<number> {
    return this.database.write((tx) => deleteOld(tx, 'dead', before, limit));
  }

  async expireBacklog(before: Date, now: Date, after: string): Promise<ExpiredPiece> {
    const at = before.getTime();
    // What is old is looked for first, so that nothing old costs no write.
    const looked = await this.database.read<{ id: string; is_old: boolean | number }>(
      `SELECT s.id, ${hasOldBacklog(this.tasks)} AS is_old FROM push_delivery_streams s
       WHERE s.active = 2 AND s.id > ? ORDER BY s.id LIMIT ${PIECE}`,
      [at, at, after],
    );
    const old = looked.filter((each) => Boolean(each.is_old));
    for (const { id } of old) {
      await this.database.write((tx) => this.expire(tx, id, PAUSED, before, now));
    }
    const last = looked.length < PIECE ? undefined : looked.at(-1);
    return { streams: old.length, next: last?.id ?? null };
  }

  async expireHeld(before: Date, now: Date, after: string): Promise<ExpiredPiece> {
    const place = after === '' ? { endpoint: '' } : (JSON.parse(after) as HeldPlace);
    const { endpoint, stream } = place;
    if (stream === undefined) {
      const next = await this.nextHeld(endpoint, now);
      return { streams: 0, next: next && JSON.stringify(next) };
    }
    const at = before.getTime();
    const looked = await this.database.read<{
      id: string;
      due_at: number;
      is_old: boolean | number;
    }>(
      `SELECT s.id, s.due_at, ${hasOldBacklog(this.tasks)} AS is_old FROM push_delivery_streams s
       WHERE s.endpoint = ? AND s.due_at >= ? AND s.due_at < ? AND (s.due_at > ? OR s.id > ?)
       ORDER BY s.due_at, s.id LIMIT ${PIECE}`,
      [at, at, endpoint, stream.dueAt, queuedAt(at), stream.dueAt, stream.id],
    );
    const old = looked.filter((each) => Boolean(each.is_old));
    for (const { id } of old) {
      await this.database.write((tx) => this.expire(tx, id, HELD, before, now));
    }
    const last = looked.length < PIECE ? undefined : looked.at(-1);
    const next: HeldPlace = {
      endpoint,
      ...(last && { stream: { dueAt: last.due_at, id: last.id } }),
    };
    return { streams: old.length, next: JSON.stringify(next) };
  }

  /** The first stream of the next receiver behind this one that is held, or how far there is none; null at the end. */
  private async nextHeld(after: string, now: Date): Promise<HeldPlace | null> {
    const rows = await this.database.read<{ endpoint: string; is_held: boolean | number | null }>(
      `SELECT endpoint, (verified_at IS NULL AND held_until > ?) AS is_held FROM push_receivers
       WHERE endpoint > ? ORDER BY endpoint LIMIT ${PIECE}`,
      [now.getTime() - HELD_LATELY_MS, after],
    );
    const held = rows.find((each) => Boolean(each.is_held));
    if (held) return { endpoint: held.endpoint, stream: { dueAt: QUEUED_FROM, id: '' } };
    const last = rows.length < PIECE ? undefined : rows.at(-1);
    return last ? { endpoint: last.endpoint } : null;
  }

  private *expire(
    tx: Tx,
    streamId: string,
    waiting: typeof PAUSED | typeof HELD,
    before: Date,
    now: Date,
  ): Work<void> {
    const where = `WHERE id = ? AND ${waiting.isSo}${forUpdate(tx)}`;
    const [stream] = yield* STREAM.all(tx, where, [streamId]);
    if (!stream) return;
    const { reason } = waiting;
    const ended = yield* endOlder(tx, streamId, reason, before, now);
    const nextSeq = yield* firstKept(tx, this.tasks, stream, before);
    const passed = nextSeq > stream.nextSeq;
    const gaps = [...ended.map(({ seq }) => seq), ...(passed ? [stream.nextSeq] : [])];
    yield* tx.run(
      `UPDATE push_delivery_streams SET open = open - ?, next_seq = ?, last_number = last_number + ?,
         cursor = CASE WHEN ? = 1 THEN NULL ELSE cursor END,
         last_state = CASE WHEN ? = 1 THEN NULL ELSE last_state END,
         due_at = CASE WHEN open > ? OR head_seq >= ? THEN due_at ELSE NULL END,
         gap_seq = COALESCE(gap_seq, CAST(? AS integer)), updated_at = ? WHERE id = ?`,
      [
        ended.length,
        nextSeq,
        passed ? 1 : 0,
        passed ? 1 : 0,
        passed ? 1 : 0,
        ended.length,
        nextSeq,
        gaps.length === 0 ? null : Math.min(...gaps),
        now.getTime(),
        streamId,
      ],
    );
    if (!passed) return;
    const webhook = (yield* taskWebhooksOf(tx, [stream])).get(streamId);
    // Redelivered, it contains the task as it was after all that was skipped.
    const number = stream.lastNumber + 1;
    yield* insertSnapshot(
      tx,
      this.ids.next(),
      webhook!,
      nextSeq - 1,
      number,
      now,
      reasonOfBacklog(reason, stream.nextSeq, nextSeq - 1),
    );
  }
}

function* endOlder(
  tx: Tx,
  streamId: string,
  reason: string,
  before: Date,
  now: Date,
): Work<{ seq: number }[]> {
  return yield* tx.all<{ seq: number }>(
    `UPDATE push_deliveries SET state = 'dead', reason = ?, next_attempt_at = NULL, updated_at = ?
     WHERE stream_id = ? AND state IN ('pending', 'retrying') AND updated_at < ? RETURNING seq`,
    [reason, now.getTime(), streamId, before.getTime()],
  );
}

/** The first entry that may still be delivered: one that is young enough, else the next that comes. */
function* firstKept(tx: Tx, tasks: TaskPositions, stream: StreamRow, before: Date): Work<number> {
  if (stream.headSeq < stream.nextSeq) return stream.nextSeq;
  const kept = yield* tasks.firstSeqSince(tx, stream.taskId, before, stream.nextSeq);
  return kept ?? stream.headSeq + 1;
}
