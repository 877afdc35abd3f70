import { TurnCounter } from '../../common/long-work.js';
import { Artifact, Task, type TaskState } from '../../protocol/a2a.js';
import { isInterrupted, isTerminal } from '../../protocol/task-state.js';
import type { Checkpoint } from '../store/prepared-append.js';
import { concatenated, writtenInTurns } from './event-body.js';

/** What of a task's log is newer than its newest checkpoint. */
export interface LogSince {
  readonly events: number;
  /** Characters of their bodies. */
  readonly size: number;
  /** Of these, how many repeat what the task has already: a checkpoint has it once. */
  readonly repeated: number;
  /** Characters of that checkpoint, 0 without one. */
  readonly checkpointSize: number;
}

const MAX_EVENTS = 256;
const MAX_SIZE = 1024 * 1024;
/** Of a log that is short: reading it costs hardly more than reading a checkpoint. */
const SHORT_LOG = { events: 8, size: 8 * 1024 };
/** Characters of an event, on the average, from which reading it costs what reading its text in a checkpoint does. */
const LARGE_EVENT = 16 * 1024;
/** Characters of a checkpoint that is written and read in one piece of work that is short. */
const SHORT_CHECKPOINT = 4 * 1024 * 1024;
/** Characters of new log from which even a long checkpoint is worth its time: without it they would count for ever. */
const LONG_LOG = 8 * 1024 * 1024;

/**
 * Whether an append that took the task from `before` to `after` should carry a checkpoint: when the
 * task stops running, and while it runs after 256 events or 1 MiB. While it runs, a large task waits
 * until its log has grown by half of the checkpoint it has, so that writing checkpoints costs a
 * constant share of a chunk however large the task becomes. A short log needs none at all. One that would only write large texts once
 * more is left out: of a few large events, and of more than 4 MiB unless it saves much, by what the log repeats
 * or by 8 MiB and more of small events, whose envelopes it does without.
 */
export function checkpointDue(before: TaskState, after: TaskState, since: LogSince): boolean {
  if (!isWorthwhile(since)) return false;
  if (isTerminal(after)) return true;
  if (isInterrupted(after) && !isInterrupted(before)) return true;
  const long = since.events >= MAX_EVENTS || since.size >= MAX_SIZE;
  return long && since.size * 2 >= since.checkpointSize;
}

function isWorthwhile({ events, size, repeated, checkpointSize }: LogSince): boolean {
  if (checkpointSize === 0 && events <= SHORT_LOG.events && size <= SHORT_LOG.size) return false;
  const whole = size + checkpointSize;
  if (whole < MAX_SIZE) return true;
  const repeats = repeated * 3 >= size;
  const isOfSmall = size < events * LARGE_EVENT;
  if (whole <= SHORT_CHECKPOINT) return repeats || isOfSmall || size < MAX_SIZE;
  return (repeats && repeated * 3 >= checkpointSize) || (isOfSmall && size >= LONG_LOG);
}

/** What {@link checkpointOf} gives, written and counted in turns of long work. It begins in the turn of its caller. */
export async function checkpointInTurns(
  task: Task,
  held: readonly Artifact[],
): Promise<Checkpoint> {
  const turns = new TurnCounter();
  const written = {
    task: await writtenInTurns(() => Task.toJSON(task), turns),
    held: await writtenInTurns(() => held.map((each) => Artifact.toJSON(each)), turns),
  };
  return {
    task: concatenated(written.task.pieces),
    held: held.length === 0 ? null : concatenated(written.held.pieces),
    written: {
      task: written.task.pieces,
      held: written.held.pieces,
      values: written.task.values + (held.length === 0 ? 0 : written.held.values),
    },
  };
}

/** The texts of a checkpoint of a task, and of what it holds. */
export function checkpointOf(task: Task, held: readonly Artifact[]): Checkpoint {
  return {
    task: JSON.stringify(Task.toJSON(task)),
    held: held.length === 0 ? null : JSON.stringify(held.map((each) => Artifact.toJSON(each))),
  };
}
