import { HubError } from '../../common/hub-error.js';
import { flatten, listOf, pieces, rowsOf } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import type { AfterCommit, AppendParticipant, Beginning } from '../store/append-participant.js';
import { isUnsent } from '../domain/delegation-state.js';
import { createsTask, type AppendOutcome, type PreparedAppend } from '../store/prepared-append.js';
import type { UsageStore } from '../store/usage-store.js';
import { sumUsage, type OwnedUsageChange } from '../store/usage.js';
import type { Outcomes } from './append-outcomes.js';
import { withDeletedLogs } from './deleted-logs.js';
import { insertDelegations, updateDelegations, type TurnOf } from './delegation-writes.js';
import { releaseKeys, takeKeys } from './idempotency.js';
import type { LargeTexts } from './large-texts.js';
import { textOfHeader } from './header-text.js';
import { EVENT_COLUMNS } from './read-events.js';
import { touchContexts } from './context-writes.js';
import { taskColumns, taskDueAt, TASKS } from './task-rows.js';

const COMMITTED: AppendOutcome = { kind: 'committed' };

/** How each append of a batch went, what follows the commit, and what of the quotas it used. */
export interface BatchResult {
  readonly outcomes: Outcomes;
  readonly after: readonly AfterCommit[];
  readonly used: readonly OwnedUsageChange[];
}

/**
 * One batch in one transaction. Locks are taken in the same order by all (idempotency keys,
 * tasks, delegations, contexts, usage, each by id), so that batches of two processes never deadlock. Gives
 * what to do once the transaction is committed, too.
 */
export function* appendBatch(
  tx: Tx,
  batch: readonly PreparedAppend[],
  participant: AppendParticipant,
  usage: UsageStore,
  turnOf: TurnOf,
  texts: LargeTexts,
): Work<BatchResult> {
  const outcomes: Outcomes = new Map();
  const { free, taken } = yield* takeKeys(tx, batch, outcomes);
  const creates = yield* insertTasks(tx, free.filter(createsTask), outcomes);
  const everyEvent = new Set<string>();
  const same = yield* unchanged(tx, free, outcomes, everyEvent);
  const changes = yield* unfenced(tx, same, outcomes);
  yield* releaseKeys(
    tx,
    taken.filter(({ append }) => outcomes.has(append)),
  );
  const good = [...creates, ...changes];

  yield* updateTasks(tx, changes);
  yield* insertEvents(tx, good, texts);
  yield* insertDelegations(tx, good, turnOf);
  yield* updateDelegations(tx, changes, turnOf);
  yield* insertCheckpoints(tx, good, texts);
  yield* touchContexts(tx, good);
  const used = sumUsage(good.map(usageOf));
  const newest = good[0]?.record.updatedAt;
  if (newest !== undefined) yield* usage.add(tx, used, newest);
  const after: (AfterCommit | void)[] = [];
  for (const { taskId, enlisted } of good) {
    for (const statements of enlisted) after.push(yield* statements(tx, taskId));
  }
  const appended = good
    .map((append) => {
      const { taskId, events } = append;
      const begins = beginningOf(append);
      return { taskId, events, everyEvent: everyEvent.has(taskId), begins };
    })
    .filter(({ events, begins }) => events.length > 0 || begins !== null);
  if (appended.length > 0) after.push(yield* participant.appended(tx, appended));
  for (const append of good) outcomes.set(append, COMMITTED);
  return { outcomes, after: after.filter((each) => each !== undefined), used };
}

function usageOf({ record, usage }: PreparedAppend): OwnedUsageChange {
  return { ...usage, owner: record };
}

function beginningOf(append: PreparedAppend): Beginning | null {
  const isTask = createsTask(append);
  const begun = append.delegations.filter(({ delegation }) => isUnsent(delegation.state));
  if (!isTask && begun.length === 0) return null;
  return {
    isTask,
    record: append.record,
    delegations: begun.map(({ delegation: { agentId, skillId } }) => ({ agentId, skillId })),
  };
}

/**
 * The appends to existing tasks that have not been changed since; locks their rows. Notes the tasks
 * of which the participant wants every event.
 */
function* unchanged(
  tx: Tx,
  batch: readonly PreparedAppend[],
  outcomes: Outcomes,
  everyEvent: Set<string>,
): Work<PreparedAppend[]> {
  const changes = batch.filter((append) => !createsTask(append));
  const versions = new Map<string, number>();
  for (const piece of pieces(changes)) {
    const rows = yield* tx.all<{ id: string; version: number; every_event: number }>(
      `SELECT id, version, every_event FROM tasks WHERE id IN ${listOf(piece.length)}${locked(tx)}`,
      piece.map(({ taskId }) => taskId),
    );
    for (const { id, version, every_event } of rows) {
      versions.set(id, version);
      if (every_event === 1) everyEvent.add(id);
    }
  }
  return changes.filter((append) => {
    if (versions.get(append.taskId) === append.expectedVersion) return true;
    outcomes.set(append, { kind: 'conflict' });
    return false;
  });
}

/** The appends whose claims still hold; locks the delegations they are about. */
function* unfenced(
  tx: Tx,
  appends: readonly PreparedAppend[],
  outcomes: Outcomes,
): Work<readonly PreparedAppend[]> {
  const ids = new Set<string>();
  for (const { fences, delegations } of appends) {
    for (const { delegationId } of fences) ids.add(delegationId);
    if (tx.dialect === 'sqlite') continue;
    for (const { delegation, added } of delegations) if (!added) ids.add(delegation.id);
  }
  if (ids.size === 0) return appends;
  const epochs = new Map<string, number>();
  for (const piece of pieces([...ids].sort())) {
    const rows = yield* tx.all<{ id: string; epoch: number }>(
      `SELECT id, epoch FROM delegations WHERE id IN ${listOf(piece.length)}${locked(tx)}`,
      piece,
    );
    for (const { id, epoch } of rows) epochs.set(id, epoch);
  }
  return appends.filter((append) => {
    if (append.fences.every((fence) => epochs.get(fence.delegationId) === fence.epoch)) return true;
    outcomes.set(append, { kind: 'fenced' });
    return false;
  });
}

/** SQLite has the whole file locked already. */
function locked(tx: Tx): string {
  return tx.dialect === 'postgres' ? ' ORDER BY id FOR UPDATE' : '';
}

const INSERT = TASKS.insert('ON CONFLICT (id) DO NOTHING RETURNING id', 'everyEvent');

function* insertTasks(
  tx: Tx,
  creates: readonly PreparedAppend[],
  outcomes: Outcomes,
): Work<PreparedAppend[]> {
  const leftOver = yield* withDeletedLogs(
    tx,
    creates.map(({ taskId }) => taskId),
  );
  const free = creates.filter(({ taskId }) => !leftOver.has(taskId));
  const rows = free.map((append) => ({
    ...taskColumns(append.record),
    version: append.expectedVersion + 1,
    checkpointSeq: append.checkpoint === null ? 0 : append.record.seq,
    storedBytes: append.usage.storedBytes,
  }));
  const inserted = new Set((yield* INSERT.apply<{ id: string }>(tx, rows)).map(({ id }) => id));
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

const UPDATE = TASKS.update(
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
    'updatedAt',
  ],
  {
    checkpointSeq: 'COALESCE(NEW, tasks.checkpoint_seq)',
    storedBytes: 'tasks.stored_bytes + NEW',
  },
);

function* updateTasks(tx: Tx, changes: readonly PreparedAppend[]): Work<void> {
  const rows = changes.map(({ record, expectedVersion, checkpoint, usage }) => ({
    ...record,
    version: expectedVersion + 1,
    checkpointSeq: checkpoint === null ? null : record.seq,
    dueAt: taskDueAt(record),
    storedBytes: usage.storedBytes,
  }));
  yield* UPDATE.apply(tx, rows);
}

function* insertEvents(tx: Tx, appends: readonly PreparedAppend[], texts: LargeTexts): Work<void> {
  const events = appends.flatMap((append) => append.events);
  for (const piece of pieces(events)) {
    yield* tx.run(
      `INSERT INTO task_events (${EVENT_COLUMNS}) VALUES ${rowsOf(piece.length, 8)}`,
      flatten(piece, (params, event) => {
        const { taskId, seq, kind, at, header } = event;
        const text = texts.columnsOf(event);
        params.push(taskId, seq, kind, at.getTime(), textOfHeader(header), ...text);
      }),
    );
  }
}

const CHECKPOINT_TEXTS = ['body', 'text_id', 'text_size', 'held', 'held_id', 'held_size'];

function* insertCheckpoints(
  tx: Tx,
  appends: readonly PreparedAppend[],
  texts: LargeTexts,
): Work<void> {
  const due = appends.flatMap(({ taskId, record, checkpoint }) =>
    checkpoint === null ? [] : [{ taskId, seq: record.seq, checkpoint }],
  );
  for (const piece of pieces(due)) {
    yield* tx.run(
      `INSERT INTO task_checkpoints (task_id, seq, ${CHECKPOINT_TEXTS.join(', ')})
       VALUES ${rowsOf(piece.length, 2 + CHECKPOINT_TEXTS.length)}
       ON CONFLICT (task_id, seq) DO UPDATE
         SET ${CHECKPOINT_TEXTS.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      flatten(piece, (params, { taskId, seq, checkpoint }) => {
        params.push(taskId, seq, ...texts.columnsOfCheckpoint(checkpoint));
      }),
    );
  }
}
