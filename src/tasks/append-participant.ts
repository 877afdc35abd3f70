import type { Tx, Work } from '../database/sql.js';
import type { TaskEvent } from './task.js';

/** The events one commit added to one task. */
export interface Appended {
  readonly taskId: string;
  readonly organization: string;
  readonly principalId: string;
  readonly events: readonly TaskEvent[];
  /** The task is in a terminal state after these events. */
  readonly ended: boolean;
}

/**
 * What takes part in every append, in its transaction: so that a webhook's lane is due exactly when
 * the event exists (design.md, rule 6). `tasks` knows only this port; the root module binds it.
 */
export abstract class AppendParticipant {
  /** Adds its statements to the commit. Called once per commit, with every task of the batch. */
  abstract appended(tx: Tx, batch: readonly Appended[]): Work<void>;

  /** Called after the commit: something may have become due. */
  abstract committed(batch: readonly Appended[]): void;
}
