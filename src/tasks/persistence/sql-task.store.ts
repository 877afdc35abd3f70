import { Injectable } from '@nestjs/common';
import type { Visibility } from '../../auth/index.js';
import { Database } from '../../database/database.js';
import type { Tx, Work } from '../../database/sql.js';
import { isDatabaseTrouble } from '../../database/dialect.js';
import { pieceOf, timed } from '../../database/timed.js';
import { LONG } from '../../common/long-work.js';
import { PieceSize } from '../../common/piece-size.js';
import { Signal } from '../../common/signal.js';
import { AppendParticipant } from '../store/append-participant.js';
import type { AppendOutcome, DelegationWrite, PreparedAppend } from '../store/prepared-append.js';
import type {
  ClaimedDelegation,
  ClaimedTask,
  OwnedDelegation,
  ClaimQuota,
} from '../store/claimed-task.js';
import {
  type KeyCursor,
  TaskStore,
  type DeleteResult,
  type ForgottenTasks,
  type FoundTask,
  type KeyHolder,
  type DownstreamTasks,
  type HasCapacity,
  type ReserveBytes,
  type StateCount,
  type StoredTask,
  type TaskCursor,
  type SearchPage,
  type TaskFilter,
  type TaskSearch,
  type TaskPage,
} from '../store/task-store.js';
import type { LogHeader, TaskAggregate, TaskEvent, TaskRecord } from '../task.js';
import type { EndedTask, TakenTasks } from '../store/ended-task.js';
import { UsageStore } from '../store/usage-store.js';
import type { OwnedUsageChange } from '../store/usage.js';
import { isVisible } from '../store/visibility.js';
import { appendBatch, type BatchResult } from './append.js';
import type { Outcomes } from './append-outcomes.js';
import { claimDelegations, endLeases, renewLeases } from './claim.js';
import type { TurnOf } from './delegation-writes.js';
import { SqlDownstreamTasks } from './downstream-tasks.js';
import { deleteLogPiece } from './deleted-logs.js';
import { deleteTask, forgetTasks } from './delete-tasks.js';
import { EndedTaskNotes, takeEndedTask, takeEndedTasks } from './ended-tasks.js';
import { ExactLimits } from './exact-limits.js';
import { forgetKeys, keyHolder } from './idempotency.js';
import { LargeTexts } from './large-texts.js';
import { countStates } from './count-states.js';
import { listTasks, searchTasks } from './list.js';
import { buildTasks, findSizedRow, findTaskRow, readDelegations } from './load.js';
import { readEvents, readHeaders, readNewest } from './read-events.js';
import { toEvent, toLogHeader } from './task-rows.js';
import { VersionReads } from './version-reads.js';

/** Bytes stored of a task from which on those that are opened at once are counted together. */
const SHORT = 64 * 1024;

/** Tasks in the hub's database. `participant` takes part in every commit that adds events. */
@Injectable()
export class SqlTaskStore extends TaskStore {
  readonly downstream: DownstreamTasks;
  private readonly texts: LargeTexts;
  private readonly versions: VersionReads;
  private readonly taskPiece = new PieceSize(8, 32, 16);
  private readonly keyPiece = new PieceSize(64, 1024);
  private queueTurn: TurnOf = () => undefined;
  private readonly turnOf: TurnOf = (delegation) =>
    delegation.state === 'queued' && delegation.owner === null
      ? this.queueTurn(delegation)
      : undefined;
  private readonly committed = new Signal<readonly DelegationWrite[]>();
  private readonly used = new Signal<readonly OwnedUsageChange[]>();
  private readonly claimed = new Signal<readonly ClaimedTask[]>();

  constructor(
    private readonly database: Database,
    private readonly participant: AppendParticipant,
    private readonly usage: UsageStore,
    private readonly ended: EndedTaskNotes,
    private readonly limits: ExactLimits,
  ) {
    super();
    this.downstream = new SqlDownstreamTasks(database);
    this.texts = new LargeTexts(database);
    this.versions = new VersionReads(database);
  }

  stage(append: PreparedAppend): Promise<void> {
    return this.texts.stage(append);
  }

  async commit(batch: readonly PreparedAppend[]): Promise<readonly AppendOutcome[]> {
    // One order for all processes: the rows of two batches are written in the same sequence.
    const ordered = [...batch].sort((a, b) => (a.taskId < b.taskId ? -1 : 1));
    const outcomes: Outcomes = new Map();
    await this.commitPart(ordered, outcomes);
    const results = batch.map((append) => outcomes.get(append) as AppendOutcome);
    for (const [index, { kind }] of results.entries()) {
      // What cannot be deleted now is deleted later.
      if (kind !== 'committed') await this.texts.drop(batch[index]!).catch(() => undefined);
    }
    return results;
  }

  async load(
    taskId: string,
    visibility: Visibility,
    reserve?: ReserveBytes,
  ): Promise<TaskAggregate | undefined> {
    const sized = await findSizedRow(this.database, taskId);
    if (sized === undefined || !isVisible(sized, visibility)) return undefined;
    // What is stored of it is never less than what is read.
    if (reserve !== undefined && sized.bytes > LONG) await reserve(sized.bytes);
    const row = sized.row ?? (await findTaskRow(this.database, taskId));
    return row && (await buildTasks(this.database, [row]))[0]?.aggregate;
  }

  async open(taskId: string, reserve?: ReserveBytes): Promise<StoredTask | undefined> {
    const sized = await findSizedRow(this.database, taskId);
    if (sized === undefined) return undefined;
    let { row } = sized;
    if (reserve !== undefined && sized.bytes > SHORT) {
      await reserve(sized.bytes);
      // It may have been claimed meanwhile.
      row = undefined;
    }
    row ??= await findTaskRow(this.database, taskId);
    return row && (await buildTasks(this.database, [row]))[0];
  }

  version(taskId: string): Promise<number | undefined> {
    return this.versions.read(taskId);
  }

  async record(taskId: string, visibility: Visibility): Promise<TaskRecord | undefined> {
    const row = await findTaskRow(this.database, taskId);
    return row && isVisible(row.record, visibility) ? row.record : undefined;
  }

  async withoutContents(taskId: string, visibility: Visibility): Promise<FoundTask | undefined> {
    const row = await findTaskRow(this.database, taskId);
    if (row === undefined || !isVisible(row.record, visibility)) return undefined;
    const delegations = (await readDelegations(this.database, [row])).get(taskId) ?? [];
    return { record: row.record, delegations };
  }

  async events(
    taskId: string,
    afterSeq: number,
    limit: number,
    maxText?: number,
    hasCapacity?: HasCapacity,
  ): Promise<TaskEvent[]> {
    const rows = await readEvents(this.database, taskId, afterSeq, limit, maxText, hasCapacity);
    return rows.map(toEvent);
  }

  async headers(
    taskId: string,
    afterSeq: number,
    limit: number,
    maxText: number,
  ): Promise<LogHeader[]> {
    return (await readHeaders(this.database, taskId, afterSeq, limit, maxText)).map(toLogHeader);
  }

  list(
    filter: TaskFilter,
    visibility: Visibility,
    limit: number,
    after: TaskCursor | null,
    reserve?: ReserveBytes,
  ): Promise<TaskPage> {
    return listTasks(this.database, filter, visibility, limit, after, reserve);
  }

  search(
    search: TaskSearch,
    visibility: Visibility,
    limit: number,
    after: TaskCursor | null,
    reserve?: ReserveBytes,
  ): Promise<SearchPage> {
    return searchTasks(this.database, search, visibility, limit, after, reserve);
  }

  countStates(search: TaskSearch, visibility: Visibility): Promise<readonly StateCount[]> {
    return countStates(this.database, search, visibility);
  }

  async newestEvents(
    taskId: string,
    limit: number,
    maxText: number,
    reserve?: ReserveBytes,
  ): Promise<TaskEvent[]> {
    return (await readNewest(this.database, taskId, limit, maxText, reserve)).map(toEvent);
  }

  onCommitted(listener: (written: readonly DelegationWrite[]) => void): void {
    this.committed.listen(listener);
  }

  onUsed(listener: (changes: readonly OwnedUsageChange[]) => void): void {
    this.used.listen(listener);
  }

  onClaimed(listener: (claimed: readonly ClaimedTask[]) => void): void {
    this.claimed.listen(listener);
  }

  queueBy(turnOf: TurnOf): void {
    this.queueTurn = turnOf;
  }

  async claim(
    owner: string,
    now: Date,
    leaseMs: number,
    limit: number,
    quota?: ClaimQuota,
  ): Promise<ClaimedDelegation[]> {
    if (limit <= 0 && (quota?.cancels.free ?? 0) <= 0) return [];
    const { delegations, tasks } = await this.database.write((tx) =>
      claimDelegations(tx, { owner, now, leaseMs, limit, quota }),
    );
    if (tasks.length > 0) this.claimed.emit(tasks);
    return delegations;
  }

  async owned(owner: string): Promise<OwnedDelegation[]> {
    const rows = await this.database.read<{
      id: string;
      task_id: string;
      state: OwnedDelegation['state'];
      epoch: number;
      cancel_requested_at: number | null;
    }>(
      `SELECT d.id, d.task_id, d.state, d.epoch, t.cancel_requested_at
       FROM delegations d JOIN tasks t ON t.id = d.task_id
       WHERE d.owner = ? AND d.state <> 'input-required'`,
      [owner],
    );
    return rows.map((row) => ({
      id: row.id,
      taskId: row.task_id,
      state: row.state,
      epoch: row.epoch,
      cancelRequested: row.cancel_requested_at !== null,
    }));
  }

  async renew(owner: string, ids: readonly string[], until: Date): Promise<string[]> {
    if (ids.length === 0) return [];
    return this.database.write((tx) => renewLeases(tx, owner, ids, until));
  }

  releaseOthers(owner: string): Promise<number> {
    return this.database.write((tx) => endLeases(tx, 'not of', owner));
  }

  async release(owner: string): Promise<void> {
    await this.database.write((tx) => endLeases(tx, 'of', owner));
  }

  async overdue(now: Date, limit: number): Promise<string[]> {
    const at = now.getTime();
    const rows = await this.database.read<{ id: string }>(
      `SELECT id FROM (
         SELECT id, due_at FROM tasks WHERE due_at < ?
         UNION ALL SELECT task_id AS id, due_at FROM delegations WHERE due_at < ?
       ) AS late GROUP BY id ORDER BY MIN(due_at) LIMIT ?`,
      [at, at, limit],
    );
    return rows.map(({ id }) => id);
  }

  keyHolder(principalId: string, key: string, now: Date): Promise<KeyHolder | undefined> {
    return keyHolder(this.database, principalId, key, now);
  }

  async forgetTasks(
    endedBefore: Date,
    limit: number,
    after: TaskCursor | null,
    now = endedBefore,
  ): Promise<ForgottenTasks> {
    const { participant, usage, ended } = this;
    const deletion = { participant, usage, ended, now, size: this.taskPiece };
    const rows = pieceOf(this.database, this.taskPiece, limit);
    const gone = await forgetTasks(this.database, deletion, endedBefore, rows, after);
    this.reportUsed(gone.used);
    return { taskIds: gone.taskIds, next: gone.next };
  }

  async deleteTask(taskId: string, now: Date, drops: boolean): Promise<DeleteResult> {
    const { participant, usage, ended } = this;
    const deletion = { participant, usage, ended, now };
    const { result, used } = await deleteTask(this.database, deletion, taskId, drops);
    this.reportUsed(used);
    return result;
  }

  forgetKeys(now: Date, limit: number, after: KeyCursor | null): Promise<KeyCursor | null> {
    const size = this.keyPiece;
    const rows = pieceOf(this.database, size, limit);
    return this.database.write((tx) => timed(tx, size, forgetKeys(tx, now, rows, after)));
  }

  deleteLogPiece(): Promise<boolean> {
    // What a crash loses is deleted again.
    return this.database.write((tx) => deleteLogPiece(tx), 'may-be-lost');
  }

  forgetTexts(before: Date, limit: number): Promise<number> {
    return this.texts.deleteStaged(before, limit);
  }

  takeEnded(tx: Tx, limit: number): Work<TakenTasks> {
    return takeEndedTasks(tx, limit);
  }

  takeEndedTask(tx: Tx, taskId: string): Work<readonly EndedTask[]> {
    return takeEndedTask(tx, taskId);
  }

  private reportUsed(changes: readonly OwnedUsageChange[]): void {
    if (changes.length > 0) this.used.emit(changes);
  }

  /** Commits a part of a batch; when that fails, its halves, until the guilty append fails alone. */
  private async commitPart(part: readonly PreparedAppend[], outcomes: Outcomes): Promise<void> {
    let result: BatchResult;
    try {
      result = await this.database.write((tx) =>
        appendBatch(
          tx,
          part,
          this.participant,
          this.usage,
          this.turnOf,
          this.texts,
          this.ended,
          this.limits,
        ),
      );
    } catch (error) {
      if (isDatabaseTrouble(error)) throw error;
      const [first] = part;
      if (part.length === 1 && first !== undefined) {
        outcomes.set(first, { kind: 'poisoned', cause: error });
        return;
      }
      const half = part.length >> 1;
      await this.commitPart(part.slice(0, half), outcomes);
      await this.commitPart(part.slice(half), outcomes);
      return;
    }
    for (const [append, outcome] of result.outcomes) outcomes.set(append, outcome);
    this.limits.committed(result.outcomes);
    this.reportUsed(result.used);
    for (const call of result.after) call();
    for (const [append, { kind }] of result.outcomes) {
      const { delegations } = append;
      if (kind === 'committed' && delegations.length > 0) this.committed.emit(delegations);
    }
  }
}
