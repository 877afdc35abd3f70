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
  if (maxText !== Infinity && database.dialect === 'postgres') {
    return readSized(database, taskId, afterSeq, limit, maxText);
  }
  let text = 0;
  const isEnough = ({ body }: EventRow): boolean => (text += body.length) >= maxText;
  return database.read<EventRow>(
    `SELECT task_id, seq, kind, at, body FROM task_events
     WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
    [taskId, afterSeq, limit],
    maxText === Infinity ? undefined : isEnough,
  );
}

/** A character of JavaScript has at most three bytes in UTF-8. */
const MAX_BYTES_OF_CHARACTER = 3;

/** The same where the database must know itself where to stop; it knows lengths in bytes without reading them. */
async function readSized(
  database: Database,
  taskId: string,
  afterSeq: number,
  limit: number,
  maxText: number,
): Promise<EventRow[]> {
  const rows = await database.read<EventRow>(
    `SELECT task_id, seq, kind, at, body FROM (
       SELECT task_id, seq, kind, at, body,
         SUM(octet_length(body)) OVER (ORDER BY seq) - octet_length(body) AS bytes_before
       FROM (SELECT task_id, seq, kind, at, body FROM task_events
             WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?) AS page
     ) AS sized WHERE bytes_before < ? ORDER BY seq`,
    [taskId, afterSeq, limit, MAX_BYTES_OF_CHARACTER * maxText],
  );
  let text = 0;
  const last = rows.findIndex(({ body }) => (text += body.length) >= maxText);
  return last < 0 ? rows : rows.slice(0, last + 1);
}
