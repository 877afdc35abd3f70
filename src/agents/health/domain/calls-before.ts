import type { CallResult } from './agent-verdict.js';

/** As many as a record keeps. */
const MOST = 10;

/** What an agent did in the last hour before this process began, in what order is not known. */
export interface HourBefore {
  readonly calls: number;
  /** Of these, those that failed, by whosever fault. */
  readonly errors: number;
  /** Tasks, or parts of one, that it failed by its own fault. */
  readonly failed: number;
}

/**
 * Its last calls, the failed ones last: one that failed half or more of them is said to fail them until one succeeds. None where
 * nothing was its own fault.
 */
export function callsBefore(
  { calls, errors, failed }: HourBefore,
  now: number,
): readonly CallResult[] {
  if (failed === 0 || errors * 2 < calls) return [];
  const all = Math.min(MOST, calls);
  const bad = Math.ceil((all * errors) / calls);
  return Array.from({ length: all }, (_, index) => ({ at: now, ok: index < all - bad }));
}
