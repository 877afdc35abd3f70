import { sizeOf } from '../../common/long-work.js';
import { TaskState, type Artifact, type Task } from '../../protocol/a2a.js';
import type { Payload } from '../../protocol/build.js';
import { isTerminal } from '../../protocol/task-state.js';
import type { NewEvent, TaskEvent } from '../task.js';
import { MAX_TASK_VALUES, valuesOfEvent } from './task-values.js';

/** The change would make the task larger than it may become. */
export class TaskTooLargeError extends Error {
  override readonly name = 'TaskTooLargeError';
}

/** The error for a client whose message would exceed the size limit of the task. */
export const TOO_LARGE_MESSAGE = 'is larger than what is left of the size limit of the task';

/**
 * All of a task's log and checkpoints, of what was replaced since, too, may take so many times what the task
 * may. One that only grows to its limit stays below, with the checkpoints on its way.
 */
export const MAX_LOG_FACTOR = 8;

/**
 * What the metadata of a task may take while it goes on, by `sizeOf`: it stays in memory, because what an agent
 * says with a status is compared with it.
 */
export const MAX_METADATA = 256 * 1024;

/** How much there is of a task: as it is, of all its log and checkpoints, and its values. */
export interface TaskSizes {
  readonly task: number;
  readonly log: number;
  readonly values: number;
}

/** Characters and values of what is to be logged. */
export interface Load {
  readonly size: number;
  readonly values: number;
}

export function loadOf(events: readonly TaskEvent[]): Load {
  let size = 0;
  let values = 0;
  for (const event of events) {
    size += event.body.length;
    values += valuesOfEvent(event);
  }
  return { size, values };
}

/**
 * Throws {@link TaskTooLargeError} when a task of these `sizes` would pass its size limit with these events, which are
 * `logged` as they stand there and `total` together, or its log has none. What only ends the task is always let in; what the task holds already
 * and now shows needs none.
 */
export function checkSize(
  events: readonly NewEvent[],
  logged: readonly TaskEvent[],
  total: Load,
  held: readonly Artifact[],
  { task: size, log, values }: TaskSizes,
  maxSize: number,
): void {
  const maxLog = maxSize * MAX_LOG_FACTOR;
  const isLogFull = log + total.size > maxLog;
  const hasCapacity = ({ size: more, values: moreValues }: Load): boolean =>
    size + more <= maxSize && values + moreValues <= MAX_TASK_VALUES;
  if (events.length === 0 || (hasCapacity(total) && !isLogFull)) return;
  const ids = new Set(held.map(({ artifactId }) => artifactId));
  const countsForSize = ({ kind, payload }: NewEvent): boolean =>
    kind !== 'artifact' ||
    payload.$case !== 'artifactUpdate' ||
    !ids.has(payload.value.artifact?.artifactId ?? '');
  const added = loadOf(logged.filter((_, i) => countsForSize(events[i]!)));
  if (added.size === 0 || isEnding(events.filter(countsForSize))) return;
  if (isLogFull) {
    const why = `the log of the task, with all that was replaced, would be larger than ${inMebibytes(maxLog)}`;
    throw new TaskTooLargeError(why);
  }
  if (hasCapacity(added)) return;
  if (size + added.size > maxSize) {
    throw new TaskTooLargeError(`the task would be larger than ${inMebibytes(maxSize)}`);
  }
  const most = MAX_TASK_VALUES.toLocaleString('en');
  const why = `the task would hold more than ${most} values; send the same in fewer, larger chunks`;
  throw new TaskTooLargeError(why);
}

/**
 * By how much these events let the metadata of a task grow, by {@link sizeOf}: 0 when they bring none, less where they
 * replace more. It costs what they bring, however much the task has.
 */
export function growthOfMetadata(events: readonly NewEvent[], known: Task['metadata']): number {
  const added = new Map<string, unknown>();
  for (const { payload } of events) {
    const more = metadataOf(payload);
    if (more !== undefined) for (const name of Object.keys(more)) added.set(name, more[name]);
  }
  let growth = 0;
  for (const [name, value] of added) {
    const isReplaced = known !== undefined && Object.hasOwn(known, name);
    growth += sizeOf(value) - (isReplaced ? sizeOf(known[name]) : -name.length);
  }
  return growth;
}

/**
 * Throws {@link TaskTooLargeError} when a task that goes on would grow to metadata of this `size`, by {@link sizeOf}, with
 * these events. What only ends the task is always let in.
 */
export function checkMetadata(events: readonly NewEvent[], size: number): void {
  if (size <= MAX_METADATA || isEnding(events)) return;
  throw new TaskTooLargeError(
    `the metadata of the task would be larger than ${MAX_METADATA / 1024} KiB; send what is large in an artifact`,
  );
}

/** The metadata that an event adds to that of its task; undefined when it adds none. */
function metadataOf(payload: Payload): Task['metadata'] {
  if (payload.$case !== 'statusUpdate') return undefined;
  const { metadata } = payload.value;
  return metadata && Object.keys(metadata).length > 0 ? metadata : undefined;
}

/** Nothing but status, the last one an end. */
function isEnding(events: readonly NewEvent[]): boolean {
  const last = events.at(-1)?.payload;
  return (
    last?.$case === 'statusUpdate' &&
    isTerminal(last.value.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED) &&
    events.every(({ payload }) => payload.$case === 'statusUpdate')
  );
}

function inMebibytes(size: number): string {
  return `${Number((size / (1024 * 1024)).toFixed(2))} MiB`;
}
