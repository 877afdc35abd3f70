import type { Fence } from '../store/prepared-append.js';
import type { LiveTask } from './live-task.js';

/** Whether the claim of a decision holds in this state; `unknown`: the claim is newer than the state, load it again. */
export function examineFence(
  live: LiveTask,
  fence: Fence | undefined,
  isFresh: boolean,
): 'holds' | 'outdated' | 'unknown' {
  if (fence === undefined) return 'holds';
  const epoch = live.epochOf(fence.delegationId);
  if (epoch === fence.epoch) return 'holds';
  return epoch !== undefined && epoch < fence.epoch && !isFresh ? 'unknown' : 'outdated';
}

/**
 * Whether the next decision is about a delegation that what was decided before it releases: after the commit
 * another process may claim it, and the rest of the same answer would be refused.
 */
export function continuesReleased(live: LiveTask | null, next: Fence | undefined): boolean {
  return next !== undefined && live?.ownerOf(next.delegationId) === null;
}
