import type { Page } from '../common/page.js';
import type { Tx, Work } from '../database/sql.js';
import type { DataJob, DataJobKind, DataProgress } from './data-job.js';

/** How a job ends. */
export type DataJobEnd = Pick<DataJob, 'error' | 'receipt' | 'progress'> & {
  readonly state: 'done' | 'failed' | 'canceled';
};

/** An export is read by whoever began last: what an earlier reader gets goes on, and is not told of. */
export interface ExportReading {
  /** Of the export. */
  readonly id: string;
  readonly reader: string;
}

/** What an export says of itself that was not read to its end. */
export const NOT_READ = 'It was not read to its end: read it again.';

/** Exports and deletions of data, and who works on which. */
export abstract class DataJobStore {
  /** Throws CONFLICT when a deletion is under way for the same owner. */
  abstract add(job: DataJob): Promise<void>;

  abstract get(kind: DataJobKind, id: string): Promise<DataJob | undefined>;

  /** The newest first; `cursor` is the `nextCursor` of the page before. */
  abstract list(kind: DataJobKind, limit: number, cursor?: string): Promise<Page<DataJob>>;

  /** A deletion that is to be worked on and that nobody works on, the oldest first; it is the runner's then. */
  abstract claim(runner: string, now: Date, until: Date): Promise<DataJob | undefined>;

  /** Says how far it is, and keeps it; false when it is not the runner's any more, or was canceled. */
  abstract renew(id: string, runner: string, progress: DataProgress, until: Date): Promise<boolean>;

  /** Keeps how far it is and why it could not go on; nobody works on it before `until`. */
  abstract postpone(
    id: string,
    runner: string,
    progress: DataProgress,
    until: Date,
    why: string,
  ): Promise<void>;

  /** An export has begun to be read, anew where it was read before; `until`: as {@link note}. False when it was canceled. */
  abstract begin(reading: ExportReading, now: Date, until: Date): Promise<boolean>;

  /** How far an export is, which is read until then at least; false when it was canceled. */
  abstract note(reading: ExportReading, progress: DataProgress, until: Date): Promise<boolean>;

  /** Exports that are read no longer and did not end have failed; `isAll`: no process reads any. */
  abstract endLeft(now: Date, isAll: boolean): Promise<void>;

  /**
   * Ends an export, unless it has ended, also as `failed`, or is read by another: then it stays as it is, and what this reader has got
   * counts for itself. False when it was canceled.
   */
  abstract end(reading: ExportReading, end: DataJobEnd, now: Date): Promise<boolean>;

  /** Ends a deletion in a transaction of its caller, unless it was canceled, or is not the runner's any more. */
  abstract endIn(tx: Tx, id: string, runner: string, end: DataJobEnd, now: Date): Work<boolean>;

  /** False when there is none that could be: it has ended. */
  abstract cancel(kind: DataJobKind, id: string, now: Date): Promise<boolean>;

  /** Nobody works on deletions but this process: those that others had are free. */
  abstract releaseOthers(runner: string): Promise<void>;
}
