import type { AppliedLimit } from '../../limits/index.js';
import type { Artifact, Task } from '../../protocol/a2a.js';
import { ContentsNotKeptError, isOutline, outlineOf } from '../../protocol/outline.js';
import type { Payload } from '../../protocol/build.js';
import {
  applyEvent,
  applyHeld,
  cloneHeld,
  cloneTask,
  emptyTask,
  repeats,
} from '../../protocol/task-reducer.js';
import { isTerminal } from '../../protocol/task-state.js';
import { HubError } from '../../common/hub-error.js';
import type { Writable } from '../../common/writable.js';
import { LONG, sizeOf, VALUE_SIZE } from '../../common/long-work.js';
import type {
  Checkpoint,
  DelegationWrite,
  EnlistedWork,
  PreparedAppend,
} from '../store/prepared-append.js';
import type { ClaimedTask } from '../store/claimed-task.js';
import { NOTHING_STORED, type StoredTask } from '../store/task-store.js';
import type {
  Delegation,
  DelegationPatch,
  GivenArtifact,
  IdempotencyKey,
  NewEvent,
  TaskAggregate,
  TaskChange,
  TaskEvent,
  TaskRecord,
} from '../task.js';
import { patched } from '../domain/delegation-times.js';
import { isEnded, isMoved } from '../domain/delegation-state.js';
import { headerOf } from '../domain/event-header.js';
import { taskEndCode } from '../domain/task-end-code.js';
import { sizeOfRecord, usageOf } from './append-usage.js';
import { checkpointDue, checkpointInTurns, checkpointOf } from './checkpoint-due.js';
import { type Bodies, bodyOf, concatenated, type Written } from './event-body.js';
import { RecentEvents } from './recent-events.js';
import { checkMetadata, checkSize, growthOfMetadata, loadOf } from './size-limit.js';
import { MAX_TASK_VALUES, VALUE_BYTES, valuesOfCheckpoint } from './task-values.js';

/** Memory of a task beside the text of its log, roughly. */
const BASE_SIZE = 4096;
/** Memory of what a delegation knows of an artifact, roughly. */
const GIVEN_SIZE = 256;
const NO_LIMITS: readonly AppliedLimit[] = [];
const NOT_WRITTEN: Partial<Written> = {};
const UNCHANGED = { added: false, lease: false, moved: false, ended: false };

/**
 * The newest state of one task in memory, with what has been decided but not committed yet. Changes
 * are applied in place (a chunk of an artifact that is known costs the same however large the task is);
 * {@link take} hands them over as one append. After an append that did not commit, the state is of no
 * use: load it again.
 */
export class LiveTask {
  private record: TaskRecord;
  private task: Task;
  /** Nothing while the task is outlined. */
  private readonly held: Artifact[];
  private delegations: readonly Delegation[];
  private committedVersion: number;
  /** What readers find here instead of in the database. */
  readonly recent: RecentEvents;
  private since: { events: number; size: number; repeated: number; checkpointSize: number };
  /** Of its newest checkpoint, and of its log since. */
  private values: { checkpoint: number; since: number };

  /** Its record when it was last taken. */
  private before: TaskRecord;
  private events: TaskEvent[] = [];
  /** Of the append that was taken last. */
  private takenEvents: readonly TaskEvent[] = [];
  private writes = new Map<string, Writable<Omit<DelegationWrite, 'delegation'>>>();
  private recordChanged = false;
  /** What was applied changes more of the record than its newest event. */
  private columnsChanged = false;
  private enlisted: EnlistedWork[] = [];
  private keys: IdempotencyKey[] = [];
  private limits: readonly AppliedLimit[] = NO_LIMITS;
  /** Keys that hold until the task ends, as far as they came here. */
  private untilEnd: string[] = [];
  private untaken = 0;
  /** Bytes of all that was taken of it. */
  private stored: number;
  /** Memory of what {@link outline} has left of the task. */
  private kept = 0;
  private knownMetadataSize: number | undefined;
  private knownRecordSize:
    | (Pick<TaskRecord, 'route' | 'cancelMetadata'> & { readonly size: number })
    | undefined;

  /**
   * `maxSize`: characters of its newest checkpoint, and of its log since, that the task may have; all its
   * log has {@link MAX_LOG_FACTOR} times as many.
   */
  constructor(
    stored: StoredTask,
    private readonly maxSize = Infinity,
  ) {
    this.record = stored.aggregate.record;
    this.task = stored.aggregate.task;
    this.held = [...stored.aggregate.held];
    this.delegations = stored.aggregate.delegations;
    this.committedVersion = stored.version;
    this.recent = new RecentEvents(this.record.seq);
    this.since = {
      events: stored.eventsSince,
      size: stored.sizeSince,
      repeated: stored.repeatedSince,
      checkpointSize: stored.checkpointSize,
    };
    this.values = { checkpoint: stored.checkpointValues, since: stored.valuesSince };
    this.stored = stored.storedBytes;
    this.before = this.record;
  }

  /** A task before its first update: nothing of it is stored, and its version is 0. */
  static unstarted(record: TaskRecord, maxSize?: number): LiveTask {
    const task = emptyTask(record.id, record.contextId);
    const aggregate = { record, task, held: [], delegations: [] };
    return new LiveTask({ aggregate, ...NOTHING_STORED }, maxSize);
  }

  /** The version of the last commit this state includes; 0: the task is not created yet. */
  get version(): number {
    return this.committedVersion;
  }

  /** Memory that its artifacts and messages take, roughly, in bytes: what {@link outline} leaves to the log. */
  get contentsMemory(): number {
    const { checkpoint, since } = this.values;
    return this.isWhole ? this.size + VALUE_BYTES * (checkpoint + since) : 0;
  }

  /** Memory it takes, roughly, in bytes. */
  get memory(): number {
    if (this.isWhole) return this.contentsMemory + this.recordSize;
    const given = this.delegations.reduce(
      (sum, { progress }) => sum + progress.artifacts.length,
      0,
    );
    return BASE_SIZE + this.kept + this.recordSize + GIVEN_SIZE * given;
  }

  /** Characters it takes, with a flat amount for what is beside them. */
  get size(): number {
    return BASE_SIZE + this.since.checkpointSize + this.since.size;
  }

  /** The state itself: for decisions, never to be kept. */
  get aggregate(): TaskAggregate {
    const { record, task, held, delegations } = this;
    if (this.isWhole) return { record, task, held, delegations };
    return {
      record,
      task,
      delegations,
      get held(): never {
        throw new ContentsNotKeptError();
      },
    };
  }

  /** All of it is in memory, its artifacts and messages too. */
  get isWhole(): boolean {
    return !isOutline(this.task);
  }

  /** With this change a checkpoint is due, which takes contents that only the log has. */
  needsContents({ events }: TaskChange): boolean {
    const { state } = this.record;
    if (this.isWhole || events.length === 0 || isTerminal(state)) return false;
    return this.isCheckpointDue(stateAfter(events) ?? state);
  }

  /**
   * Leaves its artifacts and messages to the log: what comes next is decided on and logged without
   * them. Who reads them from {@link aggregate} after that gets a ContentsNotKeptError. Between two appends only.
   */
  outline(): void {
    this.task = outlineOf(this.task);
    this.held.length = 0;
    this.kept = sizeOf(this.task);
  }

  /** A copy that is safe to keep, of one that is whole. */
  snapshot(): TaskAggregate {
    const { record, task, held, delegations } = this;
    return { record, task: cloneTask(task), held: cloneHeld(held), delegations };
  }

  /** The epoch of a delegation as known here; undefined when there is no such delegation. */
  epochOf(delegationId: string): number | undefined {
    return this.delegations.find(({ id }) => id === delegationId)?.epoch;
  }

  /** The owner of a delegation, null when it is not claimed; undefined when there is no such delegation. */
  ownerOf(delegationId: string): string | null | undefined {
    return this.delegations.find(({ id }) => id === delegationId)?.owner;
  }

  /** True when something has been applied since the last {@link take}. */
  get changed(): boolean {
    return (
      this.events.length > 0 ||
      this.writes.size > 0 ||
      this.recordChanged ||
      this.enlisted.length > 0
    );
  }

  /** Characters of the events applied since the last {@link take}. */
  get untakenSize(): number {
    return this.untaken;
  }

  /**
   * Applies a change; throws before touching anything when the change cannot be logged, with
   * {@link TaskTooLargeError} when it is for the size or the values of the task, or its log, alone. What only ends the task is always let in,
   * and so has what is held already and is now shown. `bodies`: what {@link bodiesInTurns} gave of its events.
   */
  apply(change: TaskChange, now: Date, bodies?: Bodies): void {
    // Nothing of it is stored: the task is as it was.
    if (isEmpty(change)) return;
    const events = this.logged(change.events, now, bodies);
    const values = this.values.checkpoint + this.values.since;
    const sizes = { task: this.size, log: this.stored + this.untaken, values };
    const added = loadOf(events);
    checkSize(change.events, events, added, this.held, sizes, this.maxSize);
    const growth = growthOfMetadata(change.events, this.task.metadata);
    if (growth > 0) checkMetadata(change.events, this.metadataSize + growth);
    this.untaken += added.size;
    change.events.forEach(({ payload, kind }, i) => {
      if (this.repeats(payload, kind)) this.since.repeated += events[i]!.body.length;
      if (this.isWhole) applyHeld(this.held, payload, kind);
      applyEvent(this.task, payload, kind);
    });
    this.kept += growth;
    if (change.events.some(({ kind }) => kind === 'task')) this.knownMetadataSize = undefined;
    else if (this.knownMetadataSize !== undefined) this.knownMetadataSize += growth;
    this.since.size += added.size;
    this.values.since += added.values;
    this.since.events += events.length;
    for (const event of events) this.events.push(event);
    if (change.begins !== undefined) this.add(change.begins);
    for (const patch of change.delegations ?? []) this.patch(patch, now);
    const seq = this.record.seq + events.length;
    const { state, statusAt } = this.statusAfter(change.events, now);
    if (statusAt !== this.record.statusAt) this.columnsChanged = true;
    const record = { ...this.record, state, statusAt, seq, updatedAt: now };
    if (change.record !== undefined) {
      this.recordChanged = true;
      this.columnsChanged = true;
      Object.assign(record, change.record);
    }
    this.record = record;
  }

  /** What else belongs in the commit of what has been applied. */
  enlist(
    now: Date,
    enlisted: readonly EnlistedWork[],
    key: IdempotencyKey | null,
    limits: readonly AppliedLimit[] = NO_LIMITS,
  ): void {
    if (enlisted.length > 0 && this.record.updatedAt !== now)
      this.record = { ...this.record, updatedAt: now };
    this.enlisted.push(...enlisted);
    if (limits.length > 0) this.limits = [...this.limits, ...limits];
    if (key === null) return;
    this.keys.push(key);
    if (key.expiresAt === null) this.untilEnd.push(key.key);
  }

  /** Gives all queued delegations to an owner, as a first claim would; gives them as they are then. */
  claimQueued(owner: string, leaseUntil: Date): readonly Delegation[] {
    const claimed: Delegation[] = [];
    this.delegations = this.delegations.map((each) => {
      if (each.state !== 'queued') return each;
      const [calls, epoch] = [each.calls + 1, each.epoch + 1];
      const after: Delegation = { ...each, state: 'sending', calls, epoch, owner, leaseUntil };
      claimed.push(after);
      return after;
    });
    return claimed;
  }

  /** The next append has a checkpoint that is long work to write: {@link writeCheckpoint} does, for {@link take}. */
  get hasLongCheckpoint(): boolean {
    const { checkpoint, since } = this.values;
    if (this.size + VALUE_SIZE * (checkpoint + since) <= LONG) return false;
    return this.takesCheckpoint();
  }

  /** Nothing may be applied meanwhile. */
  writeCheckpoint(): Promise<Checkpoint> {
    return checkpointInTurns(this.task, this.held);
  }

  /** What was applied, as one append. `written`: its checkpoint, where that is written already. */
  take(written?: Checkpoint): PreparedAppend {
    const checkpoint = this.takeCheckpoint(written);
    const isEnding =
      isTerminal(this.record.state) && (this.version === 0 || !isTerminal(this.before.state));
    const append: PreparedAppend = {
      taskId: this.record.id,
      enlisted: this.enlisted,
      keys: this.keys,
      endedKeys: isTerminal(this.record.state) ? this.untilEnd : [],
      expectedVersion: this.committedVersion,
      record: this.record,
      onlyEvents: !this.columnsChanged,
      events: this.events,
      delegations: this.takeWrites(),
      checkpoint,
      usage: usageOf(this.version === 0, this.before, {
        record: this.record,
        events: this.events,
        checkpoint,
        delegations: this.delegations,
      }),
      endCode: isEnding ? taskEndCode(this.record, this.delegations) : null,
      limits: this.limits,
      affected: this.recordChanged ? this.delegations.map(({ id }) => id) : [],
    };
    this.takenEvents = this.events;
    this.stored += append.usage.storedBytes;
    this.events = [];
    if (append.endedKeys.length > 0) this.untilEnd = [];
    if (this.writes.size > 0) this.writes = new Map();
    this.recordChanged = false;
    this.columnsChanged = false;
    this.enlisted = [];
    this.keys = [];
    this.limits = NO_LIMITS;
    this.untaken = 0;
    this.before = this.record;
    return append;
  }

  /** The append that was taken last is durable. */
  committed(): void {
    this.committedVersion += 1;
    this.recent.add(this.takenEvents);
    this.takenEvents = [];
  }

  /** Takes over a claim; false when this state is not the one that was claimed on. */
  claimed(claim: ClaimedTask): boolean {
    if (claim.version <= this.committedVersion) return true;
    if (claim.version !== this.committedVersion + 1) return false;
    const fresh = new Map(claim.delegations.map((each) => [each.id, each]));
    this.delegations = this.delegations.map((each) => fresh.get(each.id) ?? each);
    this.committedVersion = claim.version;
    return true;
  }

  /** Of its record, see {@link sizeOfRecord}: it changes with the route, and when a cancel is requested. */
  private get recordSize(): number {
    const { knownRecordSize: known } = this;
    const { route, cancelMetadata } = this.record;
    if (known !== undefined && known.route === route && known.cancelMetadata === cancelMetadata) {
      return known.size;
    }
    const size = sizeOfRecord(this.record);
    this.knownRecordSize = { route, cancelMetadata, size };
    return size;
  }

  /** Of the task's own metadata, by {@link sizeOf}. */
  private get metadataSize(): number {
    return (this.knownMetadataSize ??= sizeOf(this.task.metadata));
  }

  /** See the function of this name; of a task that is outlined its delegations know the artifacts. */
  private repeats(payload: Payload, kind: NewEvent['kind']): boolean {
    if (this.isWhole || payload.$case !== 'artifactUpdate') {
      return repeats(this.task, this.held, payload, kind);
    }
    const { artifact, append } = payload.value;
    const isKnown = ({ id }: GivenArtifact): boolean => id === artifact?.artifactId;
    return !append && this.delegations.some(({ progress }) => progress.artifacts.some(isKnown));
  }

  private logged(events: readonly NewEvent[], now: Date, bodies: Bodies | undefined): TaskEvent[] {
    let { state, seq } = this.record;
    return events.map((event, i) => {
      const { kind, payload } = event;
      if (isTerminal(state)) {
        throw new HubError('UNSUPPORTED_OPERATION', 'the task has ended; nothing can be added');
      }
      if (payload.$case === 'statusUpdate') state = payload.value.status?.state ?? state;
      seq += 1;
      const { pieces, values } = bodies?.[i] ?? NOT_WRITTEN;
      const body = pieces === undefined ? bodyOf(event) : concatenated(pieces);
      const header = headerOf(payload);
      return { taskId: this.record.id, seq, kind, at: now, body, pieces, values, header };
    });
  }

  /** The state of the record with these events, and since when it is. */
  private statusAfter(
    events: readonly NewEvent[],
    now: Date,
  ): Pick<TaskRecord, 'state' | 'statusAt'> {
    const status = this.task.status;
    if (!events.some(movesStatus) || status === undefined) return this.record;
    const at = Date.parse(status.timestamp ?? '');
    return { state: status.state, statusAt: Number.isNaN(at) ? now : new Date(at) };
  }

  private add(delegations: readonly Delegation[]): void {
    this.delegations = [...this.delegations, ...delegations];
    for (const { id } of delegations)
      this.writes.set(id, { added: true, lease: true, moved: true, ended: false });
  }

  private patch(patch: DelegationPatch, now: Date): void {
    const index = this.delegations.findIndex(({ id }) => id === patch.id);
    const before = this.delegations[index];
    if (before === undefined) return;
    const after = patched(before, patch, now);
    this.delegations = this.delegations.with(index, after);
    const write = this.writes.get(patch.id) ?? { ...UNCHANGED };
    if (isMoved(before, after)) write.moved = true;
    if (isEnded(after.state) && !isEnded(before.state)) write.ended = true;
    if ('owner' in patch || 'leaseUntil' in patch) write.lease = true;
    this.writes.set(patch.id, write);
  }

  private takeWrites(): DelegationWrite[] {
    if (this.writes.size === 0) return [];
    return this.delegations.flatMap((delegation) => {
      const write = this.writes.get(delegation.id);
      return write === undefined ? [] : [{ delegation, ...write }];
    });
  }

  private takesCheckpoint(): boolean {
    return this.events.length > 0 && this.isWhole && this.isCheckpointDue(this.record.state);
  }

  private takeCheckpoint(written: Checkpoint | undefined): Checkpoint | null {
    if (!this.takesCheckpoint()) return null;
    const checkpoint = written ?? checkpointOf(this.task, this.held);
    const { task, held } = checkpoint;
    const checkpointSize = task.length + (held?.length ?? 0);
    this.since = { events: 0, size: 0, repeated: 0, checkpointSize };
    this.values = { checkpoint: valuesOfCheckpoint(checkpoint), since: 0 };
    return checkpoint;
  }

  private isCheckpointDue(after: TaskRecord['state']): boolean {
    // What was held and is now shown counts twice, until a checkpoint has it once.
    const isOver = this.size > this.maxSize || this.hasManyValues();
    return isOver || checkpointDue(this.before.state, after, this.since);
  }

  /** So many that what was replaced must not count on; not again before a fifth of them is new. */
  private hasManyValues(): boolean {
    const { checkpoint, since } = this.values;
    return checkpoint + since > MAX_TASK_VALUES / 2 && since * 4 >= checkpoint;
  }
}

function isEmpty({ events, delegations = [], begins, record }: TaskChange): boolean {
  return events.length + delegations.length === 0 && begins === undefined && record === undefined;
}

/** The state that these events leave a task in; undefined when they leave it. */
function stateAfter(events: readonly NewEvent[]): TaskRecord['state'] | undefined {
  const last = events.findLast(movesStatus)?.payload;
  return last && 'status' in last.value ? last.value.status?.state : undefined;
}

function movesStatus({ kind, payload }: NewEvent): boolean {
  return kind !== 'reply' && (payload.$case === 'statusUpdate' || payload.$case === 'task');
}
