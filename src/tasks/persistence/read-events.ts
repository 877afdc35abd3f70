import type { Database } from '../../database/database.js';
import type { EventRow } from './task-rows.js';

/** Log entries of one task after `afterSeq`, ascending; see `TaskStore.events`. */
export function readEvents(
  database: Database,
  taskId: string,
  afterSeq: number,
  limit: number,
  maxText = Infinity,
): Promise<EventRow[]> {
  let text = 0;
  const isEnough = ({ body }: EventRow): boolean => (text += body.length) >= maxText;
  return database.read<EventRow>(
    `SELECT task_id, seq, kind, at, body FROM task_events
     WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
    [taskId, afterSeq, limit],
    maxText === Infinity ? undefined : isEnough,
  );
}
