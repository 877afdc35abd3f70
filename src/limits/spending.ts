import type { Tx, Work } from '../database/sql.js';
import type { LimitSubject } from './domain/limit.js';
import type { Cost, PricedTarget } from './domain/price.js';

/** What the work of an agent on a task has cost its owner. */
export interface Charge extends Cost, PricedTarget {
  readonly organization: string;
  readonly principalId: string;
}

/** Which of it. */
export interface SpendingFilter {
  readonly organization?: string;
  readonly principal?: string;
  readonly agent?: string;
  readonly unit?: string;
  readonly fromMonth?: number;
  readonly toMonth?: number;
}

export const SPENDING_GROUPS = ['organization', 'principal', 'agent', 'skill', 'month'] as const;
export type SpendingGroup = (typeof SPENDING_GROUPS)[number];

/** One sum of {@link Spending.sums}; null: of a member that it is not grouped by. */
export interface SpendingSum {
  readonly month: number | null;
  readonly organization: string | null;
  readonly principal: string | null;
  readonly agent: string | null;
  /** `AGENT.SKILL`; null also for work without a skill. */
  readonly skill: string | null;
  readonly unit: string;
  /** Millionths. */
  readonly amount: number;
  readonly tasks: number;
}

/** Where a sum is in its list. */
export type SpendingPlace = Omit<SpendingSum, 'amount' | 'tasks'>;

/** What was spent, month by month. */
export abstract class Spending {
  /** Counts these in the month of `now`, in one order for all processes. */
  abstract add(tx: Tx, charges: readonly Charge[], now: Date): Work<void>;

  /** Millionths that a subject has spent of a unit in a month. */
  abstract sum(tx: Tx, subject: LimitSubject, unit: string, month: number): Work<number>;

  /** The same, as far as it is committed. */
  abstract readSum(subject: LimitSubject, unit: string, month: number): Promise<number>;

  /** Sums by these members and the unit, newest month first, then in their order, by characters; `limit` of them, behind `after`. */
  abstract sums(
    filter: SpendingFilter,
    by: readonly SpendingGroup[],
    limit: number,
    after?: SpendingPlace,
  ): Promise<SpendingSum[]>;

  /** Deletes what was spent in months before this one, at most `limit` rows; how many. */
  abstract forget(before: number, limit: number): Promise<number>;
}
