import type { Tx, Work } from '../../database/sql.js';
import type { Visibility } from '../../auth/index.js';
import type { TaskState } from '../../protocol/a2a.js';
import type {
  Delegation,
  EndCode,
  LogHeader,
  TaskAggregate,
  TaskEvent,
  TaskRecord,
} from '../task.js';
import type {
  ClaimedDelegation,
  ClaimedTask,
  ClaimQuota,
  OwnedDelegation,
} from './claimed-task.js';
import type { AppendOutcome, DelegationWrite, PreparedAppend } from './prepared-append.js';
import type { EndedTask, TakenTasks } from './ended-task.js';
import type { StuckSince } from './stuck-tasks.js';
import type { OwnedUsageChange } from './usage.js';

/** A task as its writer needs it. */
export interface StoredTask {
  readonly aggregate: TaskAggregate;
  /** Raised by one by every append and every claim. */
  readonly version: number;
  /** Characters of the newest checkpoint, 0 without one. */
  readonly checkpointSize: number;
  /** Log entries after the newest checkpoint, and their characters. */
  readonly eventsSince: number;
  readonly sizeSince: number;
  /** Bytes of all its log and checkpoints, roughly. */
  readonly storedBytes: number;
  /** Of these, those that repeat what the task had. */
  readonly repeatedSince: number;
  /** Values of the newest checkpoint, and those that the log entries after it add. */
  readonly checkpointValues: number;
  readonly valuesSince: number;
}

/** What is stored of a task before its first update. */
export const NOTHING_STORED: Omit<StoredTask, 'aggregate'> = {
  version: 0,
  checkpointSize: 0,
  eventsSince: 0,
  sizeSince: 0,
  storedBytes: 0,
  repeatedSince: 0,
  checkpointValues: 0,
  valuesSince: 0,
};

/** Whom an idempotency key belongs to. */
export interface KeyHolder {
  readonly taskId: string;
  readonly fingerprint: string;
}

/** The filters of ListTasks (A2A §3.1.4), parsed. */
export interface TaskFilter {
  readonly contextId?: string;
  readonly state?: TaskState;
  /** Only tasks whose status changed at or after this time. */
  readonly statusAfter?: Date;
  /** Only tasks with a delegation to this agent (the `tenant` of the request). */
  readonly agentId?: string;
}

/** What operators look for; all of it must fit. */
export interface TaskSearch extends Omit<TaskFilter, 'state'> {
  /** Only tasks of this organization. */
  readonly organization?: string;
  /** Only tasks of this principal. */
  readonly principalId?: string;
  /** Only tasks whose status changed before this time. */
  readonly statusBefore?: Date;
  /** In any of these states. */
  readonly states?: readonly TaskState[];
  /** With a delegation for this skill, to the agent where that is given. */
  readonly skillId?: string;
  /** Routed by any of these rules. */
  readonly ruleIds?: readonly string[];
  /** Ended for this reason. */
  readonly endCode?: EndCode;
  /** With a delegation that ended for this reason, however the task did. */
  readonly partEndCode?: EndCode;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  /** The id of the task, its context or its trace. */
  readonly text?: string;
  /** Only those that are stuck. */
  readonly stuckSince?: StuckSince;
}

/** An idempotency key, in the order in which they are looked at. */
export interface KeyCursor {
  readonly principalId: string;
  readonly key: string;
}

/** Where a list continues: after the last row of the page before. */
export interface TaskCursor {
  readonly statusAt: Date;
  readonly id: string;
}

export interface TaskPage {
  readonly tasks: readonly TaskAggregate[];
  /** All rows of the filter, on every page. */
  readonly totalSize: number;
  readonly next: TaskCursor | null;
}

/** A page of a search. It may have fewer tasks than asked for, or none, and be followed by others. */
export interface SearchPage {
  readonly tasks: readonly FoundTask[];
  readonly next: TaskCursor | null;
}

/** How many tasks are in a state, as far as they were counted. */
export interface StateCount {
  readonly state: TaskState;
  readonly count: number;
  /** There may be more. */
  readonly isLeast: boolean;
}

/** A task without its contents. */
export type FoundTask = Pick<TaskAggregate, 'record' | 'delegations'>;

/** What one piece of deleting tasks has done. */
export interface ForgottenTasks {
  readonly taskIds: readonly string[];
  /** Where the next batch continues; null when there is nothing more. */
  readonly next: TaskCursor | null;
}

/**
 * The result of deleting one task: `open`, it has not ended; `agents`, a cancel to an agent is pending;
 * `webhooks`, a delivery of one of its webhooks is pending; `unrecorded`, the audit log does not tell of it yet.
 */
export type DeleteResult = 'deleted' | 'unknown' | 'open' | 'agents' | 'webhooks' | 'unrecorded';

/** Which of the agents' own tasks belong to which delegation. */
export interface DownstreamTasks {
  /** Those of an agent's task ids that some delegation has. */
  held(agentId: string, downstreamTaskIds: readonly string[]): Promise<ReadonlySet<string>>;

  /**
   * Whether another delegation may wait for the task that came of a message with this id: one to the
   * same agent whose message has the id too, which may have arrived while this delegation existed,
   * and whose task is not known.
   */
  isAwaitedByAnother(
    delegation: Pick<Delegation, 'id' | 'agentId' | 'createdAt'>,
    messageId: string,
  ): Promise<boolean>;
}

/**
 * Waits until there is room for a task of which so many bytes are read; asked for large ones only, before they
 * are read.
 */
export type ReserveBytes = (bytes: number) => Promise<void>;

/**
 * Whether there is room for a page of a log of so many characters; called for pages with large texts only, before these
 * are read.
 */
export type HasCapacity = (characters: number) => boolean;

/** The storage of tasks, their log, delegations and idempotency keys. */
export abstract class TaskStore {
  abstract readonly downstream: DownstreamTasks;

  /**
   * Stores what is large of an append ahead of its commit, in small commits of its own, so that the commit is
   * short. Another one of the same task must not come between. Rejects as {@link commit} does.
   */
  abstract stage(append: PreparedAppend): Promise<void>;

  /**
   * Commits many appends at once, at most one per task, and gives the outcome of each. One bad
   * append never takes another with it. Resolves when all committed ones are durable; rejects when
   * the database itself is in trouble (then it is unknown what was committed).
   */
  abstract commit(batch: readonly PreparedAppend[]): Promise<readonly AppendOutcome[]>;

  /** The task rebuilt from checkpoint and log; undefined when it does not exist for `visibility`. */
  abstract load(
    taskId: string,
    visibility: Visibility,
    reserve?: ReserveBytes,
  ): Promise<TaskAggregate | undefined>;

  /** The task with what its writer must know; undefined when it does not exist. `reserve`: as in {@link load}. */
  abstract open(taskId: string, reserve?: ReserveBytes): Promise<StoredTask | undefined>;

  /** The committed version of a task (see {@link StoredTask}); undefined when it does not exist. */
  abstract version(taskId: string): Promise<number | undefined>;

  /** Calls `listener` after each commit of {@link claim} of this process. */
  abstract onClaimed(listener: (claimed: readonly ClaimedTask[]) => void): void;

  /** Calls `listener` with the delegations each commit of {@link commit} of this process has written. */
  abstract onCommitted(listener: (written: readonly DelegationWrite[]) => void): void;

  /**
   * From now on `turnOf` says which turn a delegation has that joins the queue: the least comes first;
   * undefined leaves it where it is. Without, it is the time.
   */
  abstract queueBy(turnOf: (delegation: Delegation) => number | undefined): void;

  /** Calls `listener` after each commit of this process that changed the usage of an owner. */
  abstract onUsed(listener: (changes: readonly OwnedUsageChange[]) => void): void;

  /** The small columns only. */
  abstract record(taskId: string, visibility: Visibility): Promise<TaskRecord | undefined>;

  /** The small columns and the delegations only; undefined when the task does not exist for `visibility`. */
  abstract withoutContents(taskId: string, visibility: Visibility): Promise<FoundTask | undefined>;

  /**
   * Log entries after `afterSeq`, ascending, at most `limit`; none behind those that have `maxText`
   * characters together, and none at all where `hasCapacity` says there is none for them.
   */
  abstract events(
    taskId: string,
    afterSeq: number,
    limit: number,
    maxText?: number,
    hasCapacity?: HasCapacity,
  ): Promise<TaskEvent[]>;

  /**
   * The headers of the log entries after `afterSeq`, ascending, at most `limit`; none behind those that have
   * `maxText` characters together. No text of an entry is read for them.
   */
  abstract headers(
    taskId: string,
    afterSeq: number,
    limit: number,
    maxText: number,
  ): Promise<LogHeader[]>;

  /**
   * The newest log entries, ascending: at most `limit`, and only as many as have `maxText` bytes together as they are
   * stored (a short one has up to 2 KiB more), but at least one.
   */
  abstract newestEvents(
    taskId: string,
    limit: number,
    maxText: number,
    reserve?: ReserveBytes,
  ): Promise<TaskEvent[]>;

  /** What operators look for, in the order of {@link list}, at a bounded cost: see {@link SearchPage}. Rejects with what `reserve` rejects with. */
  abstract search(
    search: TaskSearch,
    visibility: Visibility,
    limit: number,
    after: TaskCursor | null,
    reserve?: ReserveBytes,
  ): Promise<SearchPage>;

  /** How many tasks of each state fit a search, whatever states it names; at a bounded cost. */
  abstract countStates(search: TaskSearch, visibility: Visibility): Promise<readonly StateCount[]>;

  /** Newest status first (then id, descending). Rejects with what `reserve` rejects with. */
  abstract list(
    filter: TaskFilter,
    visibility: Visibility,
    limit: number,
    after: TaskCursor | null,
    reserve?: ReserveBytes,
  ): Promise<TaskPage>;

  /**
   * Claims up to `limit` delegations that are `queued`, `sending`, `working`, `input-required` or
   * `auth-required` without a lease or with one that has run out: sets owner and lease, raises the epoch.
   * A `queued` one is `sending` afterwards (`adopted` false); the others keep their state (`adopted` true).
   * Two claimers never get the same one. Owner, lease and epoch belong to claim, renew and release: an
   * append writes owner and lease only when its patch names them, and the epoch never.
   *
   * Organizations get one each in turn: those that hold the fewest permits first, none more than the `quota`
   * allows, and each the first of those queued for an agent below its limit. Where more are queued for an agent
   * than it has permits, the next one is of the organization that holds the fewest of them, of equals that held
   * one longest ago. For one agent the principals of an organization have turns by the order of
   * {@link queueBy}. Beside these come those that have ended with a cancel pending: as many as the quota allows,
   * or `limit` of them without a quota.
   */
  abstract claim(
    owner: string,
    now: Date,
    leaseMs: number,
    limit: number,
    quota?: ClaimQuota,
  ): Promise<ClaimedDelegation[]>;

  /**
   * The delegations `owner` has a lease on, but those that have asked their client (which may be many,
   * and take long); one indexed query.
   */
  abstract owned(owner: string): Promise<OwnedDelegation[]>;

  /** Extends the leases of these delegations where `owner` still has them; the ids it still has. */
  abstract renew(owner: string, ids: readonly string[], until: Date): Promise<string[]>;

  /** Ends every lease of processes other than `owner` (SQLite at boot: the file lock proves them dead). */
  abstract releaseOthers(owner: string): Promise<number>;

  /** Ends this owner's leases, for a clean stop. */
  abstract release(owner: string): Promise<void>;

  /** Tasks not ended with a deadline (their own or a delegation's) before `now`. */
  abstract overdue(now: Date, limit: number): Promise<string[]>;

  /** The request this principal's key belongs to at `now`; undefined when it is free. */
  abstract keyHolder(principalId: string, key: string, now: Date): Promise<KeyHolder | undefined>;

  /**
   * Deletes tasks that ended before `endedBefore`, with all that belongs to them, in the order of their
   * ends: those after `after`, `limit` of them at most and few enough for a short commit. Tasks with pending deliveries or cancels
   * stay. What is left of a large log goes by {@link deleteLogPiece}; nobody sees it.
   */
  abstract forgetTasks(
    endedBefore: Date,
    limit: number,
    after: TaskCursor | null,
    now?: Date,
  ): Promise<ForgottenTasks>;

  /**
   * Deletes a task that has ended, with all that belongs to it. With `drops` also when cancels or
   * deliveries are pending: these are dropped. What is left of a large log goes by {@link deleteLogPiece}.
   */
  abstract deleteTask(taskId: string, now: Date, drops: boolean): Promise<DeleteResult>;

  /**
   * The oldest tasks that have ended and that were not taken yet, at most `limit`, and no more than fit a short commit by what is
   * read of them; none of those that another process is taking. With the transaction they are taken.
   */
  abstract takeEnded(tx: Tx, limit: number): Work<TakenTasks>;

  /** The same of one task: none where it has not ended or was taken already. */
  abstract takeEndedTask(tx: Tx, taskId: string): Work<readonly EndedTask[]>;

  /** Deletes a piece of what is left of the large logs of deleted tasks; false when there is nothing. */
  abstract deleteLogPiece(): Promise<boolean>;

  /**
   * Deletes idempotency keys that hold no more (expired, or held until their task ends, which it has, or is gone), of the keys that
   * come after this one, `limit` at most; where to look next, null at the end.
   */
  abstract forgetKeys(now: Date, limit: number, after: KeyCursor | null): Promise<KeyCursor | null>;

  /**
   * Deletes what was {@link stage}d before this time for a commit that never came, looking at up to `limit`
   * texts that this process has not looked at; how many those were.
   */
  abstract forgetTexts(before: Date, limit: number): Promise<number>;
}
