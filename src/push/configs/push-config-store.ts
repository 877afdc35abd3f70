import type { Tx, Work } from '../../database/sql.js';
import type { PushConfig, PushConfigDraft } from './push-config.js';

export interface AttachOptions {
  readonly now: Date;
  /**
   * What to do when the same registration is there already. `present-state`: tell the webhook the
   * task's present state once more. `leave`: nothing (clients repeat the inline config with every
   * message).
   */
  readonly repeated: 'present-state' | 'leave';
}

/**
 * The webhooks that clients have registered on tasks, not those of standing subscriptions. Callers have
 * checked that the task is theirs.
 */
export abstract class PushConfigStore {
  /**
   * Sets a config on a task, in the caller's transaction, together with its lane:
   * - a new task (its own creation's transaction): the lane begins with the first event;
   * - a task that runs or has ended: the lane begins with the task's present state, once;
   * - the same config id again: the config is replaced, and active again. Its lane keeps what it has not
   *   delivered and tries at once; a lane with nothing left, or a disabled one, begins with the present
   *   state. A claim made under the old config is over: it sends and records nothing more.
   *
   * A draft without an id takes the id of the task's config with the same URL, else a new one.
   * No event of the task, however close, is missed between reading its state and the lane being there.
   * Throws HubError INVALID_PARAMS when the task has too many configs.
   */
  abstract attach(
    tx: Tx,
    taskId: string,
    draft: PushConfigDraft,
    options: AttachOptions,
  ): Work<PushConfig>;

  /** {@link attach} in a transaction of its own. */
  abstract set(taskId: string, draft: PushConfigDraft, options: AttachOptions): Promise<PushConfig>;

  abstract get(taskId: string, configId: string): Promise<PushConfig | undefined>;

  /** By age, oldest first, after the config `afterUid`. */
  abstract list(taskId: string, limit: number, afterUid: string | null): Promise<PushConfig[]>;

  /**
   * Removes the config and its lane; what was still open becomes a dead letter with that reason.
   * False when there was none.
   */
  abstract remove(taskId: string, configId: string, now: Date): Promise<boolean>;
}
