import type { Visibility } from '../auth/index.js';
import type { Clock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import { isLong, longTurn } from '../common/long-work.js';
import type { Log } from '../common/logger.js';
import { isDatabaseTrouble } from '../database/dialect.js';
import { decideTaskFailed } from './domain/task-decisions.js';
import { bodiesInTurns } from './log/event-body.js';
import type { LiveTask, Taken } from './log/live-task.js';
import { firstEvents, normalised } from './log/new-live-task.js';
import { ringFor } from './log/rings.js';
import { TaskTooLargeError } from './log/room.js';
import { TaskCreation } from './log/task-creation.js';
import {
  LONG_DECISION,
  TaskWriter,
  VERIFY,
  type Prepared,
  type Waiting,
} from './log/task-writer.js';
import { DEFAULT_CACHE_LIMITS, WriterCache, type CacheLimits } from './log/writer-cache.js';
import type { Signals } from './signals.js';
import { TaskLog, type Claimer, type Created, type Decision } from './task-log.js';
import type {
  Alongside,
  AppendOutcome,
  ClaimedTask,
  Fence,
  KeyHolder,
  ReadRoom,
  TaskStore,
} from './task-store.js';
import type { NewTask, TaskAggregate, TaskEvent, TaskRecord } from './task.js';
import { textOf } from './text-of-events.js';
import { isVisible } from './visible.js';

/** Appends in one commit at most, and characters of events, so that a commit stays short. */
const MAX_BATCH = 256;
const MAX_BATCH_SIZE = 1024 * 1024;
/** Characters of an append from which it is long work: it is committed alone, and small ones do not wait for it. */
const LARGE_APPEND = 256 * 1024;
/** Large appends stored ahead at once. */
const MAX_STAGING = 8;

/** One append of the batch under way. */
interface Member {
  readonly taken: Taken;
  settle(outcome: AppendOutcome): void;
  fail(error: unknown): void;
  /** After the rings of the whole batch. */
  handOver?(): void;
}

/**
 * The log of all tasks: what many callers decide in one turn of the event loop is one commit (at most
 * one append per task in it), and the next batch forms while one is being committed.
 */
export class GroupCommitTaskLog extends TaskLog {
  private readonly cache: WriterCache;
  private readonly ready = new Set<TaskWriter>();
  /** Those of `ready` whose last append was large: the next one waits for a turn of long work. */
  private readonly readyLarge = new Set<TaskWriter>();
  /** Writers whose long decision waits to be written down. */
  private long: TaskWriter[] = [];
  /** Large appends that wait to be stored ahead. */
  private large: Member[] = [];
  /** How many are being stored ahead, or wait for their turn to be. */
  private staging = 0;
  /** Of these, those whose turn has not come: only then it is known which append it is for. */
  private turnsAwaited = 0;
  /** Large appends that only their commit is left of. */
  private staged: Member[] = [];
  private creating: TaskCreation[] = [];
  private claimer: Claimer | null = null;
  private scheduled = false;
  private committing = false;

  constructor(
    private readonly store: TaskStore,
    private readonly signals: Signals,
    private readonly clock: Clock,
    private readonly log: Log,
    limits: CacheLimits = DEFAULT_CACHE_LIMITS,
    /** No other process writes to this database (SQLite): what is in memory is the newest. */
    private readonly soleProcess = false,
    /** Characters of its log a task may have; one that would have more is ended as failed. */
    private readonly maxTaskSize = Infinity,
  ) {
    super();
    this.cache = new WriterCache(limits);
    store.onClaimed((claimed) => this.takeOver(claimed));
  }

  async create(given: NewTask, alongside: readonly Alongside[] = []): Promise<Created> {
    const task = normalised(given);
    const now = this.clock.now();
    // What is short is created in the call's own turn of the event loop.
    const bodies = isLong(task.message) ? await bodiesInTurns(firstEvents(task, now)) : undefined;
    return new Promise((resolve, reject) => {
      const { maxTaskSize } = this;
      this.creating.push(
        new TaskCreation(task, alongside, now, maxTaskSize, bodies, resolve, reject),
      );
      this.schedule();
    });
  }

  update<T>(
    taskId: string,
    decide: (task: TaskAggregate) => Decision<T>,
    fence?: Fence,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const writer = this.writerOf(taskId);
      writer.enqueue({ decide, fence, resolve: resolve as (result: unknown) => void, reject });
      this.wake(writer);
    });
  }

  async read(
    taskId: string,
    visibility: Visibility,
    room?: ReadRoom,
  ): Promise<TaskAggregate | undefined> {
    const known = await this.fromMemory(taskId, (live) => live.snapshot());
    if (known === undefined) return this.reading(this.store.load(taskId, visibility, room));
    return isVisible(known.record, visibility) ? known : undefined;
  }

  async record(taskId: string, visibility: Visibility): Promise<TaskRecord | undefined> {
    const known = await this.fromMemory(taskId, (live) => live.aggregate.record);
    if (known === undefined) return this.reading(this.store.record(taskId, visibility));
    return isVisible(known, visibility) ? known : undefined;
  }

  async events(
    taskId: string,
    afterSeq: number,
    limit: number,
    maxText?: number,
  ): Promise<TaskEvent[]> {
    const recent = this.soleProcess ? this.cache.get(taskId)?.recent(afterSeq, limit) : undefined;
    return recent ?? this.reading(this.store.events(taskId, afterSeq, limit, maxText));
  }

  newestEvents(
    taskId: string,
    limit: number,
    maxText: number,
    room?: ReadRoom,
  ): Promise<TaskEvent[]> {
    return this.reading(this.store.newestEvents(taskId, limit, maxText, room));
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
  private async fromMemory<T>(taskId: string, view: (live: LiveTask) => T): Promise<T | undefined> {
    const writer = this.cache.get(taskId);
    if (writer === undefined) return undefined;
    // Another process may have written since; its number is all that has to be looked up.
    const version = this.soleProcess ? 0 : await this.reading(this.store.version(taskId));
    return version === undefined ? undefined : writer.committed(version, view);
  }

  private writerOf(taskId: string, live: LiveTask | null = null): TaskWriter {
    const known = this.cache.get(taskId);
    if (known !== undefined) return known;
    const writer = new TaskWriter(
      taskId,
      (cause, refused) => this.ending(taskId, cause, refused),
      live,
      this.maxTaskSize,
    );
    this.cache.touch(writer);
    return writer;
  }

  /** Lets a writer with work take part in the next batch, after loading its task if need be. */
  private wake(writer: TaskWriter): void {
    if (!writer.ready) return;
    if (writer.loaded) {
      (writer.isLarge ? this.readyLarge : this.ready).add(writer);
      this.schedule();
      return;
    }
    void writer
      .load(() => this.reading(this.store.open(writer.taskId)))
      .then(() => {
        if (writer.loaded) this.cache.touch(writer);
        else this.cache.remove(writer.taskId);
        this.wake(writer);
      });
  }

  private schedule(): void {
    this.stageLarge();
    if (this.scheduled || this.committing) return;
    if (this.creating.length + this.ready.size + this.staged.length === 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      void this.commitBatch();
    });
  }

  /** Begins with large appends that wait: they are stored ahead in turns of long work. */
  private stageLarge(): void {
    while (
      this.staging < MAX_STAGING &&
      this.long.length + this.large.length + this.readyLarge.size > this.turnsAwaited
    ) {
      this.staging += 1;
      this.turnsAwaited += 1;
      void this.stageNext().then(() => {
        this.staging -= 1;
        this.schedule();
      });
    }
  }

  /** The first large append, once it is its turn. */
  private async stageNext(): Promise<void> {
    await longTurn();
    this.turnsAwaited -= 1;
    const member = this.large.shift() ?? (await this.writtenNext()) ?? this.nextLarge();
    if (member === null) return;
    try {
      await this.store.stage(member.taken.append);
      this.staged.push(member);
    } catch (error) {
      this.log.error({ err: error }, 'storing a large update failed');
      member.fail(unavailable(error));
    }
  }

  /** What the first of the writers adds that are expected to add something large. */
  private nextLarge(): Member | null {
    for (const writer of this.readyLarge) {
      this.readyLarge.delete(writer);
      return this.memberBy(writer, this.clock.now());
    }
    return null;
  }

  private async commitBatch(): Promise<void> {
    const staged = this.staged.shift();
    const batch = staged === undefined ? this.takeBatch() : [staged];
    if (batch.length > 0) {
      this.committing = true;
      const outcomes = await this.commit(batch);
      this.committing = false;
      if (outcomes !== null) this.settle(batch, outcomes);
      this.cache.trim();
    }
    this.schedule();
  }

  /** Null when the database itself failed: then every caller of the batch has been told. */
  private async commit(batch: readonly Member[]): Promise<readonly AppendOutcome[] | null> {
    try {
      return await this.store.commit(batch.map(({ taken }) => taken.append));
    } catch (error) {
      this.log.error({ err: error, appends: batch.length }, 'a commit failed in the database');
      for (const member of batch) member.fail(unavailable(error));
      return null;
    }
  }

  /** What is read; like a commit, a read that fails with the database rejects with UNAVAILABLE. */
  private async reading<T>(rows: Promise<T>): Promise<T> {
    try {
      return await rows;
    } catch (error) {
      if (error instanceof HubError || !isDatabaseTrouble(error)) throw error;
      this.log.error({ err: error }, 'reading a task from the database failed');
      throw unavailable(error);
    }
  }

  private takeBatch(): Member[] {
    const batch: Member[] = [];
    let size = 0;
    const room = (): boolean => batch.length < MAX_BATCH && size < MAX_BATCH_SIZE;
    let created = 0;
    const now = this.clock.now();
    while (created < this.creating.length && room()) {
      const creation = this.creating[created++] as TaskCreation;
      size += creation.live.size;
      const member = this.memberOfNew(creation, now);
      if (member !== null) (isLarge(member) ? this.large : batch).push(member);
    }
    this.creating.splice(0, created);
    for (const writer of this.ready) {
      if (!room()) break;
      this.ready.delete(writer);
      const member = this.memberBy(writer, now);
      if (member === null) continue;
      size += sizeOf(member);
      (isLarge(member) ? this.large : batch).push(member);
    }
    return batch;
  }

  /** What the writer adds next; null when that is nothing, or not known before something is read or written down. */
  private memberBy(writer: TaskWriter, now: Date): Member | null {
    const taken = this.prepare(writer, now);
    if (taken === LONG_DECISION) this.long.push(writer);
    else if (taken === VERIFY) void this.verify(writer);
    else if (taken !== null) {
      const member = this.memberOf(writer, taken);
      writer.isLarge = isLarge(member);
      return member;
    } else this.wake(writer);
    return null;
  }

  /** What the writer adds to the batch; what cannot even be written down ends its own task only. */
  private prepare(writer: TaskWriter, now: Date): Prepared {
    try {
      return writer.prepare(now);
    } catch (cause) {
      writer.settle(this.unwritable(writer.taskId, cause));
      return null;
    }
  }

  /** What the first of the writers adds whose long decision waits to be written down. */
  private async writtenNext(): Promise<Member | null> {
    const writer = this.long.shift();
    if (writer === undefined) return null;
    await writer.written();
    return this.memberBy(writer, this.clock.now());
  }

  private unwritable(taskId: string, cause: unknown): AppendOutcome {
    this.log.error({ taskId, err: cause }, 'an update of a task cannot be serialized');
    return { kind: 'poisoned', cause };
  }

  /** Another process may have changed the task since, without this one knowing. */
  private async verify(writer: TaskWriter): Promise<void> {
    await writer.verify(() => this.reading(this.store.version(writer.taskId)));
    this.wake(writer);
  }

  private memberOf(writer: TaskWriter, taken: Taken): Member {
    const next = (): void => {
      this.cache.touch(writer);
      this.wake(writer);
    };
    return {
      taken,
      settle: (outcome) => {
        writer.settle(outcome);
        next();
      },
      fail: (error) => {
        writer.fail(error);
        next();
      },
    };
  }

  private memberOfNew(creation: TaskCreation, now: Date): Member | null {
    let taken: Taken;
    try {
      // A lease would run while it is stored ahead: who claims it then finds it after its commit.
      const isLong = creation.live.size >= LARGE_APPEND;
      taken = creation.prepare(isLong ? null : this.claimer, now);
    } catch (cause) {
      creation.settle(this.unwritable(creation.live.aggregate.record.id, cause));
      return null;
    }
    let exists = false;
    return {
      taken,
      settle: (outcome) => {
        exists = creation.settle(outcome);
        if (exists) this.writerOf(taken.append.taskId, creation.live);
      },
      fail: (error) => creation.fail(error),
      handOver: () => {
        if (exists) creation.handOver();
      },
    };
  }

  private settle(batch: readonly Member[], outcomes: readonly AppendOutcome[]): void {
    batch.forEach((member, index) => {
      const outcome = outcomes[index] as AppendOutcome;
      member.settle(outcome);
      if (outcome.kind === 'poisoned' && !(outcome.cause instanceof HubError)) {
        const { taskId } = member.taken.append;
        this.log.error({ taskId, err: outcome.cause }, 'an update of a task cannot be stored');
      }
    });
    ringFor(
      this.signals,
      batch.filter((_, index) => outcomes[index]?.kind === 'committed').map(({ taken }) => taken),
    );
    for (const member of batch) member.handOver?.();
  }

  private takeOver(claimed: readonly ClaimedTask[]): void {
    for (const claim of claimed) this.cache.get(claim.taskId)?.claimed(claim);
  }

  /** What ends a task one of whose updates cannot be stored; why is told where that is the hub's own rule. */
  private ending(taskId: string, cause: unknown, refused: Waiting): Waiting | null {
    if (refused instanceof Ending) return null;
    this.log.error({ taskId, err: cause }, 'a task fails because an update of it cannot be stored');
    const why = cause instanceof TaskTooLargeError ? `: ${cause.message}` : '.';
    return new Ending(
      (task) => ({
        change: decideTaskFailed(task, `An update could not be stored${why}`, this.clock.now()),
        result: undefined,
      }),
      (error) => this.log.error({ taskId, err: error }, 'marking a task as failed did not succeed'),
    );
  }
}

/** Characters of the events and the checkpoint of its append. */
function sizeOf({ taken: { append } }: Member): number {
  const { events, checkpoint } = append;
  return textOf(events) + (checkpoint?.task.length ?? 0) + (checkpoint?.held?.length ?? 0);
}

function isLarge(member: Member): boolean {
  return sizeOf(member) >= LARGE_APPEND;
}

function unavailable(cause: unknown): HubError {
  return new HubError('UNAVAILABLE', 'the database is not available', { cause });
}

/** The decision that ends a task as failed; nobody waits for it. */
class Ending implements Waiting {
  readonly fence = undefined;

  constructor(
    readonly decide: Waiting['decide'],
    readonly reject: Waiting['reject'],
  ) {}

  resolve(): void {}
}
