import type { Tx, Work } from '../../database/sql.js';

/**
 * Where the logs of tasks are, for those whose rows must agree with it: webhooks, which begin at a place of a
 * log. Everything is read and written in the caller's transaction.
 */
export abstract class TaskPositions {
  /**
   * The newest entry of the task's log. No entry is added until the transaction ends: each is either in
   * this number or comes after what the caller writes. Of a task that is created in this transaction, whose row
   * is not there yet, the first message.
   */
  abstract lockSeq(tx: Tx, taskId: string): Work<number>;

  /** {@link lockSeq} of many tasks, locked in the order of their ids; those that are gone are left out. */
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
