import type { DataOwner } from '../common/owned-data.js';

export const DATA_JOB_KINDS = ['export', 'deletion'] as const;
export type DataJobKind = (typeof DATA_JOB_KINDS)[number];

export const DATA_JOB_STATES = ['waiting', 'running', 'done', 'failed', 'canceled'] as const;
/** An export waits until its content is read. */
export type DataJobState = (typeof DATA_JOB_STATES)[number];

/** How far a job is with one kind of data, in records. */
export interface KindProgress {
  readonly counted: number;
  readonly done: number;
}
export type DataProgress = Readonly<Record<string, KindProgress>>;

/** What a job was asked to do. */
export interface DataRequest {
  readonly kind: DataJobKind;
  readonly owner: DataOwner;
  /** Only what makes a person of an id: the tasks and all else stay, under ids that say nothing. */
  readonly isMappingOnly: boolean;
  /** Those who signed in may not do so again. */
  readonly blocks: boolean;
}

/** The export or the deletion of all data of an owner. It holds ids alone. */
export interface DataJob extends DataRequest {
  readonly id: string;
  readonly state: DataJobState;
  /** The principal that asked for it, and the id of its key. */
  readonly requestedBy: string;
  readonly keyId: string | null;
  readonly progress: DataProgress;
  /** Why it failed, or is tried again. */
  readonly error: string | null;
  /** A JWS in compact form (RFC 7515), once it is done. */
  readonly receipt: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}
