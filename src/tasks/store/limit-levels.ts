import type { AppliedLimit } from '../../limits/index.js';
import type { UsageOwner } from './usage.js';

/** A limit of which so much is used that an operator should know. */
export interface LimitWarning {
  readonly limit: AppliedLimit;
  readonly used: number;
}

/** How far limits are used up, as the commits keep them. */
export abstract class LimitLevels {
  /** Calls `listener` after each commit that takes a limit beyond four fifths. */
  abstract onWarned(listener: (warning: LimitWarning) => void): void;

  /** Calls `listener` with the name of the limit (`agent.openTasks`) by which a commit has refused something. */
  abstract onRefused(listener: (name: string) => void): void;

  /** How much of a limit is used now, as far as it is committed; `owner`: whose, of a principal's. */
  abstract used(limit: AppliedLimit, owner: UsageOwner, now: Date): Promise<number>;
}
