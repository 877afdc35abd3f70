import { Injectable } from '@nestjs/common';
import { IdSource } from '../../../common/ids.js';
import { forUpdate } from '../../../database/rows.js';
import { Database } from '../../../database/database.js';
import type { Tx, Work } from '../../../database/sql.js';
import { TaskPositions } from '../../../tasks/index.js';
import { type ExpiredPiece, PushRetentionStore } from '../push-retention-store.js';
import { reasonOfBacklog } from '../../delivery/domain/dead-causes.js';
import { deleteOld } from '../../delivery/persistence/delete-deliveries.js';
import { STREAM, type StreamRow } from '../../delivery/persistence/delivery-rows.js';
import { taskWebhooksOf } from '../../registration/persistence/webhook-rows.js';
import { insertSnapshot } from '../../delivery/persistence/insert-snapshot.js';

/** Paused delivery streams that are looked at together, some microseconds each; the event loop of SQLite waits meanwhile. */
const PIECE = 1000;
const TOO_OLD = 'the webhook was paused for too long';

/**
 * A paused delivery stream with a delivery that nothing has happened to since a time, or an entry from before it;
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
      await this.database.write((tx) => this.expire(tx, id, before, now));
    }
    const last = looked.length < PIECE ? undefined : looked.at(-1);
    return { streams: old.length, next: last?.id ?? null };
  }

  private *expire(tx: Tx, streamId: string, before: Date, now: Date): Work<void> {
    const [stream] = yield* STREAM.all(tx, `WHERE id = ? AND active = 2${forUpdate(tx)}`, [
      streamId,
    ]);
    if (!stream) return;
    const ended = yield* endOlder(tx, streamId, before, now);
    const nextSeq = yield* firstKept(tx, this.tasks, stream, before);
    const passed = nextSeq > stream.nextSeq;
    const gaps = [...ended.map(({ seq }) => seq), ...(passed ? [stream.nextSeq] : [])];
    yield* tx.run(
      `UPDATE push_delivery_streams SET open = open - ?, next_seq = ?, last_number = last_number + ?,
         cursor = CASE WHEN ? = 1 THEN NULL ELSE cursor END,
         last_state = CASE WHEN ? = 1 THEN NULL ELSE last_state END,
         gap_seq = COALESCE(gap_seq, CAST(? AS integer)), updated_at = ? WHERE id = ?`,
      [
        ended.length,
        nextSeq,
        passed ? 1 : 0,
        passed ? 1 : 0,
        passed ? 1 : 0,
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
      reasonOfBacklog(TOO_OLD, stream.nextSeq, nextSeq - 1),
    );
  }
}

function* endOlder(tx: Tx, streamId: string, before: Date, now: Date): Work<{ seq: number }[]> {
  return yield* tx.all<{ seq: number }>(
    `UPDATE push_deliveries SET state = 'dead', reason = ?, next_attempt_at = NULL, updated_at = ?
     WHERE stream_id = ? AND state IN ('pending', 'retrying') AND updated_at < ? RETURNING seq`,
    [TOO_OLD, now.getTime(), streamId, before.getTime()],
  );
}

/** The first entry that may still be delivered: one that is young enough, else the next that comes. */
function* firstKept(tx: Tx, tasks: TaskPositions, stream: StreamRow, before: Date): Work<number> {
  if (stream.headSeq < stream.nextSeq) return stream.nextSeq;
  const kept = yield* tasks.firstSeqSince(tx, stream.taskId, before, stream.nextSeq);
  return kept ?? stream.headSeq + 1;
}
