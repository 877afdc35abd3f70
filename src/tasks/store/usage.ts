import type { Writable } from '../../common/writable.js';
import { DAY_MS } from '../../common/clock.js';
import type { TaskState } from '../../protocol/a2a.js';

/** Whose usage it is. */
export interface UsageOwner {
  readonly organization: string;
  readonly principalId: string;
}

/** What one commit changes of an owner's usage; each may be negative. */
export interface UsageChange {
  readonly openTasks: number;
  /** Tasks that began. */
  readonly begun: number;
  /** Roughly: rows that are small are counted flat. */
  readonly storedBytes: number;
  /** Tasks that ended, by the state they have now; fewer where some are deleted. */
  readonly ended?: ReadonlyMap<TaskState, number>;
}

export interface OwnedUsageChange extends UsageChange {
  readonly owner: UsageOwner;
}

/** What an owner uses now. */
export interface Usage {
  readonly openTasks: number;
  /** Tasks begun on the current day (UTC). */
  readonly tasksToday: number;
  readonly storedBytes: number;
}

/** The day of this time, in days since 1970 (UTC). */
export function dayOf(now: Date): number {
  return Math.floor(now.getTime() / DAY_MS);
}

/** The changes of a commit, one for each owner, in one order for all processes. */
export function sumUsage(changes: readonly OwnedUsageChange[]): OwnedUsageChange[] {
  if (changes.length < 2) return changes.filter(isChange);
  const sums = new Map<string, Writable<OwnedUsageChange>>();
  for (const each of changes) {
    const key = usageKey(each.owner);
    const sum = sums.get(key);
    if (sum === undefined) {
      sums.set(key, { ...each });
      continue;
    }
    sum.openTasks += each.openTasks;
    sum.begun += each.begun;
    sum.storedBytes += each.storedBytes;
    if (each.ended !== undefined) sum.ended = sumOf(sum.ended, each.ended);
  }
  const summed = [...sums].filter(([, change]) => isChange(change));
  return summed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change);
}

/** One text for each owner. */
export function usageKey({ organization, principalId }: UsageOwner): string {
  return `${organization}\n${principalId}`;
}

function sumOf(
  some: UsageChange['ended'],
  others: ReadonlyMap<TaskState, number>,
): ReadonlyMap<TaskState, number> {
  if (some === undefined) return others;
  const sum = new Map(some);
  for (const [state, count] of others) sum.set(state, (sum.get(state) ?? 0) + count);
  return sum;
}

function isChange({ openTasks, begun, storedBytes, ended }: UsageChange): boolean {
  return openTasks !== 0 || begun !== 0 || storedBytes !== 0 || (ended?.size ?? 0) > 0;
}
