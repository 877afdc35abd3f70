import type { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import type { DatabaseRow } from '../../database/table.js';
import { longTurn, TURN, TurnCounter } from '../../common/long-work.js';
import { parseInTurns } from '../../common/parse-in-turns.js';
import { Artifact, Task } from '../../protocol/a2a.js';
import { decodeBytes } from '../../protocol/part-bytes.js';
import { applyEvent, applyHeld, emptyTask, repeats } from '../../protocol/task-reducer.js';
import { eventOf, isLongWire, parsedWire } from '../../protocol/wire-json.js';
import { valuesOfCheckpoint, valuesOfEvent, valuesOfText } from '../log/task-values.js';
import {
  type StoredCheckpointRow,
  type StoredEventRow,
  wholeCheckpoint,
  withTexts,
} from './large-texts.js';
import { restoreRow } from './event-texts.js';
import { EVENT_COLUMNS, readEvents } from './read-events.js';
import type { StoredTask } from '../store/task-store.js';
import type { Delegation } from '../task.js';
import {
  CHECKPOINTS,
  DELEGATION,
  SIZED_COLUMNS,
  TASK_COLUMNS,
  toSizedRow,
  toTaskRow,
  type EventRow,
  type SizedRow,
  type TaskRow,
} from './task-rows.js';

const CHECKPOINT_COLUMNS = CHECKPOINTS.select().names;

export async function findTaskRow(database: Database, id: string): Promise<TaskRow | undefined> {
  const row = await findRow(database, TASK_COLUMNS, id);
  return row && toTaskRow(row);
}

/** The row of a task before there is room for all of it; undefined when there is no such task. */
export async function findSizedRow(database: Database, id: string): Promise<SizedRow | undefined> {
  const row = await findRow(database, SIZED_COLUMNS, id);
  return row && toSizedRow(row);
}

async function findRow(
  database: Database,
  columns: string,
  id: string,
): Promise<DatabaseRow | undefined> {
  // No id with U+0000 exists, and PostgreSQL refuses to look for one.
  if (id.includes('\u0000')) return undefined;
  const [row] = await database.read<DatabaseRow>(`SELECT ${columns} FROM tasks WHERE id = ?`, [id]);
  return row;
}

/**
 * The tasks of these rows, in the same order, each as of the seq of its row; without those that have been deleted
 * since the row was read.
 */
export async function buildTasks(
  database: Database,
  rows: readonly TaskRow[],
): Promise<StoredTask[]> {
  const parts = await readParts(database, rows);
  const tasks: StoredTask[] = [];
  for (const row of rows) {
    const { task, reached } = await buildTask(row, parts);
    if (reached === row.record.seq || (await findTaskRow(database, row.record.id)) !== undefined) {
      tasks.push(task);
    }
  }
  return tasks;
}

interface Parts {
  readonly checkpoints: ReadonlyMap<string, readonly StoredCheckpointRow[]>;
  readonly events: ReadonlyMap<string, readonly EventRow[]>;
  readonly delegations: ReadonlyMap<string, readonly Delegation[]>;
}

/** The delegations of the tasks of these rows, by their task. */
export async function readDelegations(
  database: Database,
  rows: readonly TaskRow[],
): Promise<Map<string, Delegation[]>> {
  const delegations: Delegation[] = [];
  for (const piece of pieces(rows)) delegations.push(...(await delegationsOf(database, piece)));
  return byTask(delegations, ({ taskId }) => taskId);
}

async function delegationsOf(database: Database, rows: readonly TaskRow[]): Promise<Delegation[]> {
  const sql = `SELECT ${DELEGATION.names} FROM delegations
    WHERE task_id IN ${listOf(rows.length)} ORDER BY task_id, position`;
  const found = await database.read<DatabaseRow>(
    sql,
    rows.map(({ record }) => record.id),
  );
  return found.map(DELEGATION.read);
}

async function readParts(database: Database, rows: readonly TaskRow[]): Promise<Parts> {
  const checkpoints: StoredCheckpointRow[] = [];
  const events: EventRow[] = [];
  const delegations: Delegation[] = [];
  for (const piece of pieces(rows)) {
    // The seqs of the rows in hand, not of the table: it may have moved on since.
    const since = piece.flatMap(({ record, checkpointSeq }) => [record.id, checkpointSeq]);
    const marked = piece.filter(({ checkpointSeq }) => checkpointSeq > 0);
    const [bodies, log, work] = await Promise.all([
      marked.length === 0
        ? []
        : database.read<StoredCheckpointRow>(
            `SELECT ${CHECKPOINT_COLUMNS}
             FROM task_checkpoints
             WHERE ${anyOf(marked.length, 'task_id = ? AND seq = ?')}`,
            marked.flatMap(({ record, checkpointSeq }) => [record.id, checkpointSeq]),
          ),
      piece.length === 1
        ? eventsSince(database, piece[0]!)
        : database
            .read<StoredEventRow>(
              `SELECT ${EVENT_COLUMNS} FROM task_events
               WHERE ${anyOf(piece.length, 'task_id = ? AND seq > ?')} ORDER BY task_id, seq`,
              since,
            )
            .then((found) =>
              withTexts(
                database,
                found.map((row) => restoreRow(row, row.task_id)),
              ),
            ),
      delegationsOf(database, piece),
    ]);
    for (const row of bodies) {
      const whole = await wholeCheckpoint(database, row);
      if (whole !== undefined) checkpoints.push(whole);
    }
    for (const row of log) events.push(row);
    delegations.push(...work);
  }
  return {
    checkpoints: byTask(checkpoints, ({ task_id }) => task_id),
    events: byTask(events, ({ task_id }) => task_id),
    delegations: byTask(delegations, ({ taskId }) => taskId),
  };
}

/** The log of one task behind its checkpoint, of which other work waits for no more than a page. */
async function eventsSince(
  database: Database,
  { record: { id, seq }, checkpointSeq }: TaskRow,
): Promise<EventRow[]> {
  const events: EventRow[] = [];
  for (let after = checkpointSeq; after < seq;) {
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

function byTask<T>(rows: readonly T[], taskIdOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(taskIdOf(row));
    if (group === undefined) groups.set(taskIdOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

/** Checkpoint and later events through the reducer, up to `reached`; those of a large task in several turns. */
async function buildTask(
  { record, version, storedBytes }: TaskRow,
  parts: Parts,
): Promise<{ task: StoredTask; reached: number }> {
  const checkpoint = parts.checkpoints.get(record.id)?.[0];
  const opened = checkpoint && openedCheckpoint(checkpoint);
  const marked = opened instanceof Promise ? await opened : opened;
  let task = marked?.task ?? emptyTask(record.id, record.contextId);
  const held = marked?.held ?? [];
  let eventsSince = 0;
  let reached = checkpoint?.seq ?? 0;
  const turns = new TurnCounter();
  await turns.next(checkpoint?.body.length ?? 0);
  let sizeSince = 0;
  let repeatedSince = 0;
  let valuesSince = 0;
  for (const { seq, kind, body } of parts.events.get(record.id) ?? []) {
    if (seq > record.seq) break;
    reached = seq;
    eventsSince += 1;
    sizeSince += body.length;
    const counted = valuesOfText(body);
    const values = typeof counted === 'number' ? counted : await counted;
    valuesSince += valuesOfEvent({ body, values });
    const turn = turns.next(body.length);
    if (turn) await turn;
    const event = eventOf(body);
    const { payload } = event instanceof Promise ? await event : event;
    if (payload === undefined) continue;
    if (repeats(task, held, payload, kind)) repeatedSince += body.length;
    applyHeld(held, payload, kind);
    task = applyEvent(task, payload, kind);
  }
  const delegations = parts.delegations.get(record.id) ?? [];
  const stored = {
    aggregate: { record, task, held, delegations },
    version,
    checkpointSize: (checkpoint?.body.length ?? 0) + (checkpoint?.held?.length ?? 0),
    eventsSince,
    sizeSince,
    storedBytes,
    repeatedSince,
    checkpointValues: marked?.values ?? 0,
    valuesSince,
  };
  return { task: stored, reached };
}

/** What a checkpoint holds. */
interface OpenedCheckpoint {
  readonly task: Task;
  readonly held: Artifact[];
  readonly values: number;
}

function openedCheckpoint(row: StoredCheckpointRow): OpenedCheckpoint | Promise<OpenedCheckpoint> {
  const { body, held } = row;
  if (isLongWire(body) || (held !== null && isLongWire(held))) return openedInTurns(body, held);
  const values = valuesOfCheckpoint({ task: body, held });
  return { task: Task.fromJSON(JSON.parse(body)), held: heldIn(held && JSON.parse(held)), values };
}

async function openedInTurns(body: string, heldBody: string | null): Promise<OpenedCheckpoint> {
  const values = (await valuesOfText(body)) + (await valuesOfText(heldBody ?? ''));
  const task = Task.fromJSON(await parsedWire(body));
  const held = heldBody === null ? null : { artifacts: await parseInTurns(heldBody) };
  await decodeBytes(held);
  return { task, held: heldIn(held?.artifacts), values };
}

function heldIn(list: unknown): Artifact[] {
  return Array.isArray(list) ? list.map((each) => Artifact.fromJSON(each)) : [];
}
