import { TaskState, type Artifact } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';
import type { NewEvent, TaskEvent } from '../task.js';

/** The change would make the task larger than it may become. */
export class TaskTooLargeError extends Error {
  override readonly name = 'TaskTooLargeError';
}

/** What a client is told whose message the task has no room for. */
export const TOO_LARGE_MESSAGE = 'is larger than the room that is left in the task';

/** Characters of what is to be logged. */
export function sizeOf(events: readonly TaskEvent[]): number {
  return events.reduce((size, { body }) => size + body.length, 0);
}

/**
 * Throws {@link TaskTooLargeError} when a task of `size` characters has no room for these events, which
 * are `logged` as they stand there. What only ends the task always has room; what the task holds already
 * and now shows needs none.
 */
export function checkRoom(
  events: readonly NewEvent[],
  logged: readonly TaskEvent[],
  held: readonly Artifact[],
  size: number,
  maxSize: number,
): void {
  if (events.length === 0 || size + sizeOf(logged) <= maxSize) return;
  const ids = new Set(held.map(({ artifactId }) => artifactId));
  const needsRoom = ({ kind, payload }: NewEvent): boolean =>
    kind !== 'artifact' ||
    payload.$case !== 'artifactUpdate' ||
    !ids.has(payload.value.artifact?.artifactId ?? '');
  const added = sizeOf(logged.filter((_, i) => needsRoom(events[i]!)));
  if (added === 0 || size + added <= maxSize || isEnding(events.filter(needsRoom))) return;
  throw new TaskTooLargeError(`the task would be larger than ${inMebibytes(maxSize)}`);
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
