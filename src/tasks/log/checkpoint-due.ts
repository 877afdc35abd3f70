import type { TaskState } from '../../protocol/a2a.js';
import { isInterrupted, isTerminal } from '../../protocol/task-state.js';

/** What of a task's log is newer than its newest checkpoint. */
export interface LogSince {
  readonly events: number;
  /** Characters of their bodies. */
  readonly size: number;
  /** Of these, how many say anew what the task has already: a checkpoint has it once. */
  readonly repeated: number;
  /** Characters of that checkpoint, 0 without one. */
  readonly checkpointSize: number;
}

const MAX_EVENTS = 256;
const MAX_SIZE = 1024 * 1024;
/** Characters of an event, on the average, from which reading it costs what reading its text in a checkpoint does. */
const LARGE_EVENT = 16 * 1024;
/** Characters of a checkpoint at most, so that it is written and read in one piece of work that is short. */
const MAX_CHECKPOINT = 4 * 1024 * 1024;

/**
 * Whether an append that took the task from `before` to `after` should carry a checkpoint: when the
 * task stops running, and while it runs after 256 events or 1 MiB. While it runs, a large task waits
 * until its log has grown by half of the checkpoint it has, so that writing checkpoints costs a
 * constant share of a chunk however large the task becomes. One that would only write large texts once
 * more is left out: of a few large events, and of a task over 4 MiB, unless a third of its new log repeats
 * what the task has, as it would be shorter then.
 */
export function checkpointDue(before: TaskState, after: TaskState, since: LogSince): boolean {
  if (!isWorthwhile(since)) return false;
  if (isTerminal(after)) return true;
  if (isInterrupted(after) && !isInterrupted(before)) return true;
  const long = since.events >= MAX_EVENTS || since.size >= MAX_SIZE;
  return long && since.size * 2 >= since.checkpointSize;
}

function isWorthwhile({ events, size, repeated, checkpointSize }: LogSince): boolean {
  if (size + checkpointSize < MAX_SIZE || repeated * 3 >= size) return true;
  if (size + checkpointSize > MAX_CHECKPOINT) return false;
  return size < MAX_SIZE || size < events * LARGE_EVENT;
}
