import type { Visibility } from '../auth/principal.js';
import type { Alongside, Fence } from './task-store.js';
import type { NewTask, TaskAggregate, TaskChange, TaskEvent, TaskRecord } from './task.js';

/** What a decision gives: what to add to the task, and an answer for who asked. */
export interface Decision<T> {
  readonly change: TaskChange;
  readonly result: T;
}

/** The append was made for a claim that somebody else has taken over since. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

export type Created =
  | { readonly kind: 'created'; readonly aggregate: TaskAggregate }
  /** The idempotency key belongs to this task already. */
  | { readonly kind: 'existing'; readonly taskId: string };

/**
 * The one way to change a task. It holds the group commit: what many callers decide in the same
 * moment becomes one durable transaction, and only then do they (and everyone who reads) learn of it.
 */
export abstract class TaskLog {
  /**
   * Creates a task with its first two events and its delegations. Throws HubError CONFLICT when the
   * idempotency key was used for another request.
   */
  abstract create(task: NewTask, alongside?: readonly Alongside[]): Promise<Created>;

  /**
   * Changes a task: `decide` gets the newest state (never keep a reference to it) and says what to
   * add; it must be pure, for it runs again when another writer was faster. Resolves with the
   * decision's result after the commit. Throws HubError TASK_NOT_FOUND, or {@link FencedError}.
   */
  abstract update<T>(
    taskId: string,
    decide: (task: TaskAggregate) => Decision<T>,
    fence?: Fence,
  ): Promise<T>;

  /** The committed task, safe to keep; undefined when it does not exist for `visibility`. */
  abstract read(taskId: string, visibility: Visibility): Promise<TaskAggregate | undefined>;

  /**
   * The small columns of the committed task; from memory where this process has them, so that those
   * who wait for a task may ask at every ring.
   */
  abstract record(taskId: string, visibility: Visibility): Promise<TaskRecord | undefined>;

  /** Committed log entries after `afterSeq`. */
  abstract events(taskId: string, afterSeq: number, limit: number): Promise<TaskEvent[]>;
}
