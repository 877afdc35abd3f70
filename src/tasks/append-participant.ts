import type { Tx, Work } from '../database/sql.js';
import type { TaskEvent } from './task.js';

/** The events one commit added to one task. */
export interface Appended {
  readonly taskId: string;
  readonly events: readonly TaskEvent[];
}

/** What is done once the commit holds; never called when it does not. Must not throw. */
export type AfterCommit = () => void;

/**
 * What takes part in every append, in its transaction: so that a webhook's lane is due exactly when
 * the event exists (design.md, rule 6); and in the deletion of tasks, so that none goes before it is told. `tasks` knows only this port; the root module binds it.
 */
export abstract class AppendParticipant {
  /**
   * Adds its statements to the commit, and may return what to do after it. Called once per commit,
   * with every task of the batch; again when the transaction is tried again.
   */
  abstract appended(tx: Tx, batch: readonly Appended[]): Work<AfterCommit | void>;

  /**
   * These ended tasks are to be deleted: deletes what it keeps of them, in the same transaction, which
   * has locked them; gives those that must stay, because something of them is still to be done.
   */
  abstract forgetting(tx: Tx, taskIds: readonly string[]): Work<readonly string[]>;
}
