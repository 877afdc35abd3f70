import { listOf, pieces } from '../../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../../database/sql.js';

/** Columns that are to be set. */
type Columns = Readonly<Record<string, SqlValue>>;

/**
 * Lets locked streams deliver at once what they have left, with their retries anew; a paused one, unless it is set
 * active, keeps it. A claim made before ends here: it can send and record nothing more. The columns are set
 * besides, on the streams and on their open deliveries.
 */
export function* rescheduleStreams(
  tx: Tx,
  ids: readonly string[],
  now: Date,
  streamColumns: Columns,
  deliveryColumns: Columns = {},
): Work<void> {
  const at = now.getTime();
  // In an UPDATE a column is what it was before.
  const isActive = streamColumns['active'] === 1 ? '' : 'active = 1 AND';
  for (const piece of pieces(ids)) {
    yield* tx.run(
      `UPDATE push_delivery_streams SET ${assigned(streamColumns)} epoch = epoch + 1, owner = NULL,
         lease_until = NULL, updated_at = ?,
         due_at = CASE WHEN ${isActive} (open > 0 OR head_seq >= next_seq)
           THEN CAST(? AS bigint) ELSE NULL END
       WHERE id IN ${listOf(piece.length)}`,
      [...Object.values(streamColumns), at, at, ...piece],
    );
    yield* tx.run(
      `UPDATE push_deliveries SET ${assigned(deliveryColumns)} tries = 0, rejections = 0,
         next_attempt_at = NULL, updated_at = ?
       WHERE stream_id IN ${listOf(piece.length)} AND state IN ('pending', 'retrying')`,
      [...Object.values(deliveryColumns), at, ...piece],
    );
  }
}

function assigned(columns: Columns): string {
  return Object.keys(columns)
    .map((name) => `${name} = ?, `)
    .join('');
}
