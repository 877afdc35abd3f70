import type { SubjectToken } from '../../auth/index.js';
import type { EnlistedWork } from './prepared-append.js';

/** The access tokens that callers came with, for agents that are called with them: the newest of each task, encrypted. */
export abstract class TaskTokens {
  /** Stores it in a commit of its task, in place of the one before. */
  abstract keeping(token: SubjectToken): EnlistedWork;

  /**
   * That of a task; undefined when there is none, or it has expired. Rejects with `SecretLockedError` when it cannot be
   * opened now.
   */
  abstract of(taskId: string): Promise<SubjectToken | undefined>;

  /** Deletes those that have expired, or whose task has ended and needs no call any more, `limit` at most; how many. */
  abstract forget(limit: number): Promise<number>;
}
