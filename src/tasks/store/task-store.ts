import type { Visibility } from '../../auth/index.js';
import type { Tx, Work } from '../../database/sql.js';
import type { TaskState } from '../../protocol/a2a.js';
import type { AfterCommit } from './append-participant.js';
import type {
  Delegation,
  IdempotencyKey,
  LoggedEvent,
  TaskAggregate,
  TaskEvent,
  TaskRecord,
} from '../task.js';
import type { OwnedUsageChange, UsageChange } from './usage.js';

/**
 * Extra statements of another module that belong in a commit of a task, and what to do after it. A
 * HubError of theirs refuses the append with its reason.
 */
export type EnlistedWork = (tx: Tx, taskId: string) => Work<AfterCommit | void>;

/** A delegation that an append adds or changes, whole, as it is afterwards. */
export interface DelegationWrite {
  readonly delegation: Delegation;
  /** It does not exist yet. */
  readonly added: boolean;
  /** Its owner and lease are written too; otherwise they stay as claim and renew left them. */
  readonly lease: boolean;
}

/** One append, already numbered and serialised. */
export interface PreparedAppend {
  readonly taskId: string;
  readonly enlisted: readonly EnlistedWork[];
  /** The keys of the requests it answers; `duplicate` when one of them is held already. */
  readonly keys: readonly IdempotencyKey[];
  /** The version of the task it was decided on; 0 where it creates the task. The append raises it by one. */
  readonly expectedVersion: number;
  /** The task's columns after this append. */
  readonly record: TaskRecord;
  readonly events: readonly LoggedEvent[];
  readonly delegations: readonly DelegationWrite[];
  /** The agents of all its delegations when another one has taken over from one of them; else null. */
  readonly agents: readonly string[] | null;
  /** Refuse the append when one of these delegations has been claimed again. */
  readonly fences: readonly Fence[];
  /** The whole task as of the last event, when a checkpoint is due. */
  readonly checkpoint: Checkpoint | null;
  /** What it adds to the usage of the task's owner. */
  readonly usage: UsageChange;
  /** Delegations that it leaves as they are, and whose owners look at the task after the commit. */
  readonly affected: readonly string[];
}

/** Whether an append is the first one of its task. */
export function createsTask({ expectedVersion }: PreparedAppend): boolean {
  return expectedVersion === 0;
}

/** A task so that it need not be rebuilt from the start of its log; both are 1.0 wire JSON. */
export interface Checkpoint {
  readonly task: string;
  /** The artifacts that do not count yet, as a list; null without any. */
  readonly held: string | null;
}

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

/** Delegations of one task that were claimed in one commit. */
export interface ClaimedTask {
  readonly taskId: string;
  /** The task's version after the claim. */
  readonly version: number;
  readonly delegations: readonly Delegation[];
  /** The ids of those that were claimed before; the same set for all tasks of one commit. */
  readonly adopted: ReadonlySet<string>;
}

/** The claim an append is made for. */
export interface Fence {
  readonly delegationId: string;
  readonly epoch: number;
}

/**
 * How an append ended. `conflict`: another writer changed the task (or a new task's id is taken);
 * decide again on the new state. `fenced`: the claim is outdated; stop. `duplicate`: the idempotency key belongs to
 * `taskId` already (`sameRequest` says whether for the same request). `poisoned`: the database
 * refuses this append itself; the cause is for the log, as it may show more than a client may see.
 */
export type AppendOutcome =
  | { readonly kind: 'committed' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'fenced' }
  | { readonly kind: 'duplicate'; readonly taskId: string; readonly sameRequest: boolean }
  | { readonly kind: 'poisoned'; readonly cause: unknown };

/** Whom an idempotency key belongs to. */
export interface KeyHolder {
  readonly taskId: string;
  readonly fingerprint: string;
}

/** The filters of ListTasks (A2A §3.1.4), parsed, and three more of the operators' list. */
export interface TaskFilter {
  readonly contextId?: string;
  readonly state?: TaskState;
  /** Only tasks whose status changed at or after this time. */
  readonly statusAfter?: Date;
  /** Only tasks with a delegation to this agent (the `tenant` of the request). */
  readonly agentId?: string;
  /** Only tasks whose status changed before this time. */
  readonly statusBefore?: Date;
  /** Only tasks of this organization. */
  readonly organization?: string;
  /** Only tasks of this principal. */
  readonly principalId?: string;
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

/** What one piece of deleting tasks has done. */
export interface ForgottenTasks {
  readonly taskIds: readonly string[];
  /** Where the next batch continues; null when there is nothing more. */
  readonly next: TaskCursor | null;
}

/**
 * The result of deleting one task: `open`, it has not ended; `agents`, a cancel to an agent is pending;
 * `webhooks`, a delivery of one of its webhooks is pending.
 */
export type DeleteResult = 'deleted' | 'unknown' | 'open' | 'agents' | 'webhooks';

/** A delegation as its new owner got it. */
export type ClaimedDelegation = Delegation & {
  /**
   * False for one that was `queued` (its message has not been sent); true for one taken over from an
   * owner whose lease ran out: its message may be on its way, its agent may be working.
   */
  readonly adopted: boolean;
};

/** What the owner of a delegation reads once a second, in case a notification was lost. */
export interface OwnedDelegation {
  readonly id: string;
  readonly taskId: string;
  readonly state: Delegation['state'];
  readonly epoch: number;
  /** Its task's CancelTask intent is recorded. */
  readonly cancelRequested: boolean;
}

/** Which of a claimer's permits are in use, and how many each may hold. */
export interface ClaimQuota {
  /** How many of all permits are reserved for organizations that hold few; see `domain/fair-share.ts`. */
  readonly reserved: number;
  /** The most of one agent, at least 1. */
  maxOf(agentId: string): number;
  /** How many of an agent's are reserved. */
  reservedAt(agentId: string): number;
  /** How many of an agent's an organization holds. */
  heldAt(agentId: string, organization: string): number;
  /** When an organization last held one of an agent's, as a number that grows; 0 where it is not known. */
  lastHeldAt(agentId: string, organization: string): number;
  /** By agent. */
  readonly inUse: ReadonlyMap<string, number>;
  /** By organization. */
  readonly organizations: ReadonlyMap<string, number>;
  /** For delegations that have ended with a cancel pending, which need none of these permits. */
  readonly cancels: CancelQuota;
}

/** How many cancels are sent to agents at once. */
export interface CancelQuota {
  /** How many more in all. */
  readonly free: number;
  /** The most for one agent. */
  readonly maxPerAgent: number;
  /** By agent. */
  readonly inUse: ReadonlyMap<string, number>;
}

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

  /** The task with what its writer must know; undefined when it does not exist. */
  abstract open(taskId: string): Promise<StoredTask | undefined>;

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

  /**
   * Log entries after `afterSeq`, ascending, at most `limit`; none behind those that have `maxText`
   * characters together.
   */
  abstract events(
    taskId: string,
    afterSeq: number,
    limit: number,
    maxText?: number,
  ): Promise<TaskEvent[]>;

  /**
   * The newest log entries, ascending: at most `limit`, and only as many as have `maxText` bytes together, but at
   * least one.
   */
  abstract newestEvents(
    taskId: string,
    limit: number,
    maxText: number,
    reserve?: ReserveBytes,
  ): Promise<TaskEvent[]>;

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
   * ends: those after `after`, `limit` of them and 20,000 log entries at most. Tasks with pending deliveries or cancels stay.
   */
  abstract forgetTasks(
    endedBefore: Date,
    limit: number,
    after: TaskCursor | null,
    now?: Date,
  ): Promise<ForgottenTasks>;

  /**
   * Deletes a task that has ended, with all that belongs to it. With `drops` also when cancels or
   * deliveries are pending: these are dropped.
   */
  abstract deleteTask(taskId: string, now: Date, drops: boolean): Promise<DeleteResult>;

  /**
   * Deletes idempotency keys that hold no more (expired, or their task has ended or is gone), of the `limit` keys that
   * come after this one; where to look next, null at the end.
   */
  abstract forgetKeys(now: Date, limit: number, after: KeyCursor | null): Promise<KeyCursor | null>;

  /**
   * Deletes what was {@link stage}d before this time for a commit that never came, looking at up to `limit`
   * texts that this process has not looked at; how many those were.
   */
  abstract forgetTexts(before: Date, limit: number): Promise<number>;
}
