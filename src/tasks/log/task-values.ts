import { countValues } from '../../common/json-limits.js';
import type { TaskEvent } from '../task.js';
import { piecesOf } from './text-of-events.js';

/**
 * The values that a task may hold: those of its newest checkpoint and of its log since, counted as
 * {@link countValues} does. Characters alone do not bound its memory: an empty object is two.
 */
export const MAX_TASK_VALUES = 500_000;

/** Memory that a value takes once it is parsed, roughly, in bytes. */
export const VALUE_BYTES = 64;

/** What a chunk of text has around what it adds to the task: ids, names and flags, which the task does not keep. */
const ENVELOPE_VALUES = 14;

/** Values that an event of the log adds to its task, at most: without what is around it, and never none. */
export function valuesOfEvent(event: Pick<TaskEvent, 'body' | 'pieces'>): number {
  return Math.max(1, countValues(...piecesOf(event)) - ENVELOPE_VALUES);
}

/** Values of a checkpoint, by its texts. */
export function valuesOfCheckpoint(task: string, held: string | null): number {
  return countValues(task) + (held === null ? 0 : countValues(held));
}
