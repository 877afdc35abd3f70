import type { CallResult } from './agent-verdict.js';

/** As many as a record keeps. */
const MOST = 10;

/** What an agent did in one minute; in what order is not known. */
export interface MinuteBefore {
  /** When it began, epoch milliseconds. */
  readonly at: number;
  readonly calls: number;
  /** Of these, those that failed, by whosever fault. */
  readonly errors: number;
  /** Tasks, or parts of one, that it failed by its own fault. */
  readonly failed: number;
}

/**
 * Its last calls by the minutes before this process began, which are in the order of time: in each the failed ones last. Who failed half or
 * more of them is said to fail them until a call succeeds, or an hour is over. None where nothing was its own fault.
 */
export function callsBefore(minutes: readonly MinuteBefore[]): readonly CallResult[] {
  if (minutes.every(({ failed }) => failed === 0)) return [];
  const results: CallResult[] = [];
  for (const { at, calls, errors } of minutes.toReversed()) {
    const count = Math.min(MOST - results.length, calls);
    // The newest first: these are turned around at the end.
    const bad = Math.ceil((count * errors) / Math.max(1, calls));
    for (let index = 0; index < count; index++) results.push({ at, ok: index >= bad });
    if (results.length === MOST) break;
  }
  const failed = results.filter(({ ok }) => !ok).length;
  return failed * 2 < results.length ? [] : results.reverse();
}
