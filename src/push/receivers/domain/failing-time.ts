/** The share of the time it takes to be disabled that may pass between two failures and count. */
const LONGEST_SILENCE = 1 / 4;

/**
 * Since when nothing but failures came, as of one more failure at `now`; null when there was none before.
 * A time without attempts (the hub did not run, there was nothing to deliver, the clock jumped) says
 * nothing of the receiver and moves the beginning. Epoch milliseconds.
 */
export function failingSinceAt(
  before: { readonly since: number | null; readonly last: number | null },
  now: number,
  disableAfterMs: number,
): number {
  const { since, last } = before;
  if (since === null) return now;
  const silence = now - (last ?? since);
  return since + Math.max(0, silence - disableAfterMs * LONGEST_SILENCE);
}
