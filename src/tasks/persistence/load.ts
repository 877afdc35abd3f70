import type { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import { longTurn, TURN } from '../../common/long-work.js';
import { Artifact, StreamResponse, Task } from '../../protocol/a2a.js';
import { applyEvent, applyHeld, emptyTask, repeats } from '../../protocol/task-reducer.js';
import { valuesOfCheckpoint, valuesOfEvent } from '../log/task-values.js';
import {
  type StoredCheckpointRow,
  type StoredEventRow,
  wholeCheckpoint,
  withTexts,
} from './large-texts.js';
import { EVENT_COLUMNS, readEvents } from './read-events.js';
import type { StoredTask } from '../task-store.js';
import type { Delegation } from '../task.js';
import {
  DELEGATION_COLUMNS,
  TASK_COLUMNS,
  toDelegation,
  toRecord,
  type DelegationRow,
  type EventRow,
  type TaskRow,
} from './task-rows.js';

export async function findTaskRow(database: Database, id: string): Promise<TaskRow | undefined> {
  // No id with U+0000 exists, and PostgreSQL refuses to look for one.
  if (id.includes('\u0000')) return undefined;
  const [row] = await database.read<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks WHERE id = ?`, [
    id,
  ]);
  return row;
}

/** The tasks of these rows, in the same order, each as of the seq of its row. */
export async function buildTasks(
  database: Database,
  rows: readonly TaskRow[],
): Promise<StoredTask[]> {
  const parts = await readParts(database, rows);
  const tasks: StoredTask[] = [];
  for (const row of rows) tasks.push(await buildTask(row, parts));
  return tasks;
}

interface Parts {
  readonly checkpoints: ReadonlyMap<string, readonly StoredCheckpointRow[]>;
  readonly events: ReadonlyMap<string, readonly EventRow[]>;
  readonly delegations: ReadonlyMap<string, readonly DelegationRow[]>;
}

async function readParts(database: Database, rows: readonly TaskRow[]): Promise<Parts> {
  const checkpoints: StoredCheckpointRow[] = [];
  const events: EventRow[] = [];
  const delegations: DelegationRow[] = [];
  for (const piece of pieces(rows)) {
    const ids = piece.map(({ id }) => id);
    // The seqs of the rows in hand, not of the table: it may have moved on since.
    const since = piece.flatMap(({ id, checkpoint_seq }) => [id, checkpoint_seq]);
    const marked = piece.filter(({ checkpoint_seq }) => checkpoint_seq > 0);
    const [bodies, log, work] = await Promise.all([
      marked.length === 0
        ? []
        : database.read<StoredCheckpointRow>(
            `SELECT task_id, seq, body, held, text_id, text_size, held_id, held_size
             FROM task_checkpoints
             WHERE ${anyOf(marked.length, 'task_id = ? AND seq = ?')}`,
            marked.flatMap(({ id, checkpoint_seq }) => [id, checkpoint_seq]),
          ),
      piece.length === 1
        ? eventsSince(database, piece[0]!)
        : database
            .read<StoredEventRow>(
              `SELECT ${EVENT_COLUMNS} FROM task_events
               WHERE ${anyOf(piece.length, 'task_id = ? AND seq > ?')} ORDER BY task_id, seq`,
              since,
            )
            .then((found) => withTexts(database, found)),
      database.read<DelegationRow>(
        `SELECT ${DELEGATION_COLUMNS} FROM delegations
         WHERE task_id IN ${listOf(ids.length)} ORDER BY task_id, position`,
        ids,
      ),
    ]);
    for (const row of bodies) {
      const whole = await wholeCheckpoint(database, row);
      if (whole !== undefined) checkpoints.push(whole);
    }
    for (const row of log) events.push(row);
    delegations.push(...work);
  }
  return {
    checkpoints: byTask(checkpoints),
    events: byTask(events),
    delegations: byTask(delegations),
  };
}

/** The log of one task behind its checkpoint, of which other work waits for no more than a page. */
async function eventsSince(
  database: Database,
  { id, seq, checkpoint_seq }: TaskRow,
): Promise<EventRow[]> {
  const events: EventRow[] = [];
  for (let after = checkpoint_seq; after < seq;) {
    const page = await readEvents(database, id, after, seq - after, TURN);
    if (page.length === 0) break;
    for (const event of page) events.push(event);
    after = page.at(-1)!.seq;
    if (after < seq) await longTurn();
  }
  return events;
}

function anyOf(count: number, condition: string): string {
  return Array(count).fill(`(${condition})`).join(' OR ');
}

function byTask<T extends { task_id: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.task_id);
    if (group === undefined) groups.set(row.task_id, [row]);
    else group.push(row);
  }
  return groups;
}

/** Checkpoint and later events through the reducer; those of a large task in several turns. */
async function buildTask(row: TaskRow, parts: Parts): Promise<StoredTask> {
  const checkpoint = parts.checkpoints.get(row.id)?.[0];
  let task =
    checkpoint === undefined
      ? emptyTask(row.id, row.context_id)
      : Task.fromJSON(JSON.parse(checkpoint.body));
  const held = heldIn(checkpoint);
  let eventsSince = 0;
  let turn = checkpoint?.body.length ?? 0;
  let sizeSince = 0;
  let repeatedSince = 0;
  let valuesSince = 0;
  for (const { seq, kind, body } of parts.events.get(row.id) ?? []) {
    if (seq > row.seq) break;
    eventsSince += 1;
    sizeSince += body.length;
    valuesSince += valuesOfEvent(body);
    turn += body.length;
    if (turn > TURN) {
      turn = body.length;
      await longTurn();
    }
    const { payload } = StreamResponse.fromJSON(JSON.parse(body));
    if (payload === undefined) continue;
    if (repeats(task, held, payload, kind)) repeatedSince += body.length;
    applyHeld(held, payload, kind);
    task = applyEvent(task, payload, kind);
  }
  const delegations: Delegation[] = (parts.delegations.get(row.id) ?? []).map(toDelegation);
  return {
    aggregate: { record: toRecord(row), task, held, delegations },
    version: row.version,
    checkpointSize: (checkpoint?.body.length ?? 0) + (checkpoint?.held?.length ?? 0),
    eventsSince,
    sizeSince,
    storedBytes: Number(row.stored_bytes),
    repeatedSince,
    checkpointValues: checkpoint ? valuesOfCheckpoint(checkpoint.body, checkpoint.held) : 0,
    valuesSince,
  };
}

function heldIn(checkpoint: StoredCheckpointRow | undefined): Artifact[] {
  if (!checkpoint?.held) return [];
  return (JSON.parse(checkpoint.held) as unknown[]).map((each) => Artifact.fromJSON(each));
}
