import type { TaskState } from '../../protocol/a2a.js';
import { isInterrupted, isTerminal } from '../../protocol/task-state.js';

/** What of a task's log is newer than its newest checkpoint. */
export interface LogSince {
  readonly events: number;
  /** Characters of their bodies. */
  readonly size: number;
  /** Characters of that checkpoint, 0 without one. */
  readonly checkpointSize: number;
}

const MAX_EVENTS = 256;
const MAX_SIZE = 1024 * 1024;

/**
 * Whether an append that took the task from `before` to `after` should carry a checkpoint: when the
 * task stops running, and while it runs after 256 events or 1 MiB. While it runs, a large task waits
 * until its log has grown by half of the checkpoint it has, so that writing checkpoints costs a
 * constant share of a chunk however large the task becomes.
 */
export function checkpointDue(before: TaskState, after: TaskState, since: LogSince): boolean {
  if (isTerminal(after)) return true;
  if (isInterrupted(after) && !isInterrupted(before)) return true;
  const long = since.events >= MAX_EVENTS || since.size >= MAX_SIZE;
  return long && since.size * 2 >= since.checkpointSize;
}
