import { HubError } from '../../common/hub-error.js';
import { FencedError, type Claimer, type Decision } from './task-log.js';
import { ContentsNotKeptError } from '../../protocol/outline.js';
import { isTerminal } from '../../protocol/task-state.js';
import { UnhashedMessageError } from '../domain/status-key.js';
import type { AppendOutcome, Checkpoint, PreparedAppend } from '../store/prepared-append.js';
import type { ClaimedTask } from '../store/claimed-task.js';
import type { StoredTask } from '../store/task-store.js';
import type { TaskAggregate, TaskEvent } from '../task.js';
import {
  lostWith,
  LONG_DECISION,
  LongCheckpoint,
  LongDecision,
  LongHash,
  VERIFY,
  type Decided,
  type Made,
  type Prepared,
  type Waiting,
} from './decisions.js';
import { isLongAppend } from './append-size.js';
import { type Bodies, isLongChange } from './event-body.js';
import { continuesReleased, examineFence } from './fences.js';
import { FirstClaim } from './first-claim.js';
import { LiveTask } from './live-task.js';
import { PendingReads } from './pending-reads.js';
import { type ContentRefusal, notStorable, refusalOf, sizeRefusalOf } from './refusals.js';
import { TaskTooLargeError } from './size-limit.js';

/** Long messages that are hashed for one decision: more than an answer of an agent can hold. */
const MAX_HASHED = 1000;

/**
 * The queue of one task. At most one append is under way; what is decided meanwhile waits, and is then
 * decided on the newest state and made one append. Whoever asks for the task sees commits only.
 */
export class TaskWriter {
  private queue: Waiting[] = [];
  private decided: Decided[] = [];
  /** It has been decided, and is being written down. */
  private long: LongDecision | LongHash | LongCheckpoint | null = null;
  /** For which decision long messages were hashed last, and how many. */
  private hashed: { readonly for: Waiting; messages: number } | null = null;
  private readonly reads = new PendingReads();
  private claims: ClaimedTask[] = [];
  private underWay = false;
  /** Of the append under way, where that creates the task. */
  private firstClaim: FirstClaim | null = null;
  /** The state was read from the database and nothing has been decided on it yet. */
  private fresh = false;
  /** So many decisions are made one at a time: an append of them all was refused for its content. */
  private single = 0;
  /** Its last append was long work to store, and so the next may be. */
  isLarge = false;

  /**
   * `ending` gives what ends the task as failed, because an update of it cannot be stored for this
   * cause; `live`: the newest state, or a task that is not created yet; null: it is to be loaded.
   */
  constructor(
    readonly taskId: string,
    private readonly ending: (cause: unknown) => Waiting,
    private live: LiveTask | null = null,
    private readonly maxSize = Infinity,
  ) {}

  /** Nothing is waiting or under way, so it may be forgotten. */
  get idle(): boolean {
    return !this.underWay && this.queue.length === 0;
  }

  /** There are decisions to make and nothing is under way. */
  get ready(): boolean {
    return !this.underWay && this.queue.length > 0;
  }

  get loaded(): boolean {
    return this.live !== null;
  }

  /** Nothing is known of the task, and no update waits for it. */
  get unused(): boolean {
    return this.idle && this.live === null;
  }

  /** Its task has ended, so hardly anything is written any more. */
  get isOfEnded(): boolean {
    return this.live !== null && isTerminal(this.live.aggregate.record.state);
  }

  /** The state as of the last commit, safe to keep; only for who is answered by that commit. */
  snapshot(): TaskAggregate {
    if (this.live === null) throw new Error(`task ${this.taskId} is not loaded`);
    return this.live.snapshot();
  }

  /** Memory it takes, roughly, in bytes. */
  get size(): number {
    return this.live === null ? 0 : this.live.memory + this.live.recent.size;
  }

  /** Memory of that which {@link outline} frees. */
  get contentsSize(): number {
    return this.live?.contentsMemory ?? 0;
  }

  /** Only the log has the artifacts and messages of its task. */
  get isOutlined(): boolean {
    return this.live !== null && !this.live.isWhole;
  }

  /**
   * Leaves the artifacts and messages of its task to the log, unless something is under way, or it has just been
   * loaded (it would be loaded for the same decision again and again), or it is yet to be created: then the log has none.
   */
  outline(): void {
    const { live } = this;
    if (live === null || live.version === 0 || !live.isWhole) return;
    if (!this.underWay && !this.fresh) live.outline();
  }

  /** The committed events after `seq`, the first `limit` of them; undefined: read the database. */
  recent(seq: number, limit: number): TaskEvent[] | undefined {
    return this.live?.recent.after(seq, limit);
  }

  enqueue(waiting: Waiting): void {
    this.queue.push(waiting);
  }

  /** Loads the newest state; all waiting updates are refused when there is none. */
  async load(open: () => Promise<StoredTask | undefined>): Promise<void> {
    this.underWay = true;
    try {
      const stored = await open();
      if (stored === undefined) throw new HubError('TASK_NOT_FOUND', 'Task not found');
      this.live = new LiveTask(stored, this.maxSize);
      this.fresh = true;
    } catch (error) {
      for (const waiting of this.queue.splice(0)) waiting.reject(error);
    }
    this.underWay = false;
    this.takeOverClaims();
    this.reads.answer();
  }

  /**
   * Makes the decisions that wait, and gives what they add as one append; {@link VERIFY} when they
   * add nothing; null when no update waits (any more), or when the state must be loaded first. `claimer` gets
   * the delegations of a task that is created by it.
   */
  prepare(now: Date, claimer: Claimer | null = null): Prepared {
    const { long } = this;
    // One append at a time: a second one would be numbered as if the first were not there.
    if (this.underWay && !long?.isWritten) return null;
    this.underWay = false;
    this.long = null;
    if (long instanceof LongCheckpoint) {
      if (this.live !== null) return this.takeDecided(this.live, now, claimer, long.checkpoint);
      this.queue.unshift(...this.decided.splice(0).map(({ waiting }) => waiting));
    } else if (long instanceof LongHash) {
      if (long.error === undefined) this.queue.unshift(long.waiting);
      else long.waiting.reject(long.error);
    } else if (long !== null) {
      if (this.live === null) this.queue.unshift(long.made.waiting);
      else this.apply(this.live, long.made, now, long.bodies);
    }
    return this.decideWaiting(now, claimer);
  }

  /** Resolves when what is long is written down. */
  written(): Promise<void> {
    return this.long?.write() ?? Promise.resolve();
  }

  private decideWaiting(now: Date, claimer: Claimer | null): Prepared {
    for (let waiting = this.queue[0]; waiting !== undefined; waiting = this.queue[0]) {
      if (this.live === null) return null;
      if (this.isFull()) break;
      const fence = examineFence(this.live, waiting.fence, this.fresh);
      this.queue.shift();
      if (fence === 'outdated') waiting.reject(new FencedError('claimed by another process'));
      else if (fence === 'unknown' || !this.decide(this.live, waiting, now)) {
        // To be decided on the task as the database has it.
        this.queue.unshift(waiting);
        if (this.decided.length > 0) break;
        this.live = null;
        return null;
      }
      this.fresh = false;
      if (this.long !== null) {
        this.underWay = true;
        return LONG_DECISION;
      }
    }
    if (this.live === null || this.decided.length === 0) return null;
    this.underWay = true;
    if (!this.live.changed) return VERIFY;
    if (this.live.hasLongCheckpoint) {
      this.long = new LongCheckpoint(this.live);
      return LONG_DECISION;
    }
    return this.takeDecided(this.live, now, claimer);
  }

  private takeDecided(
    live: LiveTask,
    now: Date,
    claimer: Claimer | null,
    checkpoint?: Checkpoint,
  ): PreparedAppend {
    this.underWay = true;
    if (live.version === 0 && claimer !== null) {
      this.firstClaim = new FirstClaim(claimer);
      this.firstClaim.reserve(live, now);
    }
    return live.take(checkpoint);
  }

  /** Answers decisions without a change when they were made on the newest state; else they wait on. */
  async verify(newest: () => Promise<number | undefined>): Promise<void> {
    try {
      const version = (await newest()) ?? 0;
      if (this.live !== null && this.live.version === version) this.confirm();
      else this.ended({ kind: 'conflict' });
    } catch (error) {
      this.fail(error);
    }
  }

  /** Ends the append under way; the next one may begin. */
  ended(outcome: AppendOutcome): void {
    if (outcome.kind === 'committed') {
      this.live?.committed();
      this.confirm();
      return;
    }
    this.releaseFirstClaim();
    this.underWay = false;
    const decided = this.decided.splice(0);
    this.forget();
    if (outcome.kind === 'poisoned' || outcome.kind === 'duplicate') {
      const [only] = decided;
      if (decided.length === 1 && only !== undefined) {
        this.single = Math.max(0, this.single - 1);
        this.refused(only.waiting, outcome);
        return;
      }
      this.single = decided.length;
    }
    this.queue.unshift(...decided.map(({ waiting }) => waiting));
  }

  /**
   * The append under way failed with the whole database: it is unknown whether it is committed. What the same
   * claims have to add after it fails with it, or the task would continue without what came before.
   */
  fail(error: unknown): void {
    this.releaseFirstClaim();
    this.underWay = false;
    this.forget();
    const decided = this.decided.splice(0).map(({ waiting }) => waiting);
    const { lost, rest } = lostWith(decided, this.queue);
    this.queue = rest;
    for (const waiting of lost) waiting.reject(error);
  }

  /**
   * What `view` makes of the task at or after `version`, once nothing is under way; undefined: read
   * the database.
   */
  committed<T>(version: number, view: (live: LiveTask) => T | undefined): Promise<T | undefined> {
    const look = (): T | undefined =>
      this.live !== null && this.live.version >= Math.max(version, 1) ? view(this.live) : undefined;
    if (!this.underWay) return Promise.resolve(look());
    return this.reads.wait(look);
  }

  /** Gives the runner what it claimed of a new task, after all were notified of the commit. */
  handOverFirstClaim(): void {
    this.firstClaim?.handOver();
    this.firstClaim = null;
  }

  /** Takes over a claim, which is committed outside of the log. */
  claimed(claim: ClaimedTask): void {
    this.claims.push(claim);
    if (!this.underWay) this.takeOverClaims();
  }

  /** What was decided holds. */
  private confirm(): void {
    this.underWay = false;
    const decided = this.decided.splice(0);
    this.single = Math.max(0, this.single - decided.length);
    for (const { answer } of decided) answer();
    // Its creation was refused.
    if (this.live?.version === 0) this.live = null;
    this.takeOverClaims();
    this.reads.answer();
  }

  /** The append has all that it takes. */
  private isFull(): boolean {
    if (this.decided.length === 0) return false;
    // What else a new task gets is added to a row that is there.
    if (this.single > 0 || this.live?.version === 0) return true;
    return isLongAppend(this.live) && !continuesReleased(this.live, this.queue[0]?.fence);
  }

  /** False, with nothing done, when it needs what only the log has of the task. */
  private decide(live: LiveTask, waiting: Waiting, now: Date): boolean {
    let decision: Decision<unknown>;
    try {
      decision = waiting.decide(live.aggregate);
    } catch (error) {
      if (error instanceof ContentsNotKeptError) return false;
      if (error instanceof UnhashedMessageError && this.mayHash(waiting)) {
        this.long = new LongHash(waiting, error.unhashed);
        return true;
      }
      this.decided.push({ waiting, answer: () => waiting.reject(error) });
      return true;
    }
    this.hashed = null;
    if (live.needsContents(decision.change)) return false;
    const made = { waiting, decision };
    let isLong: boolean;
    try {
      isLong = isLongChange(decision.change);
    } catch (error) {
      this.unusable(waiting, error);
      return true;
    }
    if (isLong) this.long = new LongDecision(made);
    else this.apply(live, made, now);
    return true;
  }

  /** Each is hashed by itself, and the decision made again. */
  private mayHash(waiting: Waiting): boolean {
    if (this.hashed?.for !== waiting) this.hashed = { for: waiting, messages: 0 };
    this.hashed.messages += 1;
    return this.hashed.messages <= MAX_HASHED;
  }

  /** `bodies`: what its events are logged as, where that is written already. */
  private apply(live: LiveTask, { waiting, decision }: Made, now: Date, bodies?: Bodies): void {
    try {
      live.apply(decision.change, now, bodies);
    } catch (error) {
      if (error instanceof HubError) {
        this.decided.push({ waiting, answer: () => waiting.reject(error) });
      } else if (error instanceof TaskTooLargeError) {
        this.tooLarge(waiting, decision, error);
      } else {
        this.unusable(waiting, error);
      }
      return;
    }
    const { enlisted = [], idempotency = null, limits } = decision;
    live.enlist(now, enlisted, idempotency, limits);
    this.decided.push({ waiting, answer: () => waiting.resolve(decision.result) });
  }

  /** A decision that cannot even be written down; what was decided before it is decided again. */
  private unusable(waiting: Waiting, error: unknown): void {
    this.forget();
    this.poisoned(waiting, error);
    this.queue.unshift(...this.decided.splice(0).map((each) => each.waiting));
  }

  /** The only decision of an append that was refused for its content. */
  private refused(waiting: Waiting, outcome: ContentRefusal): void {
    const refusal = refusalOf(outcome);
    if (refusal !== undefined) waiting.reject(refusal);
    else if (outcome.kind === 'poisoned') this.poisoned(waiting, outcome.cause);
  }

  /** Nothing was applied: a client's message is refused, else the task ends and the decision is made again on that. */
  private tooLarge(waiting: Waiting, decision: Decision<unknown>, error: TaskTooLargeError): void {
    const refusal = sizeRefusalOf(waiting, decision);
    if (refusal === undefined) this.queue.unshift(this.ending(error), waiting);
    else this.decided.push({ waiting, answer: () => waiting.reject(refusal) });
  }

  /** The task ends before anybody adds to it what came after: it must not complete without this. */
  private poisoned(waiting: Waiting, cause: unknown): void {
    if (waiting.purpose === 'update') this.queue.unshift(this.ending(cause));
    waiting.reject(notStorable(waiting, cause));
  }

  private releaseFirstClaim(): void {
    this.firstClaim?.release();
    this.firstClaim = null;
  }

  private forget(): void {
    this.live = null;
    this.claims = [];
    this.reads.answer();
  }

  private takeOverClaims(): void {
    for (const claim of this.claims.splice(0)) {
      if (this.live !== null && !this.live.claimed(claim)) this.live = null;
    }
  }
}
