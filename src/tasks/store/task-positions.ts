import type { Tx, Work } from '../../database/sql.js';

/** How far the log of a task is, and in which trace the task is. */
export interface TaskPosition {
  /** The newest entry of the log. */
  readonly seq: number;
  /** That of the call that made the task; undefined of one that is created in this transaction. */
  readonly traceparent: string | null | undefined;
}

/**
 * Where the logs of tasks are, for those whose rows must agree with it: webhooks, which begin at a place of a
 * log. Everything is read and written in the caller's transaction.
 */
export abstract class TaskPositions {
  /**
   * Where the task is. No entry is added to its log until the transaction ends: each is either in
   * its number or comes after what the caller writes. Of a task that is created in this transaction, whose row
   * is not there yet, that is the first message.
   */
  abstract lock(tx: Tx, taskId: string): Work<TaskPosition>;

  /** {@link lock} of many tasks, of which it gives the newest entries, locked in the order of their ids; those that are gone are left out. */
  abstract lockSeqs(tx: Tx, taskIds: readonly string[]): Work<ReadonlyMap<string, number>>;

  /** Has the appends to these tasks tell the participant of every entry; this cannot be undone. */
  abstract wantEveryEvent(tx: Tx, taskIds: readonly string[]): Work<void>;

  /** The first entry, from `fromSeq` on, that is not older than that time; null when there is none. */
  abstract firstSeqSince(
    tx: Tx,
    taskId: string,
    since: Date,
    fromSeq?: number,
  ): Work<number | null>;

  /**
   * SQL of a condition: the task has an entry of this number from before a time, which is its one parameter
   * (epoch milliseconds). `taskId` and `seq` are SQL too. It is for queries over many rows, where asking for
   * each row would cost a round trip.
   */
  abstract hasEntryBefore(taskId: string, seq: string): string;
}
