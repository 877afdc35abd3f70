import { type DataOwner, OwnedDataSet } from '../../common/owned-data.js';

/** A task of an owner; and where a walk through them goes on. */
export interface OwnedTask {
  readonly id: string;
  readonly organization: string;
  readonly state: number;
  readonly statusAt: number;
}

/** The tasks of an organization or a principal, whoever sees them. */
export abstract class OwnedTasks {
  /** Those that have ended, or have not, in one order; after `after`, `limit` at most. */
  abstract some(
    owner: DataOwner,
    which: 'open' | 'ended',
    limit: number,
    after?: OwnedTask,
  ): Promise<readonly OwnedTask[]>;
}

/** What else is kept of the tasks of organizations and principals, beside the tasks. */
export abstract class OwnedTaskRows extends OwnedDataSet {}
