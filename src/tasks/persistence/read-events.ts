import { LONG } from '../../common/long-work.js';
import type { Database } from '../../database/database.js';
import { isApart, sizeOfRow, type StoredEventRow, withTexts } from './large-texts.js';
import { restoreRow, type ShortRow } from './event-texts.js';
import type { HasCapacity, ReserveBytes } from '../store/task-store.js';
import { EVENTS, type EventRow, type HeaderRow } from './task-rows.js';

/** The columns of a {@link StoredEventRow}. */
export const EVENT_COLUMNS = EVENTS.select().names;

/** What is read of the rows of a task, and how large a row is of which that is read. */
interface Columns<Row> {
  readonly names: string;
  readonly sizeOf: (row: Row) => number;
  /** Its size in bytes as it is stored, as SQL. */
  readonly size: string;
}

const WHOLE: Columns<StoredEventRow> = {
  names: EVENT_COLUMNS,
  sizeOf: sizeOfRow,
  size: 'COALESCE(text_size, octet_length(body))',
};

const HEADERS: Columns<HeaderRow> = {
  names: 'seq, kind, header',
  sizeOf: ({ header }) => header?.length ?? 0,
  size: 'COALESCE(octet_length(header), 0)',
};

/** Log entries of one task after `afterSeq`, ascending; see `TaskStore.events`. */
export async function readEvents(
  database: Database,
  taskId: string,
  afterSeq: number,
  limit: number,
  maxText = Infinity,
  hasCapacity: HasCapacity = () => true,
): Promise<EventRow[]> {
  const rows = await readRows(database, WHOLE, taskId, afterSeq, limit, maxText);
  if (rows.some(isApart) && !hasCapacity(sizeOfRows(rows))) return [];
  return withTexts(database, rows);
}

function sizeOfRows(rows: readonly StoredEventRow[]): number {
  return rows.reduce((sum, row) => sum + sizeOfRow(row), 0);
}

/** See `TaskStore.headers`. */
export function readHeaders(
  database: Database,
  taskId: string,
  afterSeq: number,
  limit: number,
  maxText: number,
): Promise<HeaderRow[]> {
  return readRows(database, HEADERS, taskId, afterSeq, limit, maxText);
}

async function readRows<Row extends ShortRow>(
  database: Database,
  columns: Columns<Row>,
  taskId: string,
  afterSeq: number,
  limit: number,
  maxText: number,
): Promise<Row[]> {
  if (maxText !== Infinity && database.dialect === 'postgres') {
    return readSized(database, columns, taskId, afterSeq, limit, maxText);
  }
  let text = 0;
  const isEnough = (row: Row): boolean =>
    (text += columns.sizeOf(restoreRow(row, taskId))) >= maxText;
  const rows = await database.read<Row>(
    `SELECT ${columns.names} FROM task_events
     WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
    [taskId, afterSeq, limit],
    maxText === Infinity ? undefined : isEnough,
  );
  if (maxText === Infinity) for (const row of rows) restoreRow(row, taskId);
  return rows;
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

/** {@link readRows} where the database must know itself where to stop; it knows lengths in bytes without reading them. */
async function readSized<Row extends ShortRow>(
  database: Database,
  { names, sizeOf, size }: Columns<Row>,
  taskId: string,
  afterSeq: number,
  limit: number,
  maxText: number,
): Promise<Row[]> {
  const rows = await database.read<Row>(
    `SELECT ${names} FROM (
       SELECT ${names}, SUM(size) OVER (ORDER BY seq) - size AS size_before
       FROM (SELECT ${names}, ${size} AS size
             FROM task_events WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?) AS page
     ) AS sized WHERE size_before < ? ORDER BY seq`,
    [taskId, afterSeq, limit, MAX_BYTES_OF_CHARACTER * maxText],
  );
  let text = 0;
  const last = rows.findIndex((row) => (text += sizeOf(restoreRow(row, taskId))) >= maxText);
  return last < 0 ? rows : rows.slice(0, last + 1);
}
