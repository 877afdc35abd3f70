import type { Visibility } from '../../auth/index.js';
import { ByteBudget, type BudgetRules, type ByteReservation } from '../../common/byte-budget.js';
import type { Clock } from '../../common/clock.js';
import { databaseAway, HubError } from '../../common/hub-error.js';
import type { Log } from '../../common/logger.js';
import { NoTracing, type Tracing } from '../../common/tracing/tracing.js';
import { isDatabaseTrouble } from '../../database/dialect.js';
import { isLarge, sizeOf } from './append-size.js';
import { recordEnded } from './delegation-spans.js';
import { LiveTask } from './live-task.js';
import { notifyOf } from './notifications.js';
import { endingFor } from './ending.js';
import { LONG_DECISION, VERIFY, type Prepared, type Waiting } from './decisions.js';
import { LargeAppends, type Member } from './large-appends.js';
import { TaskWriter } from './task-writer.js';
import { cacheLimits, WriterCache, type CacheLimits } from './writer-cache.js';
import type { Signals } from '../signals/signals.js';
import { KeyHeldError, TaskLog, type Claimer, type Created, type Decision } from './task-log.js';
import { keyConflict } from '../domain/task-errors.js';
import type {
  EnlistedWork,
  AppendOutcome,
  Fence,
  PreparedAppend,
} from '../store/prepared-append.js';
import type { ClaimedTask } from '../store/claimed-task.js';
import type { FoundTask, KeyHolder, ReserveBytes, TaskStore } from '../store/task-store.js';
import type { LogHeader, NewTask, TaskAggregate, TaskEvent, TaskRecord } from '../task.js';
import { isVisible } from '../store/visibility.js';

/** Appends in one commit at most, and characters of events, so that a commit stays short. */
const MAX_BATCH = 256;
const MAX_BATCH_SIZE = 1024 * 1024;
/** A load that waits for others is not given up: what it is for cannot be done without. */
const LOADS: Omit<BudgetRules, 'limit'> = { free: 0, step: 1, patienceMs: Infinity };

/**
 * The log of all tasks: what many callers decide in one turn of the event loop is one commit (at most
 * one append per task in it), and the next batch forms while one is being committed.
 */
export class GroupCommitTaskLog extends TaskLog {
  private readonly cache: WriterCache;
  private readonly ready = new Set<TaskWriter>();
  private readonly large: LargeAppends;
  /** Of the large tasks that are being loaded for the hub itself. */
  private readonly loads: ByteBudget;
  /** Writers that have loaded their task and not decided on it yet: it is whole, and counts as being loaded. */
  private readonly undecided = new Map<TaskWriter, () => void>();
  private claimer: Claimer | null = null;
  private scheduled = false;
  private committing = false;

  constructor(
    private readonly store: TaskStore,
    private readonly signals: Signals,
    private readonly clock: Clock,
    private readonly log: Log,
    /** No other process writes to this database (SQLite): what is in memory is the newest. */
    private readonly soleProcess = false,
    /** Characters of its log a task may have; one that would have more is ended as failed. */
    private readonly maxTaskSize = Infinity,
    limits: CacheLimits = cacheLimits(),
    private readonly tracing: Pick<Tracing, 'isOn' | 'record'> = new NoTracing(),
  ) {
    super();
    this.cache = new WriterCache(limits);
    this.loads = new ByteBudget({ ...LOADS, limit: limits.largeSize / 2 });
    this.large = new LargeAppends({
      prepare: (writer) => this.memberBy(writer, this.clock.now()),
      stage: (append) => store.stage(append),
      failed: (member, error) => {
        this.log.error({ err: error }, 'storing a large update failed');
        this.failed(member, error);
      },
      staged: () => this.schedule(),
    });
    store.onClaimed((claimed) => this.takeOver(claimed));
  }

  async create(
    { record, firstUpdate, idempotency, limits }: NewTask,
    enlisted: readonly EnlistedWork[] = [],
  ): Promise<Created> {
    const writer = this.writerOfNew(LiveTask.unstarted(record, this.maxTaskSize));
    const created = new Promise<TaskAggregate>((resolve, reject) => {
      writer.enqueue({
        purpose: 'creation',
        fence: undefined,
        decide: ({ record: { id, seq } }) => {
          if (seq > 0) throw new HubError('CONFLICT', `a task ${id} exists already`);
          return { change: firstUpdate, result: undefined, enlisted, idempotency, limits };
        },
        resolve: () => resolve(writer.snapshot()),
        reject,
      });
      this.wake(writer);
    });
    try {
      return { kind: 'created', aggregate: await created };
    } catch (error) {
      if (!(error instanceof KeyHeldError)) throw error;
      if (!error.sameRequest) throw keyConflict();
      return { kind: 'existing', taskId: error.taskId };
    }
  }

  update<T>(
    taskId: string,
    decide: (task: TaskAggregate) => Decision<T>,
    fence?: Fence,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const writer = this.writerOf(taskId);
      writer.enqueue({
        purpose: 'update',
        decide,
        fence,
        resolve: resolve as (result: unknown) => void,
        reject,
      });
      this.wake(writer);
    });
  }

  async read(
    taskId: string,
    visibility: Visibility,
    reserve?: ReserveBytes,
  ): Promise<TaskAggregate | undefined> {
    const known = await this.fromMemory(taskId, (live) =>
      live.isWhole ? live.snapshot() : undefined,
    );
    if (known === undefined) return this.reading(this.load(taskId, visibility, reserve));
    return isVisible(known.record, visibility) ? known : undefined;
  }

  async withoutContents(taskId: string, visibility: Visibility): Promise<FoundTask | undefined> {
    const known = await this.fromMemory(taskId, ({ aggregate: { record, delegations } }) => ({
      record,
      delegations,
    }));
    if (known === undefined) return this.reading(this.store.withoutContents(taskId, visibility));
    return isVisible(known.record, visibility) ? known : undefined;
  }

  async record(taskId: string, visibility: Visibility): Promise<TaskRecord | undefined> {
    const known = await this.fromMemory(taskId, (live) => live.aggregate.record);
    if (known === undefined) return this.reading(this.store.record(taskId, visibility));
    return isVisible(known, visibility) ? known : undefined;
  }

  async events(...page: Parameters<TaskLog['events']>): Promise<TaskEvent[]> {
    const [taskId, afterSeq, limit] = page;
    return this.recent(taskId, afterSeq, limit) ?? this.reading(this.store.events(...page));
  }

  ownEvents(taskId: string, afterSeq: number, limit: number): TaskEvent[] | undefined {
    return this.cache.get(taskId)?.recent(afterSeq, limit);
  }

  async headers(...page: Parameters<TaskLog['headers']>): Promise<LogHeader[]> {
    const [taskId, afterSeq, limit] = page;
    return this.recent(taskId, afterSeq, limit) ?? this.reading(this.store.headers(...page));
  }

  newestEvents(
    taskId: string,
    limit: number,
    maxText: number,
    reserve?: ReserveBytes,
  ): Promise<TaskEvent[]> {
    return this.reading(this.store.newestEvents(taskId, limit, maxText, reserve));
  }

  keyHolder(principalId: string, key: string): Promise<KeyHolder | undefined> {
    return this.reading(this.store.keyHolder(principalId, key, this.clock.now()));
  }

  forget(taskIds: readonly string[]): void {
    // One with something under way finds out by its commit.
    for (const taskId of taskIds) if (this.cache.get(taskId)?.idle) this.cache.remove(taskId);
  }

  claimNew(claimer: Claimer): void {
    this.claimer = claimer;
  }

  /** Of the committed task, when this process has it as new as the database has. */
  private async fromMemory<T>(
    taskId: string,
    view: (live: LiveTask) => T | undefined,
  ): Promise<T | undefined> {
    const writer = this.cache.get(taskId);
    if (writer === undefined) return undefined;
    // Another process may have written since; its number is all that has to be looked up.
    const version = this.soleProcess ? 0 : await this.reading(this.store.version(taskId));
    return version === undefined ? undefined : writer.committed(version, view);
  }

  /** From memory, where that is known to be the newest. */
  private recent(taskId: string, afterSeq: number, limit: number): TaskEvent[] | undefined {
    return this.soleProcess ? this.ownEvents(taskId, afterSeq, limit) : undefined;
  }

  private writerOf(taskId: string): TaskWriter {
    return this.cache.get(taskId) ?? this.newWriter(taskId, null);
  }

  /** Where the task is known already, its creation is refused by that. */
  private writerOfNew(live: LiveTask): TaskWriter {
    const { id } = live.aggregate.record;
    const known = this.cache.get(id);
    return known === undefined || known.unused ? this.newWriter(id, live) : known;
  }

  private newWriter(taskId: string, live: LiveTask | null): TaskWriter {
    const ending = (cause: unknown): Waiting => endingFor(taskId, cause, this.clock, this.log);
    const writer = new TaskWriter(taskId, ending, live, this.maxTaskSize);
    this.cache.touch(writer);
    return writer;
  }

  /** Lets a writer with work take part in the next batch, after loading its task if need be. */
  private wake(writer: TaskWriter): void {
    if (!writer.ready) return;
    if (writer.loaded) {
      if (writer.isLarge) this.large.expect(writer);
      else this.ready.add(writer);
      this.schedule();
      return;
    }
    // One that has updates waiting stays: a second writer of its task would decide on the same state.
    void this.loads.during(async (loads) => {
      await writer.load(() => this.reading(this.store.open(writer.taskId, by(loads))));
      if (!writer.ready || !writer.loaded) return this.goOn(writer);
      // A claim may have had it loaded once more before it was decided on: only the last load counts.
      this.undecided.get(writer)?.();
      const decided = new Promise<void>((resolve) => this.undecided.set(writer, resolve));
      this.goOn(writer);
      this.cache.trim();
      await decided;
    });
  }

  private load(
    taskId: string,
    visibility: Visibility,
    reserve: ReserveBytes | undefined,
  ): Promise<TaskAggregate | undefined> {
    if (reserve !== undefined) return this.store.load(taskId, visibility, reserve);
    return this.loads.during((loads) => this.store.load(taskId, visibility, by(loads)));
  }

  private schedule(): void {
    this.large.stage();
    if (this.scheduled || this.committing) return;
    if (this.ready.size === 0 && !this.large.hasStaged) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      void this.commitBatch();
    });
  }

  private async commitBatch(): Promise<void> {
    const staged = this.large.takeStaged();
    const batch = staged === undefined ? this.takeBatch() : [staged];
    if (batch.length > 0) {
      this.committing = true;
      const outcomes = await this.commit(batch);
      this.committing = false;
      if (outcomes !== null) this.committed(batch, outcomes);
      this.cache.trim();
    }
    this.schedule();
  }

  /** Null when the database itself failed: then every caller of the batch is answered. */
  private async commit(batch: readonly Member[]): Promise<readonly AppendOutcome[] | null> {
    try {
      return await this.store.commit(batch.map(({ append }) => append));
    } catch (error) {
      this.log.error({ err: error, appends: batch.length }, 'a commit failed in the database');
      for (const member of batch) this.failed(member, error);
      return null;
    }
  }

  /** What is read; like a commit, a read that fails with the database rejects with UNAVAILABLE. */
  private async reading<T>(rows: Promise<T>): Promise<T> {
    try {
      return await rows;
    } catch (error) {
      throw isDatabaseTrouble(error) ? unavailable(error) : error;
    }
  }

  private takeBatch(): Member[] {
    const batch: Member[] = [];
    let size = 0;
    const now = this.clock.now();
    for (const writer of this.ready) {
      if (batch.length >= MAX_BATCH || size >= MAX_BATCH_SIZE) break;
      this.ready.delete(writer);
      const member = this.memberBy(writer, now);
      if (member === null) continue;
      size += sizeOf(member.append);
      if (isLarge(member.append)) this.large.add(member);
      else batch.push(member);
    }
    return batch;
  }

  /** What the writer adds next; null when that is nothing, or not known before something is read or written down. */
  private memberBy(writer: TaskWriter, now: Date): Member | null {
    const append = this.prepare(writer, now);
    if (append === LONG_DECISION) this.large.write(writer);
    else if (append === VERIFY) void this.verify(writer);
    else if (append !== null) {
      writer.isLarge = isLarge(append);
      return { writer, append };
    } else this.next(writer);
    return null;
  }

  /** What the writer adds to the batch; what cannot even be written down ends its own task only. */
  private prepare(writer: TaskWriter, now: Date): Prepared {
    try {
      return writer.prepare(now, this.claimer);
    } catch (cause) {
      this.log.error({ taskId: writer.taskId, err: cause }, 'an update cannot be serialised');
      writer.ended({ kind: 'poisoned', cause });
      return null;
    }
  }

  /** Another process may have changed the task since, without this one knowing. */
  private async verify(writer: TaskWriter): Promise<void> {
    await writer.verify(() => this.reading(this.store.version(writer.taskId)));
    this.next(writer);
    this.cache.trim();
  }

  /** Lets the writer go on after its append: what it was loaded for is decided, and it may be outlined. */
  private next(writer: TaskWriter): void {
    this.undecided.get(writer)?.();
    this.undecided.delete(writer);
    this.goOn(writer);
  }

  private goOn(writer: TaskWriter): void {
    if (writer.unused) this.cache.remove(writer.taskId);
    else this.cache.touch(writer);
    this.wake(writer);
  }

  private failed({ writer }: Member, cause: unknown): void {
    writer.fail(unavailable(cause));
    this.next(writer);
  }

  private committed(batch: readonly Member[], outcomes: readonly AppendOutcome[]): void {
    const appends: PreparedAppend[] = [];
    batch.forEach(({ writer, append }, index) => {
      const outcome = outcomes[index] as AppendOutcome;
      writer.ended(outcome);
      this.next(writer);
      if (outcome.kind === 'committed') appends.push(append);
      if (outcome.kind === 'poisoned' && !(outcome.cause instanceof HubError)) {
        this.log.error(
          { taskId: append.taskId, err: outcome.cause },
          'an update cannot be stored: the database refuses it',
        );
      }
    });
    if (this.tracing.isOn) recordEnded(this.tracing, appends);
    notifyOf(this.signals, appends);
    for (const { writer } of batch) writer.handOverFirstClaim();
  }

  private takeOver(claimed: readonly ClaimedTask[]): void {
    for (const claim of claimed) this.cache.get(claim.taskId)?.claimed(claim);
  }
}

function by(reservation: ByteReservation): ReserveBytes {
  return (bytes) => reservation.resize('log', bytes);
}

function unavailable(cause: unknown): HubError {
  return cause instanceof HubError ? cause : databaseAway(cause);
}
