import type { Tx, Work } from '../../database/sql.js';
import type { TaskEvent, TaskRecord } from '../task.js';

/** The events one commit added to one task. */
export interface Appended {
  readonly taskId: string;
  readonly events: readonly TaskEvent[];
  /**
   * The task's column `every_event` is set: the participant has requested every entry, in a transaction of
   * its own that held the task's row. It costs no statement to know.
   */
  readonly everyEvent: boolean;
  /** What begins with this commit: the task, or delegations of it; null when nothing does. */
  readonly begins: Beginning | null;
}

/** A task that begins, or that an agent is to begin to work on. */
export interface Beginning {
  /** The task itself begins. */
  readonly isTask: boolean;
  /** The task as it is after the commit. */
  readonly record: TaskRecord;
  /** Who is to work on it from now on; one that waits for a step before it is not among them. */
  readonly delegations: readonly BegunDelegation[];
}

export interface BegunDelegation {
  readonly agentId: string;
  readonly skillId: string | null;
}

/** What is done once the commit holds; never called when it does not. Must not throw. */
export type AfterCommit = () => void;

/**
 * What takes part in every append, in its transaction: so that a delivery stream is due exactly when
 * the event exists (design.md, rule 6); and in the deletion of tasks, so that none is deleted before it is delivered. `tasks` knows only this port; the root module binds it.
 */
export abstract class AppendParticipant {
  /**
   * Adds its statements to the commit, and may return what to do after it. Called once per commit,
   * with every task of the batch; again when the transaction is tried again.
   */
  abstract appended(tx: Tx, batch: readonly Appended[]): Work<AfterCommit | void>;

  /**
   * These ended tasks are to be deleted: deletes what it keeps of them, in the same transaction, which
   * has locked them; gives those that must stay, because something of them is still to be done. With
   * `drops` none stays: what is still to be done is dropped.
   */
  abstract forgetting(tx: Tx, taskIds: readonly string[], drops?: boolean): Work<readonly string[]>;
}
