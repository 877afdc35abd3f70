import { type ActivityCount, TIME_BOUNDS } from './activity.js';

type Counted = Pick<ActivityCount, 'name' | 'count'>;

/** How often each thing happened, most frequent first. */
export function sumsOf(
  counts: readonly Counted[],
): { readonly name: string; readonly count: number }[] {
  const sums = new Map<string, number>();
  for (const { name, count } of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

/** How often a thing that is meant happened in each span that begins at one of `times`. */
export function seriesOf(
  counts: readonly (Counted & Pick<ActivityCount, 'at'>)[],
  times: readonly number[],
  isMeant: (name: string) => boolean,
): number[] {
  const sums = new Map<number, number>();
  for (const { at, name, count } of counts) {
    if (isMeant(name)) sums.set(at, (sums.get(at) ?? 0) + count);
  }
  return times.map((at) => sums.get(at) ?? 0);
}

/** The mean time of those of these calls that were answered, in milliseconds; null without any. */
export function meanMs(
  calls: readonly (Counted & Pick<ActivityCount, 'totalMs'>)[],
): number | null {
  const answered = calls.filter(({ name }) => name === 'answered');
  const total = answered.reduce((sum, { totalMs }) => sum + totalMs, 0);
  const count = answered.reduce((sum, each) => sum + each.count, 0);
  return count === 0 ? null : Math.round(total / count);
}

/**
 * The time in which this share of calls was answered, from their `callTimes`: estimated within the two bounds that it lies
 * between. Null without calls, and where it is beyond the last bound.
 */
export function shareMs(callTimes: readonly Counted[], share: number): number | null {
  const sums = new Map(sumsOf(callTimes).map(({ name, count }) => [name, count]));
  const total = [...sums.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = total * share;
  let below = 0;
  for (const bound of TIME_BOUNDS) {
    const count = sums.get(String(bound)) ?? 0;
    if (count > 0 && left <= count) return Math.round(below + ((bound - below) * left) / count);
    left -= count;
    below = bound;
  }
  return null;
}
