import type { AppliedLimit } from '../../limits/index.js';
import type { Visibility } from '../../auth/index.js';
import type { EnlistedWork, Fence } from '../store/prepared-append.js';
import type { ClaimedDelegation } from '../store/claimed-task.js';
import type { FoundTask, HasCapacity, KeyHolder, ReserveBytes } from '../store/task-store.js';
import type {
  Delegation,
  IdempotencyKey,
  NewTask,
  TaskAggregate,
  LogHeader,
  TaskChange,
  TaskEvent,
  TaskRecord,
} from '../task.js';

/** What a decision gives: what to add to the task, and an answer for who asked. */
export interface Decision<T> {
  readonly change: TaskChange;
  readonly result: T;
  /** Written in the same commit, or not at all. */
  readonly enlisted?: readonly EnlistedWork[];
  /** Held from this commit on; the update is refused when it is held already. */
  readonly idempotency?: IdempotencyKey | null;
  /** The update is refused with QUOTA_EXCEEDED when one of them is used up at its commit. */
  readonly limits?: readonly AppliedLimit[];
}

/** The update's idempotency key was taken before its commit. */
export class KeyHeldError extends Error {
  override readonly name = 'KeyHeldError';

  constructor(
    readonly taskId: string,
    /** The key was taken for the same request. */
    readonly sameRequest: boolean,
  ) {
    super('the idempotency key is held');
  }
}

/** The append was made for a claim that another process has taken over since. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

export type Created =
  | { readonly kind: 'created'; readonly aggregate: TaskAggregate }
  /** The idempotency key belongs to this task already. */
  | { readonly kind: 'existing'; readonly taskId: string };

/**
 * A runner of this process that takes new delegations in the commit that creates them, which saves
 * the commit of a claim. Everything else (follow-ups, failover, adoption, what it has no permit for)
 * waits `queued` for `TaskStore.claim`.
 */
export interface Claimer {
  readonly owner: string;
  readonly leaseMs: number;
  /**
   * Acquires permits for delegations about to be committed; false, and none, when there is none for one of them,
   * or others are queued before it.
   */
  reserve(delegations: readonly Delegation[]): boolean;
  /** Releases permits that were acquired: their commit did not happen. */
  release(delegations: readonly Delegation[]): void;
  /**
   * After the commit: these are the runner's as if it had claimed them (state `sending`, `adopted`
   * false), each with the permit acquired for it.
   */
  claimed(delegations: readonly ClaimedDelegation[]): void;
}

/**
 * The one way to change a task. It holds the group commit: what many callers decide in the same
 * moment becomes one durable transaction, and only then do they (and everyone who reads) learn of it.
 */
export abstract class TaskLog {
  /**
   * Creates a task with its first two events and its delegations. Throws HubError CONFLICT when the
   * idempotency key was used for another request, QUOTA_EXCEEDED for one of its limits.
   */
  abstract create(task: NewTask, enlisted?: readonly EnlistedWork[]): Promise<Created>;

  /**
   * Changes a task: `decide` gets the newest state (never keep a reference to it) and says what to
   * add; it must be pure, for it runs again when another writer was faster, or when it reads parts that are not in memory:
   * what it throws then must pass through it. Resolves with the
   * decision's result after the commit. Throws HubError TASK_NOT_FOUND, what the decision's enlisted
   * throws as a HubError, {@link KeyHeldError} or {@link FencedError}. A task that would become larger
   * than `tasks.maxSize` is ended as failed instead; a message of the client that would make it so is
   * refused with INVALID_PARAMS.
   */
  abstract update<T>(
    taskId: string,
    decide: (task: TaskAggregate) => Decision<T>,
    fence?: Fence,
  ): Promise<T>;

  /**
   * The committed task, safe to keep; undefined when it does not exist for `visibility`. Rejects with what
   * `reserve` rejects with.
   */
  abstract read(
    taskId: string,
    visibility: Visibility,
    reserve?: ReserveBytes,
  ): Promise<TaskAggregate | undefined>;

  /**
   * The small columns and the delegations of the committed task, without its contents, which are not read;
   * undefined when it does not exist for `visibility`.
   */
  abstract withoutContents(taskId: string, visibility: Visibility): Promise<FoundTask | undefined>;

  /**
   * The small columns of the committed task; from memory where this process has them, so that waits for
   * a task may read it at every notification.
   */
  abstract record(taskId: string, visibility: Visibility): Promise<TaskRecord | undefined>;

  /** The request this principal's idempotency key belongs to now; undefined when it is free. */
  abstract keyHolder(principalId: string, key: string): Promise<KeyHolder | undefined>;

  /**
   * Committed log entries after `afterSeq`, at most `limit`; none behind those that have `maxText`
   * characters together, and none at all where `hasCapacity` says there is none for them, unless they are in memory already.
   */
  abstract events(
    taskId: string,
    afterSeq: number,
    limit: number,
    maxText?: number,
    hasCapacity?: HasCapacity,
  ): Promise<TaskEvent[]>;

  /**
   * The same of what this process has committed itself and has in memory: all up to its newest commit, without asking the
   * database whether another process has added something since. Undefined when it has not all of them.
   */
  abstract ownEvents(taskId: string, afterSeq: number, limit: number): TaskEvent[] | undefined;

  /** The headers of committed log entries; see {@link TaskStore.headers}. */
  abstract headers(
    taskId: string,
    afterSeq: number,
    limit: number,
    maxText: number,
  ): Promise<LogHeader[]>;

  /** The newest committed log entries; see {@link TaskStore.newestEvents}. */
  abstract newestEvents(
    taskId: string,
    limit: number,
    maxText: number,
    reserve?: ReserveBytes,
  ): Promise<TaskEvent[]>;

  /** These tasks have been deleted: nothing of them is kept in memory. */
  abstract forget(taskIds: readonly string[]): void;

  /** Hands new delegations to `claimer` from now on; see {@link Claimer}. At most one. */
  abstract claimNew(claimer: Claimer): void;
}
