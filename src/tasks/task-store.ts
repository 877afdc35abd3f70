import type { Visibility } from '../auth/principal.js';
import type { Tx, Work } from '../database/sql.js';
import type { TaskState } from '../protocol/a2a.js';
import type {
  Delegation,
  NewTask,
  TaskAggregate,
  TaskChange,
  TaskEvent,
  TaskRecord,
} from './task.js';

/** Extra statements of another module that belong in the commit that creates a task. */
export type Alongside = (tx: Tx, taskId: string) => Work<void>;

/** One append, already numbered. `expectedSeq` is the task's seq it was decided on. */
export interface PreparedAppend {
  readonly taskId: string;
  readonly create: { readonly task: NewTask; readonly alongside: readonly Alongside[] } | null;
  readonly expectedSeq: number;
  /** The task's columns after this append. */
  readonly record: TaskRecord;
  readonly events: readonly TaskEvent[];
  /** Delegations this append adds or changes, whole, as they are afterwards. */
  readonly delegations: readonly Delegation[];
  /** Refuse the append when this delegation has been claimed again. */
  readonly fence: Fence | null;
  /** The whole task as 1.0 wire JSON as of the last event, when a checkpoint is due. */
  readonly checkpoint: string | null;
}

/** The claim an append is made for. */
export interface Fence {
  readonly delegationId: string;
  readonly epoch: number;
}

/**
 * How an append ended. `conflict`: somebody else's event has that number; decide again on the new
 * state. `fenced`: the claim is outdated; stop. `duplicate`: the idempotency key belongs to
 * `taskId` already (`sameRequest` says whether for the same request). `poisoned`: the database
 * refuses this append itself.
 */
export type AppendOutcome =
  | { readonly kind: 'committed' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'fenced' }
  | { readonly kind: 'duplicate'; readonly taskId: string; readonly sameRequest: boolean }
  | { readonly kind: 'poisoned'; readonly reason: string };

/** The filters of ListTasks (A2A §3.1.4), parsed. */
export interface TaskFilter {
  readonly contextId?: string;
  readonly state?: TaskState;
  /** Only tasks whose status changed at or after this time. */
  readonly statusAfter?: Date;
  /** Only tasks with a delegation to this agent (the `tenant` of the request). */
  readonly agentId?: string;
}

/** Where a list goes on: the last row of the page before. */
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

/** The storage of tasks, their log, delegations and idempotency keys. */
export abstract class TaskStore {
  /**
   * Commits many appends at once, at most one per task, and tells of each how it ended. One bad
   * append never takes another with it. Resolves when all committed ones are durable.
   */
  abstract commit(batch: readonly PreparedAppend[]): Promise<readonly AppendOutcome[]>;

  /** The task rebuilt from checkpoint and log; undefined when it does not exist for `visibility`. */
  abstract load(taskId: string, visibility: Visibility): Promise<TaskAggregate | undefined>;

  /** The small columns only. */
  abstract record(taskId: string, visibility: Visibility): Promise<TaskRecord | undefined>;

  /** Log entries after `afterSeq`, ascending, at most `limit`. */
  abstract events(taskId: string, afterSeq: number, limit: number): Promise<TaskEvent[]>;

  /** Newest status first (then id, descending). */
  abstract list(
    filter: TaskFilter,
    visibility: Visibility,
    limit: number,
    after: TaskCursor | null,
  ): Promise<TaskPage>;

  /**
   * Claims up to `limit` delegations that are `queued`, or whose lease has run out while not ended
   * and not waiting for input, oldest first: sets owner and lease, raises the epoch. A `queued` one
   * is `sending` afterwards; the others keep their state. Two claimers never get the same one.
   */
  abstract claim(owner: string, now: Date, leaseMs: number, limit: number): Promise<Delegation[]>;

  /** Extends the leases of these delegations where `owner` still has them; the ids it still has. */
  abstract renew(owner: string, ids: readonly string[], until: Date): Promise<string[]>;

  /** Ends every lease of processes other than `owner` (SQLite at boot: the file lock proves them dead). */
  abstract releaseOthers(owner: string): Promise<number>;

  /** Ends this owner's leases, for a clean stop. */
  abstract release(owner: string): Promise<void>;

  /** Tasks not ended with a deadline (their own or a delegation's) before `now`. */
  abstract overdue(now: Date, limit: number): Promise<string[]>;
}
