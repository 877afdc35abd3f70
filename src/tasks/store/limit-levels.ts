import type { AppliedLimit } from '../../limits/index.js';
import type { UsageOwner } from './usage.js';

/** A limit of which so much is used that an operator should know. */
export interface LimitWarning {
  readonly limit: AppliedLimit;
  readonly used: number;
}

/** A limit; `owner`: whose, of a principal's. */
export interface OwnedLimit {
  readonly limit: AppliedLimit;
  readonly owner: UsageOwner;
}

/** How far limits are used up, as the commits keep them. */
export abstract class LimitLevels {
  /** Calls `listener` after each commit that takes a limit beyond four fifths. */
  abstract onWarned(listener: (warning: LimitWarning) => void): void;

  /** Calls `listener` with the name of the limit (`agent.openTasks`) by which a commit has refused something. */
  abstract onRefused(listener: (name: string) => void): void;

  /** How much of each is used now, as far as it is committed, in their order: at a few statements, however many they are. */
  abstract used(limits: readonly OwnedLimit[], now: Date): Promise<readonly number[]>;
}
