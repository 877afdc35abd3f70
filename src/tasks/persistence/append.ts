import { HubError } from '../../common/hub-error.js';
import { listOf, pieces } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import type {
  AfterCommit,
  Appended,
  AppendParticipant,
  Beginning,
} from '../store/append-participant.js';
import { isUnsent } from '../domain/delegation-state.js';
import { createsTask, type AppendOutcome, type PreparedAppend } from '../store/prepared-append.js';
import type { TaskEvent } from '../task.js';
import type { UsageStore } from '../store/usage-store.js';
import { sumUsage, type OwnedUsageChange } from '../store/usage.js';
import type { Outcomes } from './append-outcomes.js';
import type { ExactLimits } from './exact-limits.js';
import type { EndedTaskNotes } from './ended-tasks.js';
import { withDeletedLogs } from './deleted-logs.js';
import { insertDelegations, updateDelegations, type TurnOf } from './delegation-writes.js';
import { releaseEnded, releaseKeys, takeKeys } from './idempotency.js';
import type { LargeTexts } from './large-texts.js';
import { shortBody, shortHeader } from './event-texts.js';
import { textOfHeader } from './header-text.js';
import { dropTokens } from './sql-task-tokens.js';
import { CHECKPOINTS, EVENTS, newTaskRow, taskDueAt, TASKS } from './task-rows.js';

const COMMITTED: AppendOutcome = { kind: 'committed' };

/** How each append of a batch went, what follows the commit, and what of the quotas it used. */
export interface BatchResult {
  readonly outcomes: Outcomes;
  readonly after: readonly AfterCommit[];
  readonly used: readonly OwnedUsageChange[];
}

/**
 * One batch in one transaction. Locks are taken in the same order by all (idempotency keys,
 * limits, tasks, delegations, usage, each by id), so that batches of two processes never deadlock. Gives
 * what to do once the transaction is committed, too.
 */
export function* appendBatch(
  tx: Tx,
  batch: readonly PreparedAppend[],
  participant: AppendParticipant,
  usage: UsageStore,
  turnOf: TurnOf,
  texts: LargeTexts,
  ended: EndedTaskNotes,
  limits: ExactLimits,
): Work<BatchResult> {
  const outcomes: Outcomes = new Map();
  const { free: all, taken } = yield* takeKeys(tx, batch, outcomes);
  const allowed = yield* limits.within(tx, all, outcomes);
  const free = allowed?.appends ?? all;
  const creates = yield* insertTasks(tx, free.filter(createsTask), outcomes);
  const everyEvent = new Set<string>();
  const changes = yield* updateTasks(tx, free, outcomes, everyEvent);
  yield* releaseKeys(
    tx,
    taken.filter(({ append }) => outcomes.has(append)),
  );
  const good = [...creates, ...changes];

  yield* insertEvents(tx, good, texts);
  // Most appends are chunks, and bring events alone.
  const others = good.filter(({ delegations }) => delegations.length > 0);
  if (others.length > 0) {
    yield* insertDelegations(tx, others, turnOf);
    yield* updateDelegations(tx, others, turnOf);
  }
  yield* insertCheckpoints(tx, good, texts);
  yield* releaseEnded(tx, changes);
  const ending = good.filter(endsTask);
  yield* ended.add(
    tx,
    ending.map(({ taskId }) => taskId),
  );
  const keeping = ending.filter(({ record }) => record.keepsToken);
  if (keeping.length > 0) {
    yield* dropTokens(
      tx,
      keeping.map(({ taskId }) => taskId),
    );
  }
  const used = sumUsage(good.map(usageOf));
  const newest = good[0]?.record.updatedAt;
  if (newest !== undefined) yield* usage.add(tx, used, newest);
  const after: (AfterCommit | void)[] = [];
  if (allowed !== null) after.push(yield* limits.count(tx, good, allowed));
  for (const { taskId, enlisted } of good) {
    for (const statements of enlisted) after.push(yield* statements(tx, taskId));
  }
  const appended: Appended[] = [];
  for (const append of good) {
    const { taskId, events } = append;
    const begins = beginningOf(append);
    if (events.length === 0 && begins === null) continue;
    appended.push({ taskId, events, everyEvent: everyEvent.has(taskId), begins });
  }
  if (appended.length > 0) after.push(yield* participant.appended(tx, appended));
  for (const append of good) outcomes.set(append, COMMITTED);
  return { outcomes, after: after.filter((each) => each !== undefined), used };
}

function usageOf({ record, usage }: PreparedAppend): OwnedUsageChange {
  return { owner: record, ...usage };
}

/** Its commit is the one in which the task ends. */
function endsTask({ usage }: PreparedAppend): boolean {
  return usage.ended !== undefined && usage.ended.size > 0;
}

function beginningOf(append: PreparedAppend): Beginning | null {
  const isTask = createsTask(append);
  if (!isTask && append.delegations.length === 0) return null;
  const begun = append.delegations.filter(({ delegation }) => isUnsent(delegation.state));
  if (!isTask && begun.length === 0) return null;
  return {
    isTask,
    record: append.record,
    delegations: begun.map(({ delegation: { agentId, skillId } }) => ({ agentId, skillId })),
  };
}

const INSERT = TASKS.insert('ON CONFLICT (id) DO NOTHING RETURNING id', 'everyEvent');

function* insertTasks(
  tx: Tx,
  creates: readonly PreparedAppend[],
  outcomes: Outcomes,
): Work<PreparedAppend[]> {
  if (creates.length === 0) return [];
  const leftOver = yield* withDeletedLogs(
    tx,
    creates.map(({ taskId }) => taskId),
  );
  const free = creates.filter(({ taskId }) => !leftOver.has(taskId));
  const rows = free.map(newTaskRow);
  const inserted = new Set((yield* INSERT.apply(tx, rows)).map(({ id }) => id));
  const good: PreparedAppend[] = [];
  for (const append of creates) {
    if (inserted.has(append.taskId)) good.push(append);
    else if (!leftOver.has(append.taskId)) outcomes.set(append, { kind: 'conflict' });
    else outcomes.set(append, { kind: 'poisoned', cause: beingDeleted(append.taskId) });
  }
  return good;
}

/** A client chose the id of a task whose log is still being deleted. */
function beingDeleted(taskId: string): HubError {
  return new HubError('CONFLICT', `a task ${taskId} is still being deleted`);
}

/** What follows from the columns as they are. */
const COUNTED = {
  checkpointSeq: 'COALESCE(NEW, tasks.checkpoint_seq)',
  storedBytes: 'tasks.stored_bytes + NEW',
};

const UPDATE = TASKS.guardedUpdate(
  [
    'state',
    'statusAt',
    'seq',
    'version',
    'checkpointSeq',
    'cancelRequestedAt',
    'cancelMetadata',
    'deadlineAt',
    'dueAt',
    'storedBytes',
    'endCode',
    'updatedAt',
  ],
  { ...COUNTED, endCode: 'COALESCE(NEW, tasks.end_code)' },
  'version',
  ['id', 'everyEvent'],
);

/** {@link UPDATE} of the columns that every append changes, none of which is in an index. */
const ADVANCE = TASKS.guardedUpdate(
  ['seq', 'version', 'checkpointSeq', 'storedBytes', 'updatedAt'],
  COUNTED,
  'version',
  ['id', 'everyEvent'],
);

/**
 * The appends to existing tasks that have not been changed since, which their version says: every claim raises it,
 * too, so that none of them is made for a claim that is outdated. Notes the tasks of which the participant wants
 * every event.
 */
function* updateTasks(
  tx: Tx,
  batch: readonly PreparedAppend[],
  outcomes: Outcomes,
  everyEvent: Set<string>,
): Work<PreparedAppend[]> {
  const seen = new Set<string>();
  const changes: PreparedAppend[] = [];
  for (const append of batch) {
    if (createsTask(append)) continue;
    // The second one of a task was not decided on what the first one makes of it.
    if (seen.has(append.taskId)) outcomes.set(append, { kind: 'conflict' });
    else changes.push(append);
    seen.add(append.taskId);
  }
  yield* lockTasks(tx, changes);
  const advanced = changes.filter(({ onlyEvents }) => onlyEvents);
  const others = changes.filter(({ onlyEvents }) => !onlyEvents);
  const found = yield* ADVANCE.apply(tx, advanced.map(advancedRow));
  for (const row of yield* UPDATE.apply(tx, others.map(updatedRow))) found.push(row);
  const updated = new Set<string>();
  for (const { id, everyEvent: isWanted } of found) {
    updated.add(id);
    if (isWanted === 1) everyEvent.add(id);
  }
  const good = changes.filter(({ taskId }) => updated.has(taskId));
  for (const append of changes) {
    if (!updated.has(append.taskId)) outcomes.set(append, { kind: 'conflict' });
  }
  yield* lockDelegations(tx, good);
  return good;
}

function advancedRow({ taskId, record, expectedVersion, checkpoint, usage }: PreparedAppend) {
  return {
    id: taskId,
    expected: expectedVersion,
    seq: record.seq,
    version: expectedVersion + 1,
    checkpointSeq: checkpoint === null ? null : record.seq,
    storedBytes: usage.storedBytes,
    updatedAt: record.updatedAt,
  };
}

function updatedRow(append: PreparedAppend) {
  const { taskId, record, expectedVersion, checkpoint, usage, endCode } = append;
  return {
    id: taskId,
    expected: expectedVersion,
    state: record.state,
    statusAt: record.statusAt,
    seq: record.seq,
    version: expectedVersion + 1,
    checkpointSeq: checkpoint === null ? null : record.seq,
    cancelRequestedAt: record.cancelRequestedAt,
    cancelMetadata: record.cancelMetadata,
    deadlineAt: record.deadlineAt,
    dueAt: taskDueAt(record),
    storedBytes: usage.storedBytes,
    endCode,
    updatedAt: record.updatedAt,
  };
}

function* lockTasks(tx: Tx, changes: readonly PreparedAppend[]): Work<void> {
  // SQLite has the whole file locked already.
  if (tx.dialect === 'sqlite') return;
  yield* lockRows(
    tx,
    'tasks',
    changes.map(({ taskId }) => taskId),
  );
}

function* lockDelegations(tx: Tx, changes: readonly PreparedAppend[]): Work<void> {
  if (tx.dialect === 'sqlite') return;
  const written = changes.flatMap(({ delegations }) => delegations).filter(({ added }) => !added);
  yield* lockRows(
    tx,
    'delegations',
    written.map(({ delegation }) => delegation.id),
  );
}

/** In the order of their ids. */
function* lockRows(tx: Tx, table: 'tasks' | 'delegations', ids: readonly string[]): Work<void> {
  for (const piece of pieces([...ids].sort())) {
    yield* tx.all(
      `SELECT id FROM ${table} WHERE id IN ${listOf(piece.length)} ORDER BY id FOR UPDATE`,
      piece,
    );
  }
}

const INSERT_EVENTS = EVENTS.insert();

function* insertEvents(tx: Tx, appends: readonly PreparedAppend[], texts: LargeTexts): Work<void> {
  const events: TaskEvent[] = [];
  for (const append of appends) for (const event of append.events) events.push(event);
  yield* INSERT_EVENTS.apply(tx, events, {
    at: ({ at }: TaskEvent) => at.getTime(),
    header: ({ taskId, header }: TaskEvent) => shortHeader(taskId, textOfHeader(header)),
    body: (event: TaskEvent) => (texts.idOf(event) === null ? shortBody(event) : ''),
    textId: (event: TaskEvent) => texts.idOf(event),
    textSize: (event: TaskEvent) => (texts.idOf(event) === null ? null : event.body.length),
  });
}

const UPSERT_CHECKPOINTS = CHECKPOINTS.upsert();

function* insertCheckpoints(
  tx: Tx,
  appends: readonly PreparedAppend[],
  texts: LargeTexts,
): Work<void> {
  const rows = appends.flatMap(({ taskId, record, checkpoint }) =>
    checkpoint === null
      ? []
      : [{ taskId, seq: record.seq, ...texts.columnsOfCheckpoint(checkpoint) }],
  );
  yield* UPSERT_CHECKPOINTS.apply(tx, rows);
}
