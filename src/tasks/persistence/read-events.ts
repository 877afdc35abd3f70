import { LONG } from '../../common/long-work.js';
import type { Database } from '../../database/database.js';
import { sizeOfRow, type StoredEventRow, withTexts } from './large-texts.js';
import type { ReserveBytes } from '../store/task-store.js';
import type { EventRow } from './task-rows.js';

/** The columns of a {@link StoredEventRow}. */
export const EVENT_COLUMNS = 'task_id, seq, kind, at, body, text_id, text_size';

/** Log entries of one task after `afterSeq`, ascending; see `TaskStore.events`. */
export async function readEvents(
  database: Database,
  taskId: string,
  afterSeq: number,
  limit: number,
  maxText = Infinity,
): Promise<EventRow[]> {
  if (maxText !== Infinity && database.dialect === 'postgres') {
    return withTexts(database, await readSized(database, taskId, afterSeq, limit, maxText));
  }
  let text = 0;
  const isEnough = (row: StoredEventRow): boolean => (text += sizeOfRow(row)) >= maxText;
  const rows = await database.read<StoredEventRow>(
    `SELECT ${EVENT_COLUMNS} FROM task_events
     WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
    [taskId, afterSeq, limit],
    maxText === Infinity ? undefined : isEnough,
  );
  return withTexts(database, rows);
}

/** See `TaskStore.newestEvents`. */
export async function readNewest(
  database: Database,
  taskId: string,
  limit: number,
  maxText: number,
  reserve?: ReserveBytes,
): Promise<EventRow[]> {
  const sizes = await database.read<{ seq: number; size: number }>(
    `SELECT seq, COALESCE(text_size, octet_length(body)) AS size FROM task_events
     WHERE task_id = ? ORDER BY seq DESC LIMIT ?`,
    [taskId, limit],
  );
  let text = 0;
  let count = 0;
  for (const { size } of sizes) {
    if (count > 0 && text + size > maxText) break;
    text += size;
    count += 1;
  }
  const first = sizes[count - 1];
  if (first === undefined) return [];
  if (text > LONG) await reserve?.(text);
  return readEvents(database, taskId, first.seq - 1, count);
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
): Promise<StoredEventRow[]> {
  const rows = await database.read<StoredEventRow>(
    `SELECT ${EVENT_COLUMNS} FROM (
       SELECT ${EVENT_COLUMNS}, SUM(size) OVER (ORDER BY seq) - size AS size_before
       FROM (SELECT ${EVENT_COLUMNS}, COALESCE(text_size, octet_length(body)) AS size
             FROM task_events WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?) AS page
     ) AS sized WHERE size_before < ? ORDER BY seq`,
    [taskId, afterSeq, limit, MAX_BYTES_OF_CHARACTER * maxText],
  );
  let text = 0;
  const last = rows.findIndex((row) => (text += sizeOfRow(row)) >= maxText);
  return last < 0 ? rows : rows.slice(0, last + 1);
}
