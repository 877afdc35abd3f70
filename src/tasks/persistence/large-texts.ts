import { randomUUID } from 'node:crypto';
import { LONG, longTurn } from '../../common/long-work.js';
import { slicesOf } from '../../common/text-slices.js';
import type { Database } from '../../database/database.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { piecesOf } from '../log/text-of-events.js';
import type { Checkpoint, PreparedAppend } from '../store/prepared-append.js';
import type { TaskEvent } from '../task.js';
import type { TaskCheckpointEntity } from './task-event.entity.js';
import type { EventRow } from './task-rows.js';

/** Characters of a log entry or a checkpoint from which its text is stored apart. */
const LARGE = LONG;
/** Characters of one piece. */
const PIECE = LONG / 2;

/** A row of `task_events` as the database has it. */
export interface StoredEventRow extends EventRow {
  /** Where its text is, when it is stored apart: `body` is empty then. */
  readonly text_id: string | null;
  /** Characters of that text. */
  readonly text_size: number | null;
}

/** A row of `task_checkpoints` as the database has it. */
export interface StoredCheckpointRow {
  readonly task_id: string;
  readonly seq: number;
  body: string;
  held: string | null;
  /** Where `body` is, when it is stored apart, and the characters of it. */
  readonly text_id: string | null;
  readonly text_size: number | null;
  /** The same of `held`. */
  readonly held_id: string | null;
  readonly held_size: number | null;
}

/**
 * Large texts of the log and of checkpoints, in pieces with a commit each: SQLite works in the event loop, which would stand
 * still for a text of tens of MiB. They are written before the commit of their event or checkpoint, which names them, so
 * what is left of a commit that never happened is deleted.
 */
export class LargeTexts {
  private readonly ids = new WeakMap<TaskEvent, string>();
  private readonly checkpoints = new WeakMap<Checkpoint, CheckpointIds>();
  /** Up to here {@link deleteStaged} has come. */
  private deletedTo: readonly [at: number, textId: string] = [-1, ''];

  constructor(private readonly database: Database) {}

  /** Stores what is large of an append that is going to be committed; nothing of it is left when that fails. */
  async stage(append: PreparedAppend): Promise<void> {
    try {
      for (const event of append.events) {
        if (event.body.length < LARGE) continue;
        const id = randomUUID();
        this.ids.set(event, id);
        await this.store(event.taskId, id, piecesOf(event), append.record.updatedAt);
      }
      if (append.checkpoint !== null) await this.stageCheckpoint(append, append.checkpoint);
    } catch (error) {
      // What cannot be deleted now is deleted later.
      await this.drop(append).catch(() => undefined);
      throw error;
    }
  }

  private async stageCheckpoint(append: PreparedAppend, checkpoint: Checkpoint): Promise<void> {
    const { taskId, record } = append;
    const { task, held, written } = checkpoint;
    const ids: CheckpointIds = { task: null, held: null };
    this.checkpoints.set(checkpoint, ids);
    if (task.length >= LARGE) {
      ids.task = randomUUID();
      await this.store(taskId, ids.task, written?.task ?? [task], record.updatedAt);
    }
    if (held !== null && held.length >= LARGE) {
      ids.held = randomUUID();
      await this.store(taskId, ids.held, written?.held ?? [held], record.updatedAt);
    }
  }

  private async store(
    taskId: string,
    id: string,
    texts: readonly string[],
    now: Date,
  ): Promise<void> {
    let piece = 0;
    for (const text of texts.flatMap((each) => [...slicesOf(each, PIECE)])) {
      await longTurn();
      const row: SqlValue[] = [taskId, id, piece, now.getTime(), text];
      // The commit that names it brings it to the disk; without that it is not needed.
      await this.database.write(
        (tx) =>
          tx.run(
            'INSERT INTO task_texts (task_id, text_id, piece, at, text) VALUES (?, ?, ?, ?, ?)',
            row,
          ),
        'may-be-lost',
      );
      piece += 1;
    }
  }

  /** Deletes what was staged of an append that is not going to be committed. */
  async drop({ taskId, events, checkpoint }: PreparedAppend): Promise<void> {
    const ofCheckpoint = checkpoint && this.checkpoints.get(checkpoint);
    if (ofCheckpoint) {
      this.checkpoints.delete(checkpoint);
      for (const id of [ofCheckpoint.task, ofCheckpoint.held]) {
        if (id !== null) await this.database.write((tx) => deleteText(tx, taskId, id));
      }
    }
    for (const event of events) {
      const id = this.ids.get(event);
      if (id === undefined) continue;
      this.ids.delete(event);
      await this.database.write((tx) => deleteText(tx, event.taskId, id));
    }
  }

  /**
   * Deletes what was staged before this time for a commit that never came, looking at `limit` texts; how many
   * it has looked at. Each text is looked at once by a process; once more after the clock was set back.
   */
  async deleteStaged(before: Date, limit: number): Promise<number> {
    if (before.getTime() <= this.deletedTo[0]) this.deletedTo = [-1, ''];
    const rows = await this.database.read<{ task_id: string; text_id: string; at: number }>(
      `SELECT task_id, text_id, at FROM task_texts
       WHERE piece = 0 AND at < ? AND (at, text_id) > (?, ?) ORDER BY at, text_id LIMIT ?`,
      [before.getTime(), ...this.deletedTo, limit],
    );
    for (const { task_id, text_id, at } of rows) {
      await this.database.write((tx) => deleteUnnamed(tx, task_id, text_id));
      this.deletedTo = [at, text_id];
    }
    return rows.length;
  }

  /** Where the text of an event is; null when it is in its row. */
  idOf(event: TaskEvent): string | null {
    return this.ids.get(event) ?? null;
  }

  /** The columns of a checkpoint that hold its texts, or say where they are. */
  columnsOfCheckpoint(checkpoint: Checkpoint): Omit<TaskCheckpointEntity, 'taskId' | 'seq'> {
    const { task, held } = checkpoint;
    const ids = this.checkpoints.get(checkpoint);
    const isTaskApart = ids !== undefined && ids.task !== null;
    const isHeldApart = held !== null && ids !== undefined && ids.held !== null;
    return {
      body: isTaskApart ? '' : task,
      textId: isTaskApart ? ids.task : null,
      textSize: isTaskApart ? task.length : null,
      held: isHeldApart ? null : held,
      heldId: isHeldApart ? ids.held : null,
      heldSize: isHeldApart ? held.length : null,
    };
  }
}

/** Where the texts of a checkpoint are that are stored apart. */
interface CheckpointIds {
  task: string | null;
  held: string | null;
}

/** Whether the text of a log entry is to be read by itself. */
export function isApart({ text_id }: StoredEventRow): boolean {
  return text_id !== null;
}

/** Characters of a log entry's text, wherever it is. */
export function sizeOfRow({ body, text_size }: StoredEventRow): number {
  return text_size ?? body.length;
}

/**
 * The log entries with their texts. One whose text has been deleted with its task meanwhile is left out, and
 * so are those of the same task behind it.
 */
export async function withTexts(
  database: Database,
  rows: readonly StoredEventRow[],
): Promise<EventRow[]> {
  const whole: EventRow[] = [];
  const gone = new Set<string>();
  for (const row of rows) {
    const { text_id, text_size, ...event } = row;
    if (gone.has(event.task_id)) continue;
    if (text_id !== null) {
      const body = await readText(database, event.task_id, text_id, text_size ?? 0);
      if (body === undefined) {
        gone.add(event.task_id);
        continue;
      }
      event.body = body;
    }
    whole.push(event);
  }
  return whole;
}

/** The checkpoint with its texts; undefined when they have been deleted with its task meanwhile. */
export async function wholeCheckpoint(
  database: Database,
  row: StoredCheckpointRow,
): Promise<StoredCheckpointRow | undefined> {
  const { task_id, text_id, held_id } = row;
  if (text_id !== null) {
    const body = await readText(database, task_id, text_id, row.text_size ?? 0);
    if (body === undefined) return undefined;
    row.body = body;
  }
  if (held_id === null) return row;
  const held = await readText(database, task_id, held_id, row.held_size ?? 0);
  if (held === undefined) return undefined;
  return { ...row, held };
}

/** The beginning of a text that is stored apart. */
export async function firstPiece(
  database: Database,
  taskId: string,
  textId: string,
): Promise<string> {
  return (await readPiece(database, taskId, textId, 0)) ?? '';
}

async function readText(
  database: Database,
  taskId: string,
  textId: string,
  size: number,
): Promise<string | undefined> {
  const texts: string[] = [];
  for (let read = 0; read < size;) {
    if (read > 0) await longTurn();
    const text = await readPiece(database, taskId, textId, texts.length);
    if (text === undefined) return undefined;
    texts.push(text);
    read += text.length;
  }
  return texts.join('');
}

async function readPiece(
  database: Database,
  taskId: string,
  textId: string,
  piece: number,
): Promise<string | undefined> {
  const [row] = await database.read<{ text: string }>(
    'SELECT text FROM task_texts WHERE task_id = ? AND text_id = ? AND piece = ?',
    [taskId, textId, piece],
  );
  return row?.text;
}

function* deleteUnnamed(tx: Tx, taskId: string, textId: string): Work<void> {
  const named = yield* tx.all(
    `SELECT 1 AS n FROM task_events WHERE task_id = ? AND text_id = ?
     UNION ALL
     SELECT 1 FROM task_checkpoints WHERE task_id = ? AND (text_id = ? OR held_id = ?)
     LIMIT 1`,
    [taskId, textId, taskId, textId, textId],
  );
  if (named.length === 0) yield* deleteText(tx, taskId, textId);
}

function* deleteText(tx: Tx, taskId: string, textId: string): Work<void> {
  yield* tx.run('DELETE FROM task_texts WHERE task_id = ? AND text_id = ?', [taskId, textId]);
}
